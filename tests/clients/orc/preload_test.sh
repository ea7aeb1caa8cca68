#!/bin/bash
# libfirstcall_orc.so in programs that know nothing of it:
#   preload_test.sh LIBRARY CLIENT LAZY SESSION NONE
# CLIENT is client.c, LAZY is lazy_client.cc, SESSION is session_client.cc; NONE is without_llvm.c.

set -euo pipefail

library="$(realpath "$1")"
client="$2"
lazy="$3"
session="$4"
none="$5"

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

expect() {  # WHAT TEXT COMMAND...
  local what="$1" text="$2" out
  shift 2
  out="$(FIRSTCALL_STATS=1 preload "$library" "$@" 2>&1)" || fail "$what failed: $out"
  [[ $out == *42* ]] || fail "$what did not print its result: $out"
  [[ $out == *"$text"* ]] || fail "$what does not say '$text': $out"
}
expect "the client in C" "LLJIT 1: the baseline compiles" "$client" none
expect "the client in C" "functions by the baseline code generator: 1," "$client" none
expect "the client at LLVM's level" "LLJIT 1: LLVM compiles: the level of optimization" "$client"
expect "the lazy client" "LLJIT 1: the baseline compiles" "$lazy"
expect "the lazy client" "functions by the baseline code generator: 2," "$lazy"
FIRSTCALL_OPTIONS=--baseline=always expect "--baseline=always" "LLJIT 1: the baseline compiles" "$client"
FIRSTCALL_OPTIONS=--baseline=off expect "--baseline=off" "LLVM compiles: the client's options" "$client" none
for program in "$client" "$lazy"; do
  FIRSTCALL_OPTIONS=--lazy=on expect "a lazy layer" "LLJIT ends: its lazy layer" "$program"
  FIRSTCALL_OPTIONS=--lazy=on expect "a lazy layer" "compiler made for   nothing" "$program"
done
FIRSTCALL_OPTIONS=--lazy=on expect "a lazy layer" "functions compiled           2" "$lazy"
FIRSTCALL_OPTIONS=--what expect "a wrong option" "'--what' is not an option" "$client"

out="$(preload "$library" "$client" none 2>&1)"
[[ $out == 42 ]] || fail "something is said without FIRSTCALL_STATS: $out"

# A client with an executor of its own: its modules are compiled where they are, unless it asks for concurrency, or LLVM
# compiles.
expect_copies() {  # COPIES ARGUMENT...
  local copies="$1" out
  shift
  out="$(preload "$library" "$session" "$@" 2>&1)" || fail "the client with an executor failed: $out"
  [[ $out == "$copies copies, sum 240" ]] || fail "the client with an executor ($*), $copies copies expected: $out"
}
expect_copies 0
expect_copies 16 asks
FIRSTCALL_OPTIONS=--baseline=off expect_copies 16

[[ $(preload "$library" "$none") == end ]] || fail "a process without LLVM has more than it needs"

# Without the engine's library ORC stays as it is.
alone="$TEST_TMPDIR/libfirstcall_orc.so"
cp "$library" "$alone"
for program in "$client" "$lazy"; do
  out="$(preload "$alone" "$program" 2>&1)" || fail "without the engine: $out"
  [[ $out == *"ORC stays as it is"*libfirstcall_orc_engine.so* && $out == *42* ]] ||
    fail "without the engine: $out"
done
