#!/bin/bash
# Reads a .suite file and says what its programs and its runs are:  describe_suite.sh SUITE DIR
#
# Fetches the suite's sources into DIR and writes what build() generates there. A .suite file is bash. It
# begins with calls of `debian` or `npm`, which leave sources in $SOURCE, and defines
#
#   build()   calls `program`, and may write files into $BUILD for programs to include
#   check()   calls `run`; the suites in packages/, which are compiled and not run, have none
#
# A description is a record on standard output: what it is, the number of fields that follow, and those,
# each ended by a null byte. suite_files.py reads them.

set -euo pipefail
shopt -s extglob nullglob

# shellcheck disable=SC2034
readonly LLVM_VERSION=${LLVM_MAJOR:-19}  # For .suite files.

SUITES="$(dirname "$(realpath "${BASH_SOURCE[0]}")")"
NAME="$1"
DIR="$2"
REPOSITORY="$(realpath "$SUITES/../..")"
FILE="$SUITES/$NAME.suite"
[[ -f $FILE ]] || FILE="$SUITES/packages/$NAME.suite"
readonly SUITES NAME FILE DIR REPOSITORY FETCH_SOURCE="$REPOSITORY/third_party/debian/fetch_source.sh"
readonly ARCHIVES="$DIR/sources" SOURCE="$DIR/sources/$NAME" BUILD="$DIR/$NAME"
exec 3>&1 >&2

fail() {
  echo "$NAME.suite: $*" >&2
  exit 1
}

# Runs a command quietly; shows what it said only if it fails.
quietly() {
  "$@" >"$BUILD/log" 2>&1 || { cat "$BUILD/log" >&2; fail "failed: $*"; }
}

# ---- Sources ------------------------------------------------------------------------------------

unpack() {  # ARCHIVE DIRECTORY [MEMBER]...
  [[ -f $2/.unpacked-${1##*/} ]] && return
  rm -rf "$2"
  mkdir -p "$2"
  tar -xf "$1" -C "$2" --strip-components=1 --wildcards "${@:3}"
  touch "$2/.unpacked-${1##*/}"
}

# The upstream archive of a Debian source package, or MEMBERs of it, unpacked in $SOURCE.
debian() {  # PACKAGE[/RELEASE] ARCHIVE SHA256 [MEMBER]...
  "$FETCH_SOURCE" "$ARCHIVES" "${@:1:3}"
  unpack "$ARCHIVES/$2" "$SOURCE" "${@:4}"
}

# An npm package, unpacked in $SOURCE/npm.
npm() {  # PACKAGE ARCHIVE SHA256
  local archive="$ARCHIVES/$2"
  [[ -f $archive ]] ||
    (cd "$ARCHIVES" && quietly command npm pack --cache "$BUILD/npm-cache" "$1")
  echo "$3  $archive" | sha256sum --check --status ||
    fail "$archive does not have the pinned SHA-256 $3"
  unpack "$archive" "$SOURCE/npm"
}

# ---- Descriptions -------------------------------------------------------------------------------

describe() {  # KIND FIELDS...
  printf '%s\0' "$1" "$(($# - 1))" "${@:2}" >&3
}

# A program of C and C++ files. The archives are given to firstcall with --extra-archive. Libraries
# (-lNAME) are for the native executable.
program() {  # NAME FLAGS... -- FILES... [-- ARCHIVES AND LIBRARIES...]
  describe program "$@"
}

# A run of a program. Options:
#   --name=NAME       tells it from others with the same arguments
#   --data=PATH       is copied into the directory it runs in
#   --input=FILE      standard input
#   --edit=SCRIPT     for sed -E: takes out of the output what differs from run to run
#   --status-only     compares the exit status only
#   --expected=FILE   what the suite says --result=FILE (stdout if not given) must be
run() {  # OPTIONS... PROGRAM ARGUMENTS...
  describe run "$@"
}

mkdir -p "$ARCHIVES" "$BUILD"
# shellcheck source=/dev/null
source "$FILE"
build
if declare -F check >/dev/null; then check; fi
