#!/usr/bin/env bash
# The executing process of an example has nothing of LLVM:  without_llvm_test.sh PROGRAM
set -euo pipefail
symbols=$(nm --demangle "$1")
needed=$(readelf --dynamic "$1" | grep NEEDED)
grep --quiet 'ServeExecutor' <<<"$symbols"  # These are its symbols.
if grep 'llvm::' <<<"$symbols" || grep --ignore-case llvm <<<"$needed"; then
  echo "$1 has LLVM" >&2
  exit 1
fi
