#!/bin/bash
# Builds the examples with Meson:  meson_test.sh INSTALL VERSION C_INTERFACE REPL_EXPECTED
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/installed.sh"

readonly build=$TEST_TMPDIR/build
run() { "$@" >"$TEST_TMPDIR/log" 2>&1 || fail "failed: $* $(<"$TEST_TMPDIR/log")"; }
# Debian's name of llvm-config has the version in it.
printf '[binaries]\nllvm-config = %s\n' "'$(command -v "llvm-config-$LLVM")'" >"$TEST_TMPDIR/native"
run meson setup "$build" "$prefix/share/doc/firstcall/examples" --native-file "$TEST_TMPDIR/native" \
  -Dpkg_config_path="$prefix/lib/pkgconfig"
run ninja -C "$build"
expect_examples "$build" "$4"
