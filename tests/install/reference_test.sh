#!/bin/bash
# The reference is made without a warning, and has what the headers say:  reference_test.sh MAKE VERSION C_INTERFACE
set -euo pipefail

fail() {
  echo "reference_test: $*" >&2
  exit 1
}
if ! command -v doxygen >/dev/null; then
  echo "skipped: doxygen is not installed"
  exit 0
fi
"$1" "$2" "$3" "$TEST_TMPDIR" || fail "it is not made"

# expect PAGE TEXT: the page has the text, whatever marks are in between.
expect() {
  sed 's/<[^>]*>//g' "$TEST_TMPDIR/html/$1" | tr -s ' \n' ' ' | grep -qF "$2" || fail "$1 lacks: $2"
}
expect index.html "&#160;$2"
expect firstcall_8h.html "Finds the address of a function or a variable that the module defines"
# Behind an enumerator.
expect firstcall_8h.html "A file, a symbol or a module does not exist."
expect classfirstcall_1_1Engine.html "Runs constructors, then calls the function"
# An example in a comment.
expect engine_8h.html "std::unique_ptr&lt;Engine&gt; engine, Engine::Create()"
expect structfirstcall_1_1EngineOptions.html "Bytes of code and data, stubs included"
expect install_8h.html "Takes MCJIT's place."
