#!/bin/bash
# Tests what run_damaged.py says about paths that are wrong:  run_damaged_test.sh RUN_DAMAGED
set -euo pipefail
readonly run_damaged=$1

# expect LINE ARGUMENT...: the tool prints LINE, and nothing else, and exits with 2.
expect() {
  local code=0 line=$1 printed
  shift
  printed=$("$run_damaged" "$@" 2>&1) || code=$?
  [[ $code == 2 && $printed == "$line" ]] && return
  printf 'exit code %s, printed:\n%s\n' "$code" "$printed"
  exit 1
}

expect "run_damaged.py: --firstcall=/no/command: no such command, or not executable" \
  --firstcall=/no/command "$run_damaged"
expect "run_damaged.py: --firstcall=/dev/null: no such command, or not executable" \
  --firstcall=/dev/null "$run_damaged"
expect "run_damaged.py: /no/file.bc: no such file" --firstcall=/bin/true /no/file.bc
