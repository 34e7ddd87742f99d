#!/usr/bin/env bash
# Usage: package.sh VERSION SYSTEM/PROCESSOR...
# Packs what was built in bin for those who have no compiler, into dist: the
# program with its window for this machine's kind, as an archive and for Debian,
# and the program without it for each SYSTEM/PROCESSOR. The same commit always
# makes the same bytes.
set -euo pipefail

version=${1#v}
shift
architecture=$(go env GOARCH)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) # dpkg-deb reads it as well
day=$(date --utc --date=@"$SOURCE_DATE_EPOCH" +%Y-%m-%d)
export SOURCE_DATE_EPOCH DPKG_DEB_THREADS_MAX=1 TZ=UTC # more threads cut compressed data in other places

dist=$PWD/dist
rm -rf "$dist"
mkdir "$dist"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# place MODE FILE TARGET copies a file with its folders.
place() { install -D --mode="$1" "$2" "$3"; }

# papers FOLDER puts there what goes along with every copy of the program.
papers() {
	place 644 README.md "$1/README.md"
	place 644 LICENSE "$1/LICENSE"
	place 644 "$scratch/licenses" "$1/THIRD-PARTY-LICENSES"
}

# desktop PREFIX puts the program with its window under a prefix such as /usr,
# and what a desktop and systemd have to know of it.
desktop() {
	local share=$1/share size icon
	place 755 bin/hearth "$1/bin/hearth"
	place 644 assets/systemd/system/hearth.service "$1/lib/systemd/system/hearth.service"
	place 644 assets/systemd/user/hearth.service "$1/lib/systemd/user/hearth.service"

	place 644 assets/hearth.desktop "$share/applications/hearth.desktop"
	desktop-file-validate "$share/applications/hearth.desktop"

	place 644 assets/hearth.metainfo.xml "$share/metainfo/hearth.metainfo.xml"
	sed -i "s/@VERSION@/$version/; s/@DATE@/$day/" "$share/metainfo/hearth.metainfo.xml"
	appstreamcli validate --no-net "$share/metainfo/hearth.metainfo.xml"

	place 644 assets/icon.svg "$share/icons/hicolor/scalable/apps/hearth.svg"
	for size in 16 22 24 32 48 64 128 256 512; do
		icon=$share/icons/hicolor/${size}x$size/apps/hearth.png
		mkdir -p "${icon%/*}"
		rsvg-convert --width "$size" --height "$size" --output "$icon" assets/icon.svg
	done
}

# archive FOLDER ENDING packs a folder of the scratch one.
archive() {
	local target=$dist/$1.$2
	# shellcheck disable=SC2054 # the comma belongs to the mode
	local tar=(tar --create --directory "$scratch" --sort=name --owner=0 --group=0 --numeric-owner
		--mode=u+rw,go=rX --mtime=@"$SOURCE_DATE_EPOCH" "$1")
	case $2 in
	tar.xz) "${tar[@]}" | xz --threads=1 -9 >"$target" ;;
	tar.gz) "${tar[@]}" | gzip --no-name -9 >"$target" ;;
	zip)
		find "$scratch/$1" -exec touch --date=@"$SOURCE_DATE_EPOCH" {} +
		(cd "$scratch" && find "$1" | LC_ALL=C sort | zip --quiet -X -9 "$target" -@)
		;;
	esac
}

# debian_version says the version so that Debian orders it: a commit without a
# tag before all versions, a candidate before its release, what came later after.
debian_version() {
	case $version in
	*[0-9].*[0-9]*) sed -E 's/-(alpha|beta|rc)/~\1/; s/-/+/g' <<<"$version" ;;
	*) echo "0~git${day//-/}.${version/-/+}" ;;
	esac
}

# debian FOLDER makes a package of the folder, which holds usr.
debian() {
	local root=$1 doc=$1/usr/share/doc/hearth libc script
	place 644 LICENSE "$doc/copyright"
	place 644 README.md "$doc/README.md"
	place 644 CHANGELOG.md "$doc/changelog"
	place 644 "$scratch/licenses" "$doc/THIRD-PARTY-LICENSES"
	gzip --no-name -9 "$doc/changelog" "$doc/THIRD-PARTY-LICENSES"

	mkdir "$root/DEBIAN"
	(cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
	# The C library of the machine that builds is the oldest that is known to do.
	libc=$(objdump --dynamic-syms bin/hearth | grep --only-matching 'GLIBC_[0-9.]*' | sort --version-sort --unique | tail -1)
	sed "s/@VERSION@/$(debian_version)/; s/@ARCHITECTURE@/$architecture/; s/@LIBC@/${libc#GLIBC_}/
		s/@MAINTAINER@/$(git log -1 --format='%an <%ae>')/; s/@SIZE@/$(du --summarize --apparent-size "$root/usr" | cut -f1)/" \
		packaging/control >"$root/DEBIAN/control"
	for script in postinst prerm postrm; do place 755 "packaging/$script" "$root/DEBIAN/$script"; done
	chmod -R go=rX,u+rw "$root"
	dpkg-deb --root-owner-group --build "$root" "$dist" >/dev/null
}

scripts/licenses.sh -tags x11,migrated_fynedo ./app >"$scratch/licenses"

name=hearth-$version-linux-$architecture
desktop "$scratch/$name"
papers "$scratch/$name"
archive "$name" tar.xz
mkdir "$scratch/deb"
desktop "$scratch/deb/usr"
debian "$scratch/deb"

for target; do
	system=${target%/*} processor=${target#*/} ending=tar.gz exe=''
	name=hearth-$version-headless-$system-$processor
	case $system in
	windows) ending=zip exe=.exe ;;
	linux) place 644 assets/systemd/system/hearth.service "$scratch/$name/hearth.service" ;;
	esac
	place 755 "bin/hearth-$system-$processor$exe" "$scratch/$name/hearth$exe"
	papers "$scratch/$name"
	archive "$name" "$ending"
done

cd "$dist"
sha256sum -- hearth* >SHA256SUMS
cat SHA256SUMS
