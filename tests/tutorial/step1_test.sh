#!/bin/bash
# Step 1 reads programs, and says what is wrong with others:  step1_test.sh STEP1 PRIMES
set -euo pipefail
readonly step1=$1 primes=$2

fail() {
  echo "step1_test: $*" >&2
  exit 1
}
run() { ${FIRSTCALL_EMULATE-} "$step1" "$1" 2>&1; }

out=$(run "$primes") || fail "the program is refused: $out"
[[ $out == *"  5:  while  (<= (* d d) n)"* ]] || fail "the loop is read otherwise: $out"

refused() { # TEXT MESSAGE
  printf '%b' "$1" >"$TEST_TMPDIR/wrong.peb"
  local out
  out=$(run "$TEST_TMPDIR/wrong.peb") && fail "this is read: $1"
  [[ $out == "$2" ]] || fail "of '$1' it says: $out"
}
refused 'fun f() {\n  let = 2\n}' "line 2: expected a name but found '='"
refused 'fun f( {}' "line 1: expected a name but found '{'"
refused 'fun f() { return 1 ' "line 1: expected a name but found the end"
refused 'f()' "line 1: expected 'fun' but found 'f'"
