#!/bin/bash
# Builds the examples with CMake:  cmake_test.sh INSTALL VERSION C_INTERFACE REPL_EXPECTED
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/installed.sh"

readonly build=$TEST_TMPDIR/build
readonly try=$TEST_TMPDIR/try
run() { "$@" >"$TEST_TMPDIR/log" 2>&1 || fail "failed: $* $(<"$TEST_TMPDIR/log")"; }
run cmake -S "$prefix/share/doc/firstcall/examples" -B "$build" -DCMAKE_PREFIX_PATH="$prefix"
run cmake --build "$build"
expect_examples "$build" "$4"

# Which versions and components are found.
mkdir "$try"
finds() { # ARGUMENT...
  printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' 'project(Try C)' \
    "find_package(Firstcall $* REQUIRED)" 'message(STATUS "got ${Firstcall_VERSION}")' >"$try/CMakeLists.txt"
  cmake -S "$try" -B "$try/build" -DCMAKE_PREFIX_PATH="$prefix" >"$TEST_TMPDIR/log" 2>&1
}
IFS=. read -r major minor patch <<<"$VERSION"
finds "$VERSION" EXACT || fail "this version is not found: $(<"$TEST_TMPDIR/log")"
grep -q "got $VERSION" "$TEST_TMPDIR/log" || fail "another version is found: $(<"$TEST_TMPDIR/log")"
finds "$major.$minor" || fail "the minor version is not found: $(<"$TEST_TMPDIR/log")"
! finds "$major.$((minor + 1))" || fail "a later version is found"
! finds "$((major + 1))" || fail "a later major version is found"
! finds COMPONENTS Cobol || fail "a component is found that there is not"
grep -q "no component Cobol" "$TEST_TMPDIR/log" || fail "no reason is given: $(<"$TEST_TMPDIR/log")"
