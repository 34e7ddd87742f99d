#!/usr/bin/env bash
# Usage: package-test.sh PACKAGE.deb HEADLESS.tar.gz TARBALL FOLDER
# Installs the package in the clean Debian of TARBALL, uses it there as people
# do, and removes it again; then lets the headless program go on. Leaves a
# picture of the window, and what programs said, in FOLDER. Runs under
# confine.sh, which takes away what this mounts and starts.
set -euo pipefail
umask 022 # others than root live on the machine as well

package=$1 headless=$2 tarball=$3 folder=$4
hearth=http://127.0.0.1:2451 # where it listens unless told otherwise

fail() {
	echo "FAIL  $*" >&2
	exit 1
}
ok() { echo "ok    $*"; }

# eventually COMMAND... repeats it until it succeeds, for as long as a loaded
# machine may need.
eventually() {
	local deadline=$((SECONDS + 60))
	until "$@" >/dev/null 2>&1; do
		((SECONDS < deadline)) || fail "not within a minute: $*"
		sleep 0.1
	done
}

# A network that the machine is on, with nobody else.
address=192.0.2.7 # kept for examples by RFC 5737
ip link add lan0 type veth peer name lan1
ip link set lan1 up
ip address add "$address/24" dev lan0
ip link set lan0 up

# The machine, as it comes.
root=$(mktemp -d)
trap 'umount --lazy "$root" && rmdir "$root"' EXIT
mount -t tmpfs -o mode=755 root "$root"
tar --extract --directory "$root" --file "$tarball"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero full random urandom tty; do
	touch "$root/dev/$device"
	mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
cp "$package" "$root/root/hearth.deb"
chroot "$root" useradd --create-home --shell /bin/bash person

# inside COMMAND... runs it on that machine: before it has been started up just
# in its files, then among its processes.
init=
inside() {
	local way=(chroot "$root")
	if [[ -n $init ]]; then
		way=(nsenter --target "$init" --mount --pid --cgroup --root --wd)
	fi
	"${way[@]}" env --ignore-environment PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# as_person COMMAND... runs it as someone who uses that machine.
as_person() {
	inside setpriv --reuid=person --regid=person --init-groups env HOME=/home/person DISPLAY="${DISPLAY:-}" \
		XDG_RUNTIME_DIR="/run/user/$(inside id --user person)" "$@"
}

# install puts the package in with what it says it depends on, and no more.
install() {
	local library libraries
	inside apt-get install -qq --no-install-recommends /root/hearth.deb >"$folder/install.log" 2>&1 || {
		cat "$folder/install.log"
		fail "apt does not install it"
	}
	inside hearth version >"$folder/version"
	grep --quiet '^commit [0-9a-f]\{40\} of 2' "$folder/version" || fail "it does not tell its commit and date: $(<"$folder/version")"
	# The window loads these by name, and does less without a word where one lacks.
	libraries=$(inside ldconfig --print-cache)
	while read -r library; do
		[[ $libraries == *$library* ]] || fail "it depends on $library as well"
	done < <(grep --text --only-matching 'libX[[:alnum:]-]*\.so\.[0-9]*' "$root/usr/bin/hearth" | sort --unique)
	[[ -z $(find "$root/etc" -name '*hearth*') ]] || fail "it was enabled, or brings configuration"
	ok "installed, nothing enabled: $(head -1 "$folder/version")"
}

# entry KEY prints what the desktop entry says.
entry() { sed -n "s/^$1=//p" "$root/usr/share/applications/hearth.desktop"; }

# drawn WINDOW takes its picture, and says whether more than plain areas show.
drawn() {
	import -window "$1" "$folder/window.png"
	(($(identify -format %k "$folder/window.png") > 200))
}

# window starts the program as a desktop does.
window() {
	local number shown program
	mkdir -p /tmp/.X11-unix "$root/tmp/.X11-unix"
	mount -t tmpfs x11 /tmp/.X11-unix
	mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
	# It begins anew whenever its last client goes, unless told not to: the program
	# tries the display before it opens its window.
	exec 4< <(exec Xvfb -displayfd 1 -noreset -screen 0 1280x800x24 +extension GLX -nolisten tcp 2>/dev/null)
	read -r number <&4
	export DISPLAY=:$number
	openbox >/dev/null 2>&1 &

	# shellcheck disable=SC2046 # the words of the command
	as_person $(entry Exec) 2>"$folder/window.log" &
	program=$!
	shown=$(timeout 60 xdotool search --sync --onlyvisible --class "^$(entry StartupWMClass)\$" | head -1) || {
		pkill --parent "$program" --signal QUIT # a Go program then tells what it is doing
		wait "$program" || true
		cat "$folder/window.log"
		fail "no window of the class $(entry StartupWMClass)"
	}
	eventually drawn "$shown"
	append person-by-window
	kill "$(pgrep --parent "$program" --exact hearth || echo "$program")"
	wait "$program" || fail "the window's program ended with $?"
	ok "the desktop entry opens the window"
}

# append WORD writes it, of less than 24 bytes, to the stream notes.
append() {
	# shellcheck disable=SC2059 # the format is made of the numbers
	printf "\xa2\x00\x01\x01\x81\x$(printf %02x $((0x40 + ${#1})))%s" "$1" >"$folder/batch"
	eventually curl --fail "$hearth/health"
	curl --silent --show-error --fail --output /dev/null --data-binary @"$folder/batch" \
		--header 'Content-Type: application/cbor' "$hearth/v1/streams/notes/entries" || fail "the relay does not take $1"
	holds "$1" || fail "the relay does not give $1 back"
}

# holds WORD says whether it is in the stream notes.
holds() { curl --silent --fail "$hearth/v1/streams/notes/entries" | grep --text "$1" >/dev/null; }

# boot starts the machine up.
boot() {
	mkdir "$root/sys/fs/cgroup/machine"
	# shellcheck disable=SC2016 # the inner shells expand it
	sh -c 'echo $$ >"$0/sys/fs/cgroup/machine/cgroup.procs" && exec "$@"' "$root" \
		unshare --mount --pid --fork --kill-child --cgroup sh -euc '
			cd "$0"
			umount sys/fs/cgroup proc
			mount -t cgroup2 cgroup2 sys/fs/cgroup
			mount -t proc proc proc
			mount -t tmpfs -o mode=755 run run
			pivot_root . .
			umount --lazy .
			cd /
			exec env --ignore-environment container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
		' "$root" >"$folder/boot.log" 2>&1 &
	machine=$!
	eventually pgrep --parent "$machine"
	init=$(pgrep --parent "$machine")
	eventually inside systemctl list-jobs
	inside systemctl is-system-running --wait >/dev/null || true # a machine without disks and consoles is degraded
}

# pid prints the process of the system unit.
pid() { inside systemctl show --value --property MainPID hearth; }

# exposure looks at what the system unit may do.
exposure() {
	inside systemd-analyze verify /usr/lib/systemd/system/hearth.service || fail "systemd finds fault with the system unit"
	# Of a hundred points of exposure, where fewer are better and most units have 96.
	inside systemd-analyze security --offline=true --threshold=20 /usr/lib/systemd/system/hearth.service >"$folder/security.log" || {
		cat "$folder/security.log"
		fail "the system unit is too exposed"
	}
	ok "the system unit is sound: $(tail -1 "$folder/security.log")"
}

# found says whether the relay is found on the network.
found() { inside hearth find | grep --fixed-strings "$address:2451" >/dev/null; }

# system runs the relay of the machine.
system() {
	local before
	inside systemctl --quiet enable --now hearth
	append machine
	before=$(pid)
	[[ $(inside stat --format %U "/proc/$before") != root ]] || fail "the system unit runs as root"
	inside grep --quiet '^Seccomp:.2$' "/proc/$before/status" || fail "the system unit is not confined"
	inside hearth status --data /var/lib/hearth >/dev/null || fail "its owner cannot look at it"
	inside dpkg --install /root/hearth.deb >/dev/null
	[[ $(pid) != "$before" ]] || fail "an upgrade leaves the old program running"
	eventually holds machine
	ok "the system unit keeps what is written to it, through an upgrade as well"

	mkdir -p "$root/etc/systemd/system/hearth.service.d"
	printf '[Service]\nEnvironment=HEARTH_OPEN=true\n' >"$root/etc/systemd/system/hearth.service.d/override.conf"
	inside systemctl daemon-reload
	inside systemctl restart hearth
	eventually curl --fail "http://$address:2451/health"
	eventually found
	rm -r "$root/etc/systemd/system/hearth.service.d"
	inside systemctl daemon-reload
	ok "the system unit opens to the network, and is found there"

	inside systemctl stop hearth
	[[ $(inside systemctl show --value --property Result hearth) == success ]] || fail "the system unit does not stop well"
}

# user runs the relay of the person, on the data of the window.
user() {
	inside loginctl enable-linger person
	eventually as_person systemctl --user is-system-running
	as_person systemd-analyze --user verify /usr/lib/systemd/user/hearth.service || fail "systemd finds fault with the user unit"
	as_person systemctl --user start hearth
	append person-by-unit
	holds person-by-window || fail "the user unit does not use the window's data"
	inside grep --quiet '^Seccomp:.2$' "/proc/$(as_person systemctl --user show --value --property MainPID hearth)/status" ||
		fail "the user unit is not confined"
	as_person systemctl --user stop hearth
	ok "the user unit goes on where the window was closed"
}

# kept prints the names and sums of what the person has.
kept() { (cd "$root/home" && find . -type f -exec sha256sum {} + | LC_ALL=C sort); }

# remove takes the package away from under a relay that runs, with everything
# that Debian keeps for the case that it comes back.
remove() {
	local before left
	before=$(kept)
	inside systemctl start hearth
	eventually holds machine
	inside apt-get purge -qq hearth >"$folder/purge.log"
	! holds machine || fail "the relay still runs"
	left=$(cd "$root" && find . -xdev -name '*hearth*' ! -path './home/*' ! -path './root/*' | LC_ALL=C sort | tr '\n' ' ')
	[[ $left == './var/lib/hearth ./var/lib/private/hearth ./var/lib/private/hearth/hearth.db ./var/lib/private/hearth/hearth.lock ' ]] ||
		fail "removed, and there is $left"
	[[ $(kept) == "$before" ]] || fail "something changed in the person's home"
	[[ -z $(inside systemctl list-unit-files --no-legend 'hearth*') ]] || fail "systemd still knows it"
	ok "removed; what people wrote stays"
}

# nas puts the headless program on the machine as the README says.
nas() {
	tar --extract --directory "$root/root" --strip-components=1 --file "$headless"
	inside cp /root/hearth /usr/local/bin
	inside cp /root/hearth.service /etc/systemd/system
	inside systemctl --quiet enable --now hearth
	eventually holds machine
	ok "the headless program goes on with the machine's data"
}

install
window
boot
exposure
system
user
remove
nas
