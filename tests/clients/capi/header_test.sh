#!/usr/bin/env bash
# header_test.sh HEADER LLVM_C_HEADER: the header is all its users need, whichever standard they compile by.
set -euo pipefail
readonly header=$1
# The installed file, beside the others it includes.
readonly llvm=$(realpath "$2")
readonly warnings=(-Wall -Wextra -pedantic -Werror -fsyntax-only)
readonly c_headers=${llvm%/llvm-c/*}
# LLVM 22's C headers include one of the others, which Debian has in a folder of their own.
readonly include=("-I." -isystem "$c_headers" -isystem "${c_headers/llvm-c-/llvm-}")

try() {
  "$@" || {
    echo "refused by: $*" >&2
    exit 1
  }
}

for standard in c99 c11 c17; do
  try gcc -std="$standard" "${warnings[@]}" -x c "$header"
done
# C++ of 1998 has neither long long nor stdint.h by the book.
for standard in gnu++98 c++11 c++17 c++20; do
  try g++ -std="$standard" "${warnings[@]}" -Wno-long-long -x c++ "$header"
done

# Together with LLVM's, in either order, twice.
for standard in c99 c17; do
  for order in 1 2; do
    if [[ $order == 1 ]]; then
      text=$'#include "clients/capi/firstcall.h"\n#include <llvm-c/Core.h>\n#include "clients/capi/firstcall.h"\n'
    else
      text=$'#include <llvm-c/Core.h>\n#include "clients/capi/firstcall.h"\n#include <llvm-c/Core.h>\n'
    fi
    text+=$'fc_error* f(fc_engine* e, LLVMContextRef c, LLVMModuleRef m);\n'
    text+=$'fc_error* f(fc_engine* e, LLVMContextRef c, LLVMModuleRef m) { return fc_engine_add_module(e, c, m, 0); }\n'
    try gcc -std="$standard" "${warnings[@]}" "${include[@]}" -x c - <<<"$text"
  done
done
