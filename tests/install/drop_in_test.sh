#!/bin/bash
# The library that takes MCJIT's place, found where the dynamic linker searches:
#   drop_in_test.sh INSTALL VERSION C_INTERFACE CLIENT ORC_CLIENT
# And the one that gives ORC a compile function.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/installed.sh"

if [[ $(uname -m) != x86_64 ]]; then
  echo "skipped: engines are MCJIT's own but on x86-64"
  exit 0
fi
out=$(FIRSTCALL_STATS=1 LD_LIBRARY_PATH="$prefix/lib" LD_PRELOAD=libfirstcall_mcjit.so "$4" 2>&1) ||
  fail "the client failed: $out"
[[ $out == *"MCJIT engine 1: 'client': lazy"* && $out == *42* ]] || fail "the client is not lazy: $out"

# Linked in, and asked for.
cat >"$TEST_TMPDIR/install.cc" <<'END'
#include "firstcall/mcjit/install.h"
int main() { return firstcall::InstallAsMcjit() ? 1 : 0; }
END
g++ "$TEST_TMPDIR/install.cc" -o "$TEST_TMPDIR/install" -I"$prefix/include" -L"$prefix/lib" \
  -lfirstcall_mcjit -Wl,-rpath,"$prefix/lib"
"$TEST_TMPDIR/install" || fail "a process without LLVM is said to have MCJIT"

out=$(FIRSTCALL_STATS=1 LD_LIBRARY_PATH="$prefix/lib" LD_PRELOAD=libfirstcall_orc.so "$5" none 2>&1) ||
  fail "the client of ORC failed: $out"
[[ $out == *"LLJIT 1: the baseline compiles"* && $out == *42* ]] || fail "LLVM compiles for the client of ORC: $out"

# Asked for, in C.
cat >"$TEST_TMPDIR/orc.c" <<'END'
#include "firstcall/orc/orc_c.h"
int main(void) {
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  fc_orc_set_compile_function(builder, FC_ORC_BASELINE_ALWAYS);
  LLVMOrcDisposeLLJITBuilder(builder);
  return 0;
}
END
gcc "$TEST_TMPDIR/orc.c" -o "$TEST_TMPDIR/orc" -I"$prefix/include" -isystem "/usr/include/llvm-$LLVM" -isystem "/usr/include/llvm-c-$LLVM" \
  -L"$prefix/lib" -lfirstcall_orc_engine "-lLLVM-$LLVM" -Wl,-rpath,"$prefix/lib:$prefix/lib/firstcall"
"$TEST_TMPDIR/orc" || fail "a program in C cannot ask for the compile function"

# A lazy layer, in C++.
cat >"$TEST_TMPDIR/lazy.cc" <<'END'
#include <cstdio>
#include <memory>
#include <utility>

#include "firstcall/orc/orc_lazy_layer.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

int main() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto target = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  auto jit = llvm::cantFail(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(target).create());
  auto layer = llvm::cantFail(firstcall::OrcLazyLayer::Create(*jit, target));
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(
      "define i32 @answer() { ret i32 42 } define i32 @other() { ret i32 0 }", diagnostic, *context);
  llvm::cantFail(layer->add(jit->getMainJITDylib(), {std::move(module), std::move(context)}));
  const int answer = llvm::cantFail(jit->lookup("answer")).toPtr<int()>()();
  std::printf("%d, %zu compiled\n", answer, layer->engine().stats().functions_compiled);
}
END
g++ -std=c++17 "$TEST_TMPDIR/lazy.cc" -o "$TEST_TMPDIR/lazy" -I"$prefix/include" \
  -isystem "/usr/include/llvm-$LLVM" -isystem "/usr/include/llvm-c-$LLVM" \
  -L"$prefix/lib" -lfirstcall_orc_engine -labsl_status "-lLLVM-$LLVM" -Wl,-rpath,"$prefix/lib:$prefix/lib/firstcall"
out=$("$TEST_TMPDIR/lazy") || fail "a program with a lazy layer failed: $out"
[[ $out == "42, 1 compiled" ]] || fail "a program with a lazy layer prints: $out"
