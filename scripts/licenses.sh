#!/usr/bin/env bash
# Usage: licenses.sh ARGUMENT...
# Prints the licenses of everything that the Go packages which the arguments of
# `go list` name are built from: they ask to go along with the program.
set -euo pipefail

# show NAME FOLDER prints what lies in the folder of a module, or of Go.
show() {
	local file
	while IFS= read -r file; do
		printf '%s\n%s: %s\n\n' "$(printf '=%.0s' {1..80})" "$1" "${file#"$2/"}"
		cat "$file"
		echo
	done < <(find "$2" -type d \( -name testdata -o -path "$2/src" -o -path "$2/test" \) -prune -o -type f ! -name '*.go' \
		\( -iname 'LICEN[CS]E*' -o -iname 'COPYING*' -o -iname 'NOTICE*' \) -print | LC_ALL=C sort)
}

show "Go $(go env GOVERSION | sed s/^go//)" "$(go env GOROOT)"
go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}	{{.Dir}}{{end}}{{end}}' "$@" |
	LC_ALL=C sort -u |
	while IFS=$'\t' read -r module folder; do show "$module" "$folder"; done
