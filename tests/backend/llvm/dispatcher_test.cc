#include "backend/llvm/dispatcher.h"

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/llvm/ir_optimizer.h"
#include "backend/llvm/object_emitter.h"
#include "base/diagnostic_collector.h"
#include "compiler/optimization_gate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "seam/stop_flag.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"
#include "third_party/llvm/version/passes.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// A loop with a branch of `ways` ways, to operations of `steps` calls each, with a variable in
// memory.
std::string Interpreter(int ways, int steps) {
  std::string cases, operations;
  for (int i = 0; i < ways; ++i) {
    absl::StrAppend(&cases, "i32 ", i, ", label %op", i, "\n");
    absl::StrAppend(&operations, "op", i, ":\n");
    for (int j = 0; j < steps; ++j) {
      const std::string id = absl::StrCat(i, ".", j);
      absl::StrAppend(&operations, "%v", id, " = load i32, ptr %accumulator\n%s", id,
                      " = call i32 @add(i32 %v", id, ", i32 ", i + 1, ")\nstore i32 %s", id,
                      ", ptr %accumulator\n");
    }
    absl::StrAppend(&operations, "br label %loop\n");
  }
  return absl::StrCat(R"(
    define available_externally i32 @add(i32 %x, i32 %y) { %z = add i32 %x, %y  ret i32 %z }
    define i32 @run(ptr %code) {
      %accumulator = alloca i32
      store i32 0, ptr %accumulator
      br label %loop
    loop:
      %operation = load volatile i32, ptr %code
      switch i32 %operation, label %end [)",
                      cases, "]\n", operations, R"(
    end:
      %result = load i32, ptr %accumulator
      ret i32 %result
    })");
}

bool IsOne(const std::string& text) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  EXPECT_EQ(HasDispatcher(*module), IsDispatcher(*module->getFunction("run")));
  return HasDispatcher(*module);
}

TEST(DispatcherTest, IsLargeAndBranchesManyWays) {
  EXPECT_TRUE(IsOne(Interpreter(60, 20)));
  EXPECT_FALSE(IsOne(Interpreter(60, 1)));
  EXPECT_FALSE(IsOne(Interpreter(10, 120)));
}

TEST(DispatcherTest, WhatIsOnlyInlinedIsNone) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(Interpreter(60, 20), context);
  module->getFunction("run")->setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
  EXPECT_FALSE(HasDispatcher(*module));
}

TEST(DispatcherTest, ItsCalleesAreInlinedAndItsVariablesAreValues) {
  llvm::LLVMContext context;
  EngineOptions options;
  options.tier = Tier::kOne;
  const Target target = MakeTarget(options);
  std::unique_ptr<IrOptimizer> optimizer = IrOptimizer::Create(target).value();
  std::unique_ptr<llvm::Module> module = ParseModule(Interpreter(60, 20), context);
  ASSERT_THAT(target.Adopt(*module), IsOk());
  CpuChoice cpu;
  ASSERT_THAT(optimizer->Optimize(module, cpu), IsOk());
  const std::string text = PrintModule(*module);
  EXPECT_THAT(text, AllOf(HasSubstr("switch i32"), HasSubstr("phi i32"), Not(HasSubstr("@add")),
                          Not(HasSubstr("alloca"))));
}

// Remembers the passes that it is asked about.
class PassNames final : public llvm_version::PassGate {
 public:
  bool isEnabled() const override { return true; }
  bool Admits(llvm::StringRef pass) const override {
    names_.insert(pass.str());
    return true;
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  mutable std::set<std::string> names_;
};

TEST(DispatcherTest, CodeGeneratorHasThePassesThatAreLeftOut) {
  llvm::LLVMContext context;
  PassNames passes;
  CollectDiagnostics(context);
  context.setOptPassGate(passes);
  EngineOptions options;
  options.tier = Tier::kOne;
  const Target target = MakeTarget(options);
  std::unique_ptr<llvm::Module> module = ParseModule(Interpreter(60, 20), context);
  ASSERT_THAT(target.Adopt(*module), IsOk());
  ASSERT_THAT(ObjectEmitter::Create(target).value()->Emit(std::move(module)), IsOk());
  EXPECT_THAT(passes.names(), Contains("Loop Strength Reduction"));
#if defined(__x86_64__)
  for (llvm::StringRef pass : kPassesNotForDispatchers) {
    EXPECT_THAT(passes.names(), Contains(pass.str()));
  }
#endif
}

TEST(DispatcherTest, GateLeavesPassesOut) {
  OptimizationGate gate(std::make_shared<StopFlag>(), [] {});
  EXPECT_FALSE(gate.isEnabled());
  gate.LeaveOut(kPassesNotForDispatchers);
  EXPECT_TRUE(gate.isEnabled());
  for (llvm::StringRef pass : kPassesNotForDispatchers) EXPECT_FALSE(gate.Admits(pass));
  EXPECT_TRUE(gate.Admits("Live Interval Analysis"));
}

}  // namespace
}  // namespace firstcall
