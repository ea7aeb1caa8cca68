#!/usr/bin/env bash
# example_test.sh EXPECTED COMMAND...: runs the command and compares what it prints with EXPECTED, or
# with what stands in a file that is given as @FILE. FIRSTCALL_EMULATE starts it if the machine cannot.
set -euo pipefail
if [[ $1 == @* ]]; then expected=$(<"${1#@}"); else expected=$(printf '%b' "$1"); fi
shift
actual=$(${FIRSTCALL_EMULATE-} "$@")
if [[ "$actual" != "$expected" ]]; then
  printf 'expected:\n%s\nbut got:\n%s\n' "$expected" "$actual"
  exit 1
fi
