#!/usr/bin/env bash
# Usage: interop.sh HEARTH CLIENTS NAME...
# Builds the client programs NAME... from the folder CLIENTS and runs each
# against a relay of its own, started from the program HEARTH. Passes, and says
# so, where cargo or the folder is missing; fails when a client does.
set -euo pipefail

hearth=$1 clients=$2
shift 2

if ! command -v cargo >/dev/null; then
	echo "No real clients were run: there is no cargo here to build them with."
	exit 0
fi
if [[ ! -d $clients ]]; then
	echo "No real clients were run: there is no folder $clients (INTEROP= names another)."
	exit 0
fi

scratch=$(mktemp -d)
relay=
stop() {
	if [[ -n $relay ]]; then
		kill "$relay" 2>/dev/null || true
		wait "$relay" || true
		relay=
	fi
}
trap 'stop; rm -rf "$scratch"' EXIT

# start starts a relay in a fresh folder and leaves its address in url.
start() {
	local log=$scratch/$1.log
	: >"$log" # there to be read before the relay has come to write it
	"$hearth" serve --data "$scratch/$1" --listen 127.0.0.1:0 >"$log" 2>&1 </dev/null &
	relay=$!
	# A tenth of a second 300 times: a loaded machine may take long to start it.
	for _ in {1..300}; do
		url=$(sed -n 's/^listening on \(http:[^ ]*\)$/\1/p' "$log")
		[[ -z $url ]] || return 0
		kill -0 "$relay" 2>/dev/null || break
		sleep 0.1
	done
	echo "The relay did not start:"
	cat "$log"
	return 1
}

# cargo writes a lock file beside the sources, which may not be writable.
sources=$PWD/.cache/interop
mkdir -p "$sources"
cp -R "$clients/." "$sources"
chmod -R u+w "$sources"
export CARGO_TARGET_DIR=$PWD/.cache/cargo

failed=0
for name in "$@"; do
	echo "Building the client $name"
	cargo build --quiet --release --manifest-path "$sources/$name/Cargo.toml"
	start "$name"
	if "$CARGO_TARGET_DIR/release/$name" --relay "$url"; then
		echo "ok    $name"
	else
		echo "FAIL  $name; what the relay said:"
		cat "$scratch/$name.log"
		failed=1
	fi
	stop
done
exit "$failed"
