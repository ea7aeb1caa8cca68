#!/bin/bash
# Each installed header is all that its users need:  headers_test.sh INSTALL VERSION C_INTERFACE
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/installed.sh"

cd "$prefix/include"
# Those for ORC need LLVM's headers, and are below.
mapfile -t headers < <(find firstcall -name '*.h' -not -path 'firstcall/orc/*' | sort)
((${#headers[@]} > 20)) || fail "only these headers are installed: ${headers[*]}"
# All in one program, in either order; no header of another directory is needed or meant.
for order in sort "sort -r"; do
  printf '#include "%s"\n' "${headers[@]}" | $order >"$TEST_TMPDIR/all.cc"
  g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I. "$TEST_TMPDIR/all.cc" || fail "all, by $order"
done
# Those that a client includes, each alone.
for header in engine/engine.h engine/options.h cache/disk_cache.h memory/memory_manager.h \
  memory/page_mapper.h runtime/event.h isolation/isolated_engine.h mcjit/install.h; do
  g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I. -x c++ "firstcall/$header" ||
    fail "$header"
done
readonly LLVM_HEADERS=(-isystem "/usr/include/llvm-$LLVM" -isystem "/usr/include/llvm-c-$LLVM")
g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I. "${LLVM_HEADERS[@]}" -x c++ firstcall/orc/orc_compiler.h ||
  fail "orc/orc_compiler.h"
g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I. "${LLVM_HEADERS[@]}" -x c++ firstcall/orc/orc_lazy_layer.h ||
  fail "orc/orc_lazy_layer.h"
gcc -std=c99 -Wall -Wextra -Werror -fsyntax-only -I. "${LLVM_HEADERS[@]}" -x c firstcall/orc/orc_c.h ||
  fail "orc/orc_c.h in C"
gcc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -I. -x c firstcall/firstcall.h ||
  fail "the header in C"
