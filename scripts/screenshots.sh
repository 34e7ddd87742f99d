#!/usr/bin/env bash
# Usage: screenshots.sh HEARTH FOLDER
# Starts the program HEARTH with its window on a display of its own, writes to
# it what a household's apps might, and leaves pictures of its screens, light
# and dark, in FOLDER.
set -euo pipefail

hearth=$1 folder=$2
mkdir -p "$folder"
scratch=$(mktemp -d)
started=()
stop() {
	kill "${started[@]}" 2>/dev/null || true # some have ended before
	wait
	rm -rf "$scratch"
}
trap stop EXIT

# The X server picks a free display and says which.
mkfifo "$scratch/display"
Xvfb -displayfd 3 -noreset -screen 0 1280x800x24 +extension GLX -nolisten tcp 3>"$scratch/display" 2>/dev/null &
started+=($!)
read -r number <"$scratch/display"
export DISPLAY=:$number WAYLAND_DISPLAY=
openbox 2>/dev/null &
started+=($!)

# batch EPOCH SIZE... prints a batch of random entries, sealed by their looks.
batch() {
	local epoch=$1
	shift
	# shellcheck disable=SC2059 # the format is made of the numbers
	printf "\xa2\x00\x$(printf %02x "$epoch")\x01\x$(printf %02x $((0x80 + $#)))"
	for size in "$@"; do
		# shellcheck disable=SC2059
		printf "\x59\x$(printf %02x $((size >> 8)))\x$(printf %02x $((size & 255)))S\x01"
		head -c $((size - 2)) /dev/urandom
	done
}

# write STREAM EPOCH SIZE... appends it.
write() {
	batch "${@:2}" >"$scratch/batch"
	curl --silent --output /dev/null --data-binary @"$scratch/batch" \
		--header 'Content-Type: application/cbor' "$url/v1/streams/$1/entries"
}

# publish JSON appends events to the stream of what happens in the house.
publish() {
	curl --silent --output /dev/null --data "$1" --header 'Content-Type: application/json' "$url/reflex/v1/streams/sensors/events"
}

# happen publishes what a day in a house brings.
happen() {
	local i
	for i in {1..9}; do
		publish '{"type":"climate.measured","room":"living room","celsius":20.'"$i"',"humidity":4'"$i"'}'
		publish '{"type":"door.opened","door":"garden","by":"handle"}'
		publish '{"type":"climate.measured","room":"cellar","celsius":12.'"$i"',"humidity":6'"$i"'}'
		publish '{"type":"door.closed","door":"garden"}'
	done
	publish '{"events":[{"id":"laundry-12","event":{"type":"washer.finished","programme":"cotton 40","minutes":118,"kwh":0.640}}]}'
	publish '{"type":"climate.measured","room":"bath","celsius":22.4,"humidity":58}'
	publish '{"correlation_id":"laundry-12","events":[{"event":{"type":"reminder.sent","text":"The laundry is done","to":"kitchen display"}}]}'
	publish '{"correlation_id":"laundry-12","events":[{"event":{"type":"reminder.seen","on":"kitchen display","after_minutes":7}}]}'
	publish '{"type":"doorbell.rung","message":"Somebody is at the front door","camera":true}'
}

# shot NAME takes a picture of the window once it has come to rest.
shot() {
	sleep 1.5
	import -window "$window" "$folder/$1.png"
}

for theme in light dark; do
	suffix=
	[[ $theme == light ]] || suffix=-dark
	data=$scratch/$theme
	FYNE_THEME=$theme "$hearth" --data "$data" --listen 127.0.0.1:2451 --name "Hearth at home" 2>"$scratch/log" &
	program=$!
	started+=("$program")
	window=$(xdotool search --sync --onlyvisible --name '^Hearth$' | head -1)
	until url=$(grep -o 'http://[^"]*' "$data/run.json" 2>/dev/null | head -1) && [[ -n $url ]]; do sleep 0.1; done
	for i in {1..40}; do
		write notes $((1 + i / 25)) $((300 + RANDOM % 2000)) $((200 + RANDOM % 900))
		write calendar 3 $((500 + RANDOM % 1500))
		((i % 3)) || write photos-index 1 900 900 900 1200 800 1000
		((i % 8)) || write recipes 1 $((700 + RANDOM % 300))
		((i % 9)) || write shopping 1 $((200 + RANDOM % 300))
	done
	happen
	# An old app, one that never was here, and a reader from before a restore.
	write notes 1 400
	write notes 1 400
	curl --silent --output /dev/null "$url/v1/streams/tasks/entries"
	page=$(curl --silent "$url/v1/streams/notes/entries?limit=1" | od -An -v -tx1 | tr -d ' \n')
	curl --silent --output /dev/null "$url/v1/streams/notes/entries?after=118.${page:6:32}.$(printf '0%.0s' {1..64})"

	shot "overview$suffix"
	xdotool key ctrl+2
	sleep 1
	# Rows and the rail stand where the window puts them at its first size.
	xdotool mousemove --window "$window" 300 214 click 1
	sleep 1
	xdotool mousemove --window "$window" 900 446 click 1 mousemove --window "$window" 400 700
	shot "streams$suffix"
	xdotool mousemove --window "$window" 300 337 click 1
	sleep 1
	xdotool mousemove --window "$window" 900 536 click 1
	sleep 1
	xdotool mousemove --window "$window" 933 516 click 1 mousemove --window "$window" 400 700
	shot "events$suffix"
	xdotool key ctrl+3
	shot "refusals$suffix"
	xdotool key ctrl+4
	shot "network$suffix"
	xdotool key ctrl+5
	shot "settings$suffix"
	kill "$program"
	wait "$program" || true
done
