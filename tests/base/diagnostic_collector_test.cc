#include "base/diagnostic_collector.h"

#include "gtest/gtest.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"

namespace firstcall {
namespace {

TEST(DiagnosticCollectorTest, KeepsErrorsUntilTaken) {
  llvm::LLVMContext context;
  CollectDiagnostics(context);
  EXPECT_EQ(TakeDiagnostics(context), "");
  context.emitError("first");
  context.emitError("second\n");
  EXPECT_EQ(TakeDiagnostics(context), "first; second");
  EXPECT_EQ(TakeDiagnostics(context), "");
}

TEST(DiagnosticCollectorTest, DropsWarnings) {
  llvm::LLVMContext context;
  CollectDiagnostics(context);
  context.diagnose(llvm::DiagnosticInfoInlineAsm(0, "careful", llvm::DS_Warning));
  EXPECT_EQ(TakeDiagnostics(context), "");
}

}  // namespace
}  // namespace firstcall
