#!/bin/bash
# Makes the files of a release from its tag:  tools/release.sh TAG DIR [BAZEL-OPTION...]
#
#   firstcall-VERSION.tar.gz                     the source
#   firstcall-VERSION-linux-ARCHITECTURE.tar.gz  what tools/install.sh installs; may be unpacked anywhere. With the
#                                                option --config=llvm22, -llvm22 follows the architecture
#   *.deb                                        Debian packages
#   firstcall-VERSION-reference.tar.gz           the reference of the headers
#   notes.md                                     what CHANGELOG.md says of it
#   SHA256SUMS
#
# The tag is v and the version, and CHANGELOG.md at the tag has a dated section of that version. Everything
# is built from a fresh clone of the tag, with the time of its commit, so that local changes are not in it.
# Needs what setup.sh installs, dpkg-dev and doxygen. CONTRIBUTING.md says what to do before and after.
set -euo pipefail

fail() {
  echo "release.sh: $*" >&2
  exit 1
}
say() { echo "release.sh: $*"; }

(($# >= 2)) || fail "usage: tools/release.sh TAG DIR [BAZEL-OPTION...]"
readonly REPOSITORY=$(cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.." && pwd)
readonly TAG=$1
mkdir -p "$2"
readonly DIR=$(cd "$2" && pwd)
shift 2
for tool in doxygen dpkg-shlibdeps; do
  command -v $tool >/dev/null || fail "$tool is missing (Debian packages doxygen and dpkg-dev)"
done
git -C "$REPOSITORY" rev-parse --verify --quiet "refs/tags/$TAG^{commit}" >/dev/null ||
  fail "there is no tag $TAG"
[[ -z $(ls -A "$DIR") ]] || fail "$DIR is not empty"

readonly WORK=$(mktemp -d)
readonly SOURCE=$WORK/firstcall
git -c advice.detachedHead=false clone --quiet --branch "$TAG" "$REPOSITORY" "$SOURCE"
cd "$SOURCE"
clean_up() {
  bazel clean --expunge &>/dev/null || true
  rm -rf "$WORK"
}
trap clean_up EXIT
readonly VERSION=$(sed -n 's/^VERSION = "\(.*\)"$/\1/p' version.bzl)
[[ $TAG == "v$VERSION" ]] || fail "version.bzl at $TAG has version $VERSION, so the tag should be v$VERSION"
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
heading=$(grep -E "^## $VERSION \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md) ||
  fail "CHANGELOG.md at $TAG has no line '## $VERSION (YYYY-MM-DD)'"
awk -v heading="$heading" '$0 == heading {on = 1; next} /^## / {on = 0} on' CHANGELOG.md >"$DIR/notes.md"
grep -q . "$DIR/notes.md" || fail "CHANGELOG.md says nothing of $VERSION"

# pack FILE DIRECTORY NAME: an archive that does not tell who has made it, or when.
pack() {
  tar -C "$2" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$3" |
    gzip -9n >"$DIR/$1"
  say "$1"
}

git archive --prefix="firstcall-$VERSION/" HEAD | gzip -9n >"$DIR/firstcall-$VERSION.tar.gz"
say "firstcall-$VERSION.tar.gz"

readonly OF_LLVM=$(printf '%s\n' "$@" | sed -n 's/^--config=\(llvm[0-9]*\)$/-\1/p')
readonly NAME=firstcall-$VERSION-linux-$(uname -m)$OF_LLVM
bazel run -c opt "$@" //install -- --prefix="/$NAME" --destdir="$WORK/tree" --strip
pack "$NAME.tar.gz" "$WORK/tree" "$NAME"

bazel run -c opt "$@" //install/debian:build_packages -- "$DIR"

bazel run "$@" //install/reference:make_reference -- "$WORK/reference"
mv "$WORK/reference/html" "$WORK/reference/firstcall-$VERSION-reference"
pack "firstcall-$VERSION-reference.tar.gz" "$WORK/reference" "firstcall-$VERSION-reference"

cd "$DIR"
sha256sum -- * >"$WORK/SHA256SUMS"
mv "$WORK/SHA256SUMS" .
say "done: $DIR"
