// How often code computes the address of a thread-local variable, and how.

#include "backend/baseline/thread_local_reuse.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "backend/baseline/baseline_compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/backend/baseline/compile_llvm.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::baseline {
namespace {

constexpr const char* kTriples[] = {"x86_64-pc-linux-gnu", "aarch64-linux-gnu"};

// The code of `f`.
CompiledCode Compile(const char* triple, const std::string& body, bool emulates = false) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(R"(
    @x = external thread_local global i32
    @y = external thread_local global i32
    @w = extern_weak thread_local global i32
    declare void @callee()
    declare ptr @llvm.threadlocal.address.p0(ptr))" + body,
                                                           context);
  CompiledCode code;
  if (module == nullptr) return code;
  BaselineOptions options;
  options.emulates_thread_locals = emulates;
  const auto compiler = BaselineCompiler::Create(triple, options);
  EXPECT_THAT(compiler.status(), IsOk());
  EXPECT_EQ(CompileLlvm(**compiler, *module->getFunction("f"), code), Refusal::kNone) << body;
  return code;
}

// Relocations that refer to descriptors: one for each computation on x86-64, three on AArch64.
size_t CountComputations(const char* triple, const std::string& body) {
  const CompiledCode code = Compile(triple, body);
  const auto count = std::count_if(code.relocations.begin(), code.relocations.end(),
                                   [](const CodeRelocation& relocation) {
                                     return relocation.kind == RelocationKind::kDescriptor32 ||
                                            relocation.kind == RelocationKind::kDescriptorPage21;
                                   });
  for (const CodeRelocation& relocation : code.relocations) {
    if (relocation.kind != RelocationKind::kDescriptor32) continue;
    EXPECT_TRUE(code.symbols[relocation.symbol].is_thread_local);
  }
  return static_cast<size_t>(count);
}

TEST(ThreadLocalReuseTest, OneComputationServesABlock) {
  for (const char* triple : kTriples) {
    EXPECT_EQ(CountComputations(triple, R"(
      define i32 @f() {
        %a = call ptr @llvm.threadlocal.address.p0(ptr @x)
        %v = load i32, ptr %a
        %b = call ptr @llvm.threadlocal.address.p0(ptr @y)
        store i32 %v, ptr %b
        %c = call ptr @llvm.threadlocal.address.p0(ptr @x)
        store i32 1, ptr %c
        %d = call ptr @llvm.threadlocal.address.p0(ptr @x)
        %r = load i32, ptr %d
        ret i32 %r
      })"),
              2u);
  }
}

TEST(ThreadLocalReuseTest, CallsAndOtherBlocksComputeAgain) {
  for (const char* triple : kTriples) {
    EXPECT_EQ(CountComputations(triple, R"(
      define i32 @f(i1 %is) {
        %a = call ptr @llvm.threadlocal.address.p0(ptr @x)
        store i32 1, ptr %a
        call void @callee()
        %b = call ptr @llvm.threadlocal.address.p0(ptr @x)
        store i32 2, ptr %b
        br i1 %is, label %yes, label %no
      yes:
        %c = call ptr @llvm.threadlocal.address.p0(ptr @x)
        %d = call ptr @llvm.threadlocal.address.p0(ptr @x)
        store i32 3, ptr %c
        br label %no
      no:
        %e = phi ptr [ %b, %0 ], [ %d, %yes ]
        %r = load i32, ptr %e
        ret i32 %r
      })"),
              4u);
  }
}

TEST(ThreadLocalReuseTest, WeakVariableIsOneToo) {
  for (const char* triple : kTriples) {
    const CompiledCode code = Compile(triple, R"(
      define ptr @f() {
        %a = call ptr @llvm.threadlocal.address.p0(ptr @w)
        ret ptr %a
      })");
    ASSERT_GE(code.symbols.size(), 2u);
    EXPECT_TRUE(code.symbols[1].is_weak);
    EXPECT_TRUE(code.symbols[1].is_thread_local);
    EXPECT_EQ(code.NameOf(code.symbols[1]), "w");
  }
}

TEST(ThreadLocalReuseTest, EmulationCallsTheLibrary) {
  for (const char* triple : kTriples) {
    const CompiledCode code = Compile(triple, R"(
      define ptr @f() {
        %a = call ptr @llvm.threadlocal.address.p0(ptr @x)
        ret ptr %a
      })",
                                      /*emulates=*/true);
    bool has_control = false, has_function = false;
    for (const CodeSymbol& symbol : code.symbols) {
      has_control |= code.NameOf(symbol) == "__emutls_v.x";
      has_function |= code.NameOf(symbol) == "__emutls_get_address";
      EXPECT_FALSE(symbol.is_thread_local);
    }
    EXPECT_TRUE(has_control && has_function);
  }
}

}  // namespace
}  // namespace firstcall::baseline
