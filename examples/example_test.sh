#!/usr/bin/env bash
# example_test.sh EXPECTED COMMAND...: runs the command and compares what it prints. FIRSTCALL_EMULATE
# starts it if the machine cannot.
set -euo pipefail
expected=$(printf '%b' "$1")
shift
actual=$(${FIRSTCALL_EMULATE-} "$@")
if [[ "$actual" != "$expected" ]]; then
  printf 'expected:\n%s\nbut got:\n%s\n' "$expected" "$actual"
  exit 1
fi
