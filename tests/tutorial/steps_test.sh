#!/bin/bash
# The programs of the tutorial do what its page says:
#   steps_test.sh PRIMES STEP2 STEP3 STEP4 STEP5 STEP6
set -euo pipefail
readonly primes=$1 ir=$2 run=$3 optimize=$4 cache=$5 debug=$6

fail() {
  echo "steps_test: $*" >&2
  exit 1
}
# expect EXPECTED COMMAND...
expect() {
  local expected=$1 out
  shift
  out=$(${FIRSTCALL_EMULATE-} "$@" 2>&1) || fail "$* failed: $out"
  [[ $out == $expected ]] || fail "$* prints: $out"
}

# LLVM's own tool reads the IR, and says that it is valid.
${FIRSTCALL_EMULATE-} "$ir" "$primes" >"$TEST_TMPDIR/primes.ll"
"opt-${LLVM_MAJOR:-19}" -passes=verify -disable-output "$TEST_TMPDIR/primes.ll" || fail "LLVM refuses the IR"

# There are 25 primes below 100 and 1,229 below 10,000.
expect $'25\ncompiled: 3 of 4' "$run" "$primes" 100
if [[ -v FIRSTCALL_EMULATE ]]; then
  expect $'1229\ncompiled: 3 of 4\noptimized while it ran: *' "$optimize" "$primes" 10000
else
  expect $'41538\ncompiled: 3 of 4\noptimized while it ran: yes' "$optimize" "$primes" 500000
fi
expect $'25\ncompiled: 3*' "$cache" "$primes" 100 "$TEST_TMPDIR/cache"
expect $'25\ncompiled: 0*' "$cache" "$primes" 100 "$TEST_TMPDIR/cache"
expect $'25\ncompiled: 3 of 4' "$debug" "$primes" 100

# The language, in a program whose results are known from arithmetic.
cat >"$TEST_TMPDIR/language.peb" <<'END'
fun fib(n) { if n < 2 { return n } else { return fib(n - 1) + fib(n - 2) } }
fun start(n) {
  print(fib(n))            # A function that calls itself.
  print(2 + 3 * 4 - 10 / 4)
  print((2 + 3) * -4)
  print(7 % 4 == 3)
  print(1 != 1)
  print(1 <= 2 >= 1)
  let i = 0
  while i < 3 { i = i + 1 if i == 2 { print(i * 100) } }
  print(nothing())
}
fun nothing() { }
END
expect $'6765\n11.5\n-20\n1\n0\n1\n200\n0\ncompiled: 3 of 3' "$run" "$TEST_TMPDIR/language.peb" 20

refused() { # TEXT MESSAGE
  printf '%b' "$1" >"$TEST_TMPDIR/wrong.peb"
  local out
  out=$(${FIRSTCALL_EMULATE-} "$run" "$TEST_TMPDIR/wrong.peb" 1 2>&1) && fail "this is run: $1"
  [[ $out == "$2" ]] || fail "of '$1' it says: $out"
}
refused 'fun start(n) {\n  return m\n}' "line 2: there is no variable 'm'"
refused 'fun start(n) { return f(1) }' "line 1: there is no function 'f'"
refused 'fun f(a) { return a }\nfun start(n) {\n  return f(1, 2)\n}' "line 3: 'f' takes 1 arguments, not 2"
refused 'fun start(n) { }\nfun start(n) { }' "line 2: 'start' is defined twice"
refused 'fun f(a, a) { }' "line 1: 'a' is defined twice"
refused 'fun f() { return (1 + }' "line 1: expected a name but found '}'"

# A debugger.
if [[ -v FIRSTCALL_EMULATE || -v ASAN_OPTIONS || -v TSAN_OPTIONS ]] || ! command -v gdb >/dev/null; then
  echo "skipped: there is no debugger here, or a sanitizer does not work with one"
  exit 0
fi
out=$(gdb -q -nx -batch -ex 'set breakpoint pending on' -ex 'break is_prime' -ex run -ex 'backtrace 2' \
  -ex next -ex 'info locals' -ex up -ex 'print count' --args "$debug" "$primes" 100 2>&1)
if [[ $out == *ptrace* ]]; then
  echo "skipped: gdb cannot debug here"
  exit 0
fi
for expected in "is_prime (n=2) at" "primes.peb:4" $'4\t  let d = 2' "in count_primes (limit=100)" "primes.peb:16" \
  $'5\t  while d * d <= n {' "d = 2" '$1 = 0'; do
  [[ $out == *"$expected"* ]] || fail "gdb does not say '$expected': $out"
done
