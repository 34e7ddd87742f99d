#!/usr/bin/env bash
# Usage: bench-peer.sh CRATE VERSION ROOT
# Leaves the published program of the crate in ROOT/bin, in just this version.
# Passes, and says so, where there is no cargo to build it with.
set -euo pipefail

crate=$1 version=$2 root=$3

if [[ $("$root/bin/$crate" --version 2>/dev/null) == "$crate $version" ]]; then
	exit 0
fi
if ! command -v cargo >/dev/null; then
	echo "There is no cargo here, so nothing is compared with $crate." >&2
	exit 0
fi
echo "Building $crate $version" >&2
CARGO_TARGET_DIR=$PWD/.cache/cargo cargo install --quiet --locked --root "$root" --version "=$version" "$crate"
