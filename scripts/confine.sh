#!/usr/bin/env bash
# Usage: confine.sh COMMAND...
# Runs the command as root of a user namespace, with mounts, processes, control
# groups and a network of its own: what it mounts and starts ends with it, and
# nothing that it does reaches the machine around, but files.
set -euo pipefail
umask 022 # others than root may have to look into the control group

if ((EUID != 0)); then
	exec sudo "$0" "$@"
fi

# A control group that the command may divide further.
hierarchy=$(findmnt --first-only --noheadings --output TARGET --types cgroup2)
group=$hierarchy$(sed -n 's/^0:://p' /proc/self/cgroup)/confined-$$
mkdir "$group"

# The user namespace has the machine's own users, but belongs to one whom nothing
# else belongs to: whatever the machine counts and limits by user (such as those
# who watch files) is then not used up by others.
owner=64000
exec 3< <(exec setpriv --reuid=$owner --regid=$owner --clear-groups unshare --user sh -c 'echo; exec sleep infinity')
holder=$!
end() {
	kill "$holder" 2>/dev/null || true
	# A process leaves its group a moment after it has ended.
	for _ in {1..50}; do
		find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
		[[ -d $group ]] || break
		sleep 0.1
	done
}
trap end EXIT
read -r _ <&3
echo '0 0 65536' >"/proc/$holder/uid_map"
echo '0 0 65536' >"/proc/$holder/gid_map"

# shellcheck disable=SC2016 # the inner shell expands it
nsenter --user --target "$holder" --setuid 0 --setgid 0 \
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" \
	unshare --mount --pid --fork --kill-child --cgroup --ipc --uts --net --mount-proc \
	sh -c 'ip link set lo up && exec "$@"' sh "$@" 3<&-
