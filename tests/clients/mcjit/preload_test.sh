#!/bin/bash
# libfirstcall_mcjit.so in programs that know nothing of it: preload_test.sh LIBRARY LINKED LATE NONE
# LINKED and LATE are client.c, linked with LLVM and without; NONE is without_llvm.c.

set -euo pipefail

library="$(realpath "$1")"
linked="$2"
late="$3"
none="$4"

fail() {
  echo "preload_test: $*" >&2
  exit 1
}

preload() {  # LIBRARY COMMAND...
  local preloaded="$1"
  shift
  if [[ -v FIRSTCALL_EMULATE ]]; then
    QEMU_SET_ENV="LD_PRELOAD=$preloaded" $FIRSTCALL_EMULATE "$@"  # The emulator itself must not load it.
  else
    LD_PRELOAD="$preloaded" "$@"
  fi
}

expect_lazy() {  # WHAT COMMAND...
  local what="$1" out
  shift
  out="$(FIRSTCALL_STATS=1 preload "$library" "$@" 2>&1)" || fail "$what failed: $out"
  [[ $out == *42* ]] || fail "$what did not print its result: $out"
  [[ $out == *"MCJIT engine 1: 'client': lazy"* ]] || fail "$what is not lazy: $out"
}
expect_lazy "the linked client" "$linked"
expect_lazy "the client that loads LLVM" "$late" "libLLVM.so.${LLVM_MAJOR:-19}.1"

out="$(FIRSTCALL_OPTIONS=--mode=mcjit FIRSTCALL_STATS=1 preload "$library" "$linked" 2>&1)"
[[ $out == *"not lazy: FIRSTCALL_OPTIONS says so"* && $out == *42* ]] || fail "--mode=mcjit: $out"

out="$(FIRSTCALL_OPTIONS=--what preload "$library" "$linked" 2>&1)"
[[ $out == *"'--what' is not an option"* && $out == *42* ]] || fail "a wrong option: $out"

[[ $(preload "$library" "$none") == end ]] || fail "a process without LLVM has more than it needs"

# Without the engine's library MCJIT stays as it is.
alone="$TEST_TMPDIR/libfirstcall_mcjit.so"
cp "$library" "$alone"
out="$(preload "$alone" "$linked" 2>&1)" || fail "without the engine: $out"
[[ $out == *"MCJIT stays as it is"*libfirstcall_mcjit_engine.so* && $out == *42* ]] ||
  fail "without the engine: $out"
