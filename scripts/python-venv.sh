#!/usr/bin/env bash
# Usage: python-venv.sh DIRECTORY REQUIREMENT...
# Leaves a Python with just these packages in DIRECTORY, made anew when the
# list of them changes.
set -euo pipefail

directory=$1
shift
stamp=$directory/requirements

if [[ -x $directory/bin/python && -f $stamp && $(<"$stamp") == "$*" ]]; then
	exit 0
fi
echo "Making a Python with: $*"

# The system's own Python is the one whose venv module apt installs.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
"$python" -m venv --clear "$directory"
"$directory/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
echo "$*" >"$stamp"
