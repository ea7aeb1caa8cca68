#!/bin/bash
# Makes the reference of the public headers with Doxygen; the build gives the first two arguments:
#   make_reference.sh VERSION C_INTERFACE DIR
#
# DIR gets html/. Warnings of Doxygen are errors.
set -euo pipefail

readonly VERSION=$1

fail() {
  echo "make_reference: $*" >&2
  exit 1
}
(($# == 3)) || fail "usage: make_reference DIR"
command -v doxygen >/dev/null || fail "doxygen is missing (Debian package doxygen)"
readonly OUTPUT=$(cd "${BUILD_WORKING_DIRECTORY-.}" && mkdir -p "$3" && cd "$3" && pwd)
readonly INCLUDE=$(mktemp -d)
trap 'rm -rf "$INCLUDE"' EXIT

mkdir "$INCLUDE/firstcall"
cp clients/capi/firstcall.h "$INCLUDE/firstcall/"
mapfile -t headers <install/public_headers.txt
install/headers.py . "$INCLUDE/firstcall" "${headers[@]}"
cp install/reference/main_page.md "$INCLUDE/main_page.md"
sed -e "s|@VERSION@|$VERSION|" -e "s|@OUTPUT@|$OUTPUT|" -e "s|@INCLUDE@|$INCLUDE|g" \
  -e "s|@MAIN_PAGE@|$INCLUDE/main_page.md|g" -e "s|@FILTER@|$PWD/install/reference/comments.py|" \
  install/reference/Doxyfile.in >"$INCLUDE/Doxyfile"
doxygen "$INCLUDE/Doxyfile" || fail "Doxygen warns"
