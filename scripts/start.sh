#!/usr/bin/env bash
# Usage: start.sh HEARTH
# Starts Hearth with its window, or without one where there is no display.
set -euo pipefail

if [[ -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} || $OSTYPE == darwin* ]]; then
	exec "$1"
fi
echo "There is no display here, so Hearth runs without its window: $1 serve"
exec "$1" serve
