#!/usr/bin/env bash
# Usage: fuzz.sh TIME PACKAGE...
# Runs each fuzz target of the packages for TIME (such as 20s), one after the
# other: go test fuzzes only one target at a time.
set -euo pipefail

time=$1
shift

for package in $(go list "$@"); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "$package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
	done
done
