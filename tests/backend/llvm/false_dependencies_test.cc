#include "backend/llvm/false_dependencies.h"

#include <memory>
#include <string>

#include "base/diagnostic_collector.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// The assembly that LLVM writes for `text`, for a CPU with AVX.
std::string AssemblyOf(const std::string& text) {
  EngineOptions options;
  options.tier = Tier::kOne;
  options.triple = "x86_64-unknown-linux-gnu";
  options.cpu = "haswell";
  const Target target = MakeTarget(options);
  llvm::LLVMContext context;
  CollectDiagnostics(context);
  std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  EXPECT_THAT(target.Adopt(*module), IsOk());
  std::unique_ptr<llvm::TargetMachine> machine = target.CreateMachine().value();
  PassesWithoutFalseDependencies passes;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  EXPECT_FALSE(
      machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile));
  passes.run(*module);
  return std::string(bytes.begin(), bytes.end());
}

TEST(FalseDependenciesTest, AConversionAfterACallDoesNotWaitForWhatTheCalleeHasWritten) {
  EXPECT_THAT(AssemblyOf(R"(
    declare double @called(double)
    define double @f(i32 %i) {
      %x = sitofp i32 %i to double
      %y = call double @called(double %x)
      ret double %y
    })"),
              ContainsRegex("vxorps\t(%xmm[0-9]+), .*\n\tvcvtsi2sd\t%edi, "));
}

TEST(FalseDependenciesTest, AFunctionWithoutCallsIsLeftToLlvm) {
  EXPECT_THAT(AssemblyOf("define double @f(i32 %i) { %x = sitofp i32 %i to double ret double %x }"),
              Not(HasSubstr("vxorps")));
}

TEST(FalseDependenciesTest, ARegisterWhoseValueIsNeededIsNotZeroed) {
  // All registers that the convention knows hold arguments of the call, but for the result.
  const std::string text = AssemblyOf(R"(
    declare double @called(double, double, double, double, double, double, double, double)
    define double @f(i32 %i, double %a, double %b, double %c, double %d, double %e, double %g,
                     double %h) {
      %x = sitofp i32 %i to double
      %y = call double @called(double %x, double %a, double %b, double %c, double %d, double %e,
                               double %g, double %h)
      ret double %y
    })");
  EXPECT_THAT(text, Not(ContainsRegex("vxorps\t%xmm[0-7], ")));
}

}  // namespace
}  // namespace firstcall
