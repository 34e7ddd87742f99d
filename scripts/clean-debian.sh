#!/usr/bin/env bash
# Usage: clean-debian.sh TARBALL PACKAGE.deb
# Leaves in TARBALL a Debian 12 as it comes, with systemd. What the package
# depends on is downloaded in it, not installed, so that installing the package
# there needs no network. Made anew when the package depends on something else.
set -euo pipefail

tarball=$1
depends=$(dpkg-deb --field "$2" Depends)
stamp=$tarball.for
if [[ -f $tarball && -f $stamp && $(<"$stamp") == "$depends" ]]; then
	exit 0
fi
if ((EUID != 0)); then
	exec sudo "$0" "$@"
fi
echo "Making a clean Debian for: $depends"

root=$(mktemp -d)
chmod 755 "$root" # apt downloads as a user of its own
trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase --include=systemd-sysv,dbus,libpam-systemd bookworm "$root" >"$root.log" ||
	{ tail "$root.log"; exit 1; }
rm "$root.log"
cp /etc/resolv.conf "$root/etc/resolv.conf"
chroot "$root" apt-get clean
chroot "$root" apt-get update -qq
chroot "$root" apt-get satisfy -qq --download-only --no-install-recommends "$depends" >/dev/null
# Whoever unpacks it brings devices along.
tar --create --directory "$root" --exclude='./dev/*' --file "$tarball.part" .
mv "$tarball.part" "$tarball"
echo "$depends" >"$stamp"
