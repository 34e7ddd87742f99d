#!/usr/bin/env bash
# Usage: go-tool.sh MODULE PACKAGE VERSION
# Builds a Go program into .cache/bin unless it is there in just this version.
# Such tools stay out of go.mod, where they would choose the versions of what
# the program itself depends on.
set -euo pipefail

module=$1 package=$2 version=$3
bin=$PWD/.cache/bin

if go version -m "$bin/${package##*/}" 2>/dev/null | grep -qF "$module"$'\t'"$version"; then
	exit 0
fi
echo "Building ${package##*/} $version"
# Without cgo the tool needs no compiler and no headers.
GOBIN=$bin GOFLAGS='' CGO_ENABLED=0 go install "$package@$version"
