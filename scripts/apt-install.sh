#!/usr/bin/env bash
# Usage: apt-install.sh PACKAGE...
# Installs those of the Debian packages that are missing; asks apt for nothing
# when none is.
set -euo pipefail

if ! command -v dpkg-query >/dev/null; then
	echo "This is not a Debian system. If the build fails, install what these Debian packages hold: $*" >&2
	exit 0
fi

missing=()
for package in "$@"; do
	# A removed package that left its configuration is known, yet not installed.
	state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
	[[ $state == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
	if ! command -v sudo >/dev/null; then
		echo "Missing packages, and no sudo to install them with. As root, run: apt-get install ${missing[*]}" >&2
		exit 1
	fi
	as_root=(sudo)
fi

# Nobody may be there to answer questions. sudo clears the environment, so it
# has to be set behind it.
as_root+=(env DEBIAN_FRONTEND=noninteractive)

echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
