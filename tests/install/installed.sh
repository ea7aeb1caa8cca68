# To be sourced by the tests of this folder, which get these arguments:  INSTALL VERSION C_INTERFACE
# Installs firstcall and moves the tree to another prefix, which is $prefix then. The array install_options, if
# there is one, has further options.

fail() {
  echo "$(basename "$0" .sh): $*" >&2
  exit 1
}

if [[ -v FIRSTCALL_EMULATE ]]; then
  echo "skipped: there are no libraries of the other architecture for what is compiled here"
  exit 0
fi

# expect WHAT EXPECTED COMMAND...
expect() {
  local what=$1 expected=$2 actual
  shift 2
  actual=$("$@" 2>&1) || fail "$what failed: $actual"
  [[ $actual == "$expected" ]] || fail "$what printed: $actual"
}

# The examples that stand in a directory, built.
expect_examples() { # DIRECTORY REPL-EXPECTED
  local examples=$prefix/share/doc/firstcall/examples
  expect "embed.c" $'square(7) = 49\ncube(3) = 27' "$1/embed_c"
  expect "embed.cc" $'square(7) = 49\ncompiled: 1 of 2' "$1/embed_cc"
  expect "memory.c" $'next(1) = 16\nin the region: code and data\nblocks at the end: 0' "$1/memory_c"
  expect "repl.c" "$(cat "$2")" "$1/repl_c" "$examples/repl.txt"
}

[[ -v install_options ]] || readonly install_options=()
# Of the LLVM that all is built with: "_llvm22"; nothing for LLVM 19.
readonly OF_LLVM=${3#"${3%%_*}"} LLVM=${LLVM_MAJOR:-19}
readonly VERSION=$2 prefix=$TEST_TMPDIR/second
"$1" "$2" "$3" --prefix="$TEST_TMPDIR/first" "${install_options[@]}" || fail "installing failed"
mv "$TEST_TMPDIR/first" "$prefix"
# But for the unit of systemd, which accepts absolute paths only.
if grep -rlI --exclude=firstcall.service "$TEST_TMPDIR/first" "$prefix"; then fail "these files name the first prefix"; fi
grep -qx "ExecStart=$TEST_TMPDIR/first/bin/firstcall serve" "$prefix/lib/systemd/user/firstcall.service" ||
  fail "the compile server's unit does not start it"
