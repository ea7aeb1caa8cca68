#!/bin/bash
# Runs other people's test programs on firstcall:
#   bazel run -c opt //tests/suites:run_suites -- [--suite=NAME]... [--option=OPTION]... DIR
#
# Fetches the sources into DIR, each archive pinned by its SHA-256, and compiles every program three
# times: to bitcode with debug information at -O0, a file for each source file; to bitcode at -O2,
# linked into one file; and ahead of time, from the latter. Each run of a program happens three
# times too, in directories of its own: what it prints, its exit status and the files it leaves are
# compared with those of the program compiled ahead of time, and with what the suite itself expects
# where it says so.
#
#   --suite=NAME        only that suite: one of the .suite files beside this script
#   --option=OPTION     a further option for firstcall
#   --firstcall=PATH    another firstcall than the one Bazel built
#
# Where firstcall is built for AArch64 (bazel run --config=aarch64 ...), so are the programs, and on a
# machine of another architecture all of them run in the emulator.
#
# The last line is "N suites, N runs, N failed"; the status is 0 if none failed. What a failed run
# left stands in the directory that is named. A second run fetches and compiles nothing.
#
# Needs what setup.sh installs, apt-get, and npm for SQLite; no root. DEBIAN_MIRROR names another
# mirror than deb.debian.org.
#
# A .suite file is bash. It begins with calls of `debian` or `npm`, which leave sources in $SOURCE,
# and defines build(), which calls `program`, and check(), which calls `run`.

set -euo pipefail
shopt -s extglob nullglob

readonly LLVM_VERSION=19
readonly TIME_LIMIT=600  # seconds a run

SCRIPT="$(realpath "${BASH_SOURCE[0]}")"
SUITES="$(dirname "$SCRIPT")"
readonly SCRIPT SUITES FETCH_SOURCE="$SUITES/../../third_party/debian/fetch_source.sh"

usage() {
  echo "usage: $0 [--suite=NAME]... [--option=OPTION]... [--firstcall=PATH] DIR" >&2
  exit 2
}

fail() {
  echo "run_suites: $*" >&2
  exit 1
}

# Runs a command quietly; shows what it said only if it fails.
quietly() {
  "$@" >"$BUILD/log" 2>&1 || { cat "$BUILD/log" >&2; fail "failed: $*"; }
}

# ---- Sources ------------------------------------------------------------------------------------

unpack() {  # ARCHIVE DIRECTORY
  [[ -f $2/.unpacked ]] && return
  rm -rf "$2"
  mkdir -p "$2"
  tar -xf "$1" -C "$2" --strip-components=1
  touch "$2/.unpacked"
}

# The upstream archive of a Debian source package, unpacked in $SOURCE.
debian() {  # PACKAGE ARCHIVE SHA256
  "$FETCH_SOURCE" "$DIR/archives" "$@"
  unpack "$DIR/archives/$2" "$SOURCE"
}

# An npm package, unpacked in $SOURCE/npm.
npm() {  # PACKAGE ARCHIVE SHA256
  local archive="$DIR/archives/$2"
  [[ -f $archive ]] ||
    (cd "$DIR/archives" && quietly command npm pack --cache "$BUILD/npm-cache" "$1")
  echo "$3  $archive" | sha256sum --check --status ||
    fail "$archive does not have the pinned SHA-256 $3"
  unpack "$archive" "$SOURCE/npm"
}

# ---- Programs -----------------------------------------------------------------------------------

# Compiles a source file twice, and leaves the bitcode in $BUILD/objects for other programs that
# compile it in the same way. Prints the name, which .O0.bc and .O2.bc are appended to.
compile() {  # FILE FLAGS...
  local driver="clang++-$LLVM_VERSION" name="$BUILD/objects/${1##*/}"
  [[ $1 != *.c ]] || driver="clang-$LLVM_VERSION"
  name+="-$(echo "$*" | sha256sum | cut -c1-12)"
  if [[ ! -f $name.O2.bc ]]; then
    # shellcheck disable=SC2086
    "$driver" $TARGET_OPTION -O0 -g "${@:2}" -w -emit-llvm -c "$1" -o "$name.O0.bc" &&
      "$driver" $TARGET_OPTION -O2 "${@:2}" -w -emit-llvm -c "$1" -o "$name.O2.bc" || return
  fi
  echo "$name"
}
export LLVM_VERSION
export -f compile

# Makes a program of C and C++ files. The archives are given to firstcall with --extra-archive.
program() {  # NAME FLAGS... -- FILES... [-- ARCHIVES...]
  local prefix="$BUILD/$1" flags=() files=() objects=() optimized=()
  shift
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  while (($# > 0)) && [[ $1 != -- ]]; do files+=("$1"); shift; done
  (($# == 0)) || shift
  mkdir -p "$prefix" "$BUILD/objects"
  # shellcheck disable=SC2016
  printf '%s\0' "${files[@]}" |
    xargs -0 -P "$(nproc)" -I{} bash -c 'compile "$@"' compile {} "${flags[@]}" \
      >"$prefix/objects" 2>"$BUILD/log" || { cat "$BUILD/log" >&2; fail "cannot compile $prefix"; }
  printf '%s\n' "$@" >"$prefix/archives"
  sort -o "$prefix/objects" "$prefix/objects"
  mapfile -t objects <"$prefix/objects"
  optimized=("${objects[@]/%/.O2.bc}")
  quietly "llvm-link-$LLVM_VERSION" "${optimized[@]}" -o "$prefix/linked.bc"
  # shellcheck disable=SC2086
  quietly "clang++-$LLVM_VERSION" $TARGET_OPTION -O2 "$prefix/linked.bc" "$@" -rdynamic -pthread \
    -o "$prefix/native" -lm
}

# ---- Runs ---------------------------------------------------------------------------------------

# Sets `command` to what runs a program in one of the three ways.
make_command() {  # PROGRAM native|O0|O2
  local prefix="$BUILD/$1" archive object
  if [[ $2 == native ]]; then
    if ((${#EMULATE[@]} > 0)); then
      command=("${EMULATE[@]}" -0 "$1" "$prefix/native")
    else
      # shellcheck disable=SC2016
      command=(bash -c 'exec -a "$0" "$@"' "$1" "$prefix/native")
    fi
    return
  fi
  command=("${EMULATE[@]}" "$FIRSTCALL" "${OPTIONS[@]}" "--fake-argv0=$1")
  while read -r archive; do
    [[ -z $archive ]] || command+=("--extra-archive=$archive")
  done <"$prefix/archives"
  if [[ $2 == O2 ]]; then
    command+=("$prefix/linked.bc")
    return
  fi
  # The last of the files is the one that is not extra.
  while read -r object; do command+=("--extra-module=$object.O0.bc"); done <"$prefix/objects"
  command[-1]="${command[-1]#*=}"
}

# Runs a program in a directory of its own. Leaves there what it printed and its exit status.
run_once() {  # DIRECTORY COMMAND...
  local directory="$1" status=0
  shift
  mkdir -p "$directory"
  [[ ${#data[@]} == 0 ]] || cp -r "${data[@]}" "$directory"
  (cd "$directory" && exec timeout "$TIME_LIMIT" "$@") \
    <"$input" >"$directory/stdout" 2>"$directory/stderr" || status=$?
  echo "$status" >"$directory/status"
  if [[ -n $edit ]]; then sed -E -i "$edit" "$directory/stdout" "$directory/stderr"; fi
}

# Prints what is wrong with a run, in one line; nothing if nothing is.
find_fault() {  # DIRECTORY REFERENCE
  if [[ $status_only == 1 ]]; then
    cmp -s "$1/status" "$2/status" || echo "exit status $(<"$1/status"), not $(<"$2/status")"
    return
  fi
  diff -r "$2" "$1" >"$1.difference" 2>&1 || { echo "differs: $1.difference"; return; }
  [[ -z $expected ]] || diff "$expected" "$1/$result" >"$1.difference" 2>&1 ||
    echo "not as expected: $1.difference"
}

# Runs a program in the three ways and records how that went. Options:
#   --data=PATH       is copied into the directory it runs in
#   --input=FILE      standard input
#   --edit=SCRIPT     for sed -E: takes out of the output what differs from run to run
#   --status-only     compares the exit status only
#   --expected=FILE   what the suite says --result=FILE (stdout if not given) must be
run() {  # OPTIONS... PROGRAM ARGUMENTS...
  local data=() input=/dev/null edit='' status_only=0 expected='' result=stdout command=() way fault
  while [[ $1 == -* ]]; do
    case "$1" in
      --data=*) data+=("${1#*=}") ;;
      --input=*) input="${1#*=}" ;;
      --edit=*) edit="${1#*=}" ;;
      --status-only) status_only=1 ;;
      --expected=*) expected="${1#*=}" ;;
      --result=*) result="${1#*=}" ;;
      *) fail "unknown option of a run: $1" ;;
    esac
    shift
  done
  local scratch="$BUILD/runs/$((++run_number))"
  rm -rf "$scratch"
  for way in native O0 O2; do
    make_command "$1" "$way"
    run_once "$scratch/$way" "${command[@]}" "${@:2}"
    fault="$(find_fault "$scratch/$way" "$scratch/native")"
    if [[ $way == native ]]; then
      (($(<"$scratch/native/status") < 124)) || fault="no reference: see $scratch/native"
      [[ -z $fault ]] || fail "$* compiled ahead of time: $fault"
    elif [[ -z $fault ]]; then
      echo passed >>"$RESULTS"
    else
      echo failed >>"$RESULTS"
      echo "FAILED: $NAME: $* ($way bitcode): $fault"
    fi
  done
}

# ---- Suites -------------------------------------------------------------------------------------

# What a suite's programs depend on: its file, this script, the compiler.
fingerprint() {
  { cat "$SCRIPT" "$SUITES/$NAME.suite"; "clang-$LLVM_VERSION" --version; } |
    sha256sum | cut -d' ' -f1
}

run_suite() {
  readonly SOURCE="$DIR/$NAME/source" BUILD="$DIR/$NAME/build${TARGET_OPTION:+-aarch64}"
  export BUILD TARGET_OPTION  # for compile()
  mkdir -p "$BUILD" "$DIR/archives"
  # shellcheck source=/dev/null
  source "$SUITES/$NAME.suite"
  local stamp="$BUILD/.fingerprint" wanted run_number=0
  wanted="$(fingerprint)"
  if [[ ! -f $stamp || $(<"$stamp") != "$wanted" ]]; then
    echo "$NAME: compiling" >&2
    rm -rf "$BUILD"
    mkdir -p "$BUILD"
    build
    echo "$wanted" >"$stamp"
  fi
  echo "$NAME: running" >&2
  rm -rf "$BUILD/runs"
  check
}

# Bazel runs us elsewhere, and names firstcall relative to there, before what the user says.
FIRSTCALL=
OPTIONS=()
names=()
directory=
for argument in "$@"; do
  case "$argument" in
    --firstcall=*)
      FIRSTCALL="${argument#*=}"
      [[ -x $FIRSTCALL ]] || FIRSTCALL="${BUILD_WORKING_DIRECTORY:-.}/$FIRSTCALL"
      ;;
    --suite=*) names+=("${argument#*=}") ;;
    --option=*) OPTIONS+=("${argument#*=}") ;;
    -*) usage ;;
    *)
      [[ -z $directory ]] || usage
      directory="$argument"
      ;;
  esac
done
[[ -n $directory ]] || usage
[[ -x $FIRSTCALL ]] || fail "no firstcall to run: $FIRSTCALL"
FIRSTCALL="$(realpath "$FIRSTCALL")"
cd "${BUILD_WORKING_DIRECTORY:-.}"
mkdir -p "$directory"
DIR="$(cd "$directory" && pwd)"
readonly FIRSTCALL OPTIONS DIR RESULTS="$DIR/results"

TARGET_OPTION=
EMULATE=()
# e_machine of the ELF header: 183 is AArch64.
if (($(od -A n -t u1 -j 18 -N 1 "$FIRSTCALL") == 183)); then
  TARGET_OPTION=--target=aarch64-linux-gnu
  [[ $(uname -m) == aarch64 ]] || EMULATE=(/usr/bin/qemu-aarch64-static)
fi
readonly TARGET_OPTION EMULATE

if ((${#names[@]} == 0)); then
  for file in "$SUITES"/*.suite; do names+=("$(basename "$file" .suite)"); done
fi
for NAME in "${names[@]}"; do
  [[ -f $SUITES/$NAME.suite ]] || fail "there is no suite $NAME"
done

: >"$RESULTS"
for NAME in "${names[@]}"; do
  (run_suite)
done
runs=$(wc -l <"$RESULTS")
failed=$(grep -c failed "$RESULTS" || true)
echo "${#names[@]} suites, $runs runs, $failed failed"
((failed == 0))
