#!/usr/bin/env bash
# example_test.sh EXPECTED COMMAND...: runs the command and compares its output with EXPECTED, or
# with the contents of FILE if EXPECTED is @FILE. If FIRSTCALL_EMULATE is set, that command runs it, and
# also the program after an argument '--', which COMMAND starts.
set -euo pipefail
if [[ $1 == @* ]]; then expected=$(<"${1#@}"); else expected=$(printf '%b' "$1"); fi
shift
command=(${FIRSTCALL_EMULATE-})
for argument; do
  if [[ $argument == -- ]]; then command+=(${FIRSTCALL_EMULATE-}); else command+=("$argument"); fi
done
actual=$("${command[@]}")
if [[ "$actual" != "$expected" ]]; then
  printf 'expected:\n%s\nbut got:\n%s\n' "$expected" "$actual"
  exit 1
fi
