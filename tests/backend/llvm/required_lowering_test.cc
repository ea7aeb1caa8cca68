#include "backend/llvm/required_lowering.h"

#include <memory>
#include <string>

#include "absl/strings/str_replace.h"
#include "base/diagnostic_collector.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"
#include "third_party/llvm/version/version.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kCoroutine[] = R"(
  define ptr @f(i32 %n) presplitcoroutine {
  entry:
    %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
    %size = call i32 @llvm.coro.size.i32()
    %memory = call ptr @malloc(i32 %size)
    %frame = call noalias ptr @llvm.coro.begin(token %id, ptr %memory)
    call void @print(i32 %n)
    %state = call i8 @llvm.coro.suspend(token none, i1 false)
    switch i8 %state, label %suspend [i8 0, label %resume
                                      i8 1, label %cleanup]
  resume:
    %m = add i32 %n, 1
    call void @print(i32 %m)
    br label %cleanup
  cleanup:
    %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
    call void @free(ptr %freed)
    br label %suspend
  suspend:
    %unused = call i1 @llvm.coro.end(ptr %frame, i1 false, token none)
    ret ptr %frame
  }
  define void @g(ptr %frame) { call void @llvm.coro.resume(ptr %frame) ret void }
  declare token @llvm.coro.id(i32, ptr, ptr, ptr)
  declare i32 @llvm.coro.size.i32()
  declare ptr @llvm.coro.begin(token, ptr)
  declare i8 @llvm.coro.suspend(token, i1)
  declare ptr @llvm.coro.free(token, ptr)
  declare i1 @llvm.coro.end(ptr, i1, token)
  declare void @llvm.coro.resume(ptr)
  declare ptr @malloc(i32)
  declare void @free(ptr)
  declare void @print(i32))";

constexpr char kMatrix[] = R"(
  define <4 x double> @f(<4 x double> %m) {
    %r = call <4 x double> @llvm.matrix.transpose.v4f64(<4 x double> %m, i32 2, i32 2)
    ret <4 x double> %r
  }
  declare <4 x double> @llvm.matrix.transpose.v4f64(<4 x double>, i32, i32))";

class RequiredLoweringTest : public ::testing::Test {
 protected:
  RequiredLoweringTest() { CollectDiagnostics(context_); }

  std::unique_ptr<llvm::Module> Load(const char* text) {
    std::string of_this_version = text;
    if (llvm_version::kMajor >= 22) {  // The end of a coroutine has no result.
      of_this_version = absl::StrReplaceAll(
          text, {{"%unused = call i1", "call void"}, {"i1 @llvm.coro.end", "void @llvm.coro.end"}});
    }
    std::unique_ptr<llvm::Module> module = ParseModule(of_this_version, context_);
    EXPECT_THAT(target_.Adopt(*module), IsOk());
    return module;
  }

  llvm::LLVMContext context_;
  Target target_ = MakeTarget(EngineOptions());
  std::unique_ptr<RequiredLowering> lowering_ = RequiredLowering::Create(target_).value();
};

TEST_F(RequiredLoweringTest, IsNeededForItsIntrinsicsOnly) {
  EXPECT_TRUE(RequiredLowering::IsNeededFor(*Load(kCoroutine)));
  EXPECT_TRUE(RequiredLowering::IsNeededFor(*Load(kMatrix)));
  EXPECT_TRUE(DeclaresMatrixIntrinsics(*Load(kMatrix)));
  EXPECT_FALSE(DeclaresMatrixIntrinsics(*Load(kCoroutine)));
  const std::unique_ptr<llvm::Module> other = Load(R"(
    declare double @llvm.sqrt.f64(double)
    define double @f(double %x) { %y = call double @llvm.sqrt.f64(double %x) ret double %y })");
  EXPECT_FALSE(RequiredLowering::IsNeededFor(*other));
}

TEST_F(RequiredLoweringTest, PartsOfACoroutineAreLocalFunctions) {
  for (int i = 0; i < 2; ++i) {
    const std::unique_ptr<llvm::Module> module = Load(kCoroutine);
    ASSERT_THAT(lowering_->Run(*module), IsOk());
    EXPECT_FALSE(llvm::verifyModule(*module));
    EXPECT_THAT(PrintModule(*module),
                AllOf(HasSubstr("define internal fastcc void @f.resume("),
                      HasSubstr("define internal fastcc void @f.destroy("), HasSubstr("@f(i32"),
                      Not(HasSubstr("call token @llvm.coro")), Not(HasSubstr("@f.resumers"))));
    for (const llvm::Function& function : *module) {
      EXPECT_TRUE(function.isDeclaration() || function.hasLocalLinkage() ||
                  function.getName().size() == 1)
          << function.getName().str();
      EXPECT_FALSE(function.isIntrinsic() && !function.use_empty()) << function.getName().str();
    }
  }
}

TEST_F(RequiredLoweringTest, MatricesAreVectors) {
  const std::unique_ptr<llvm::Module> module = Load(kMatrix);
  ASSERT_THAT(lowering_->Run(*module), IsOk());
  EXPECT_THAT(PrintModule(*module),
              AllOf(HasSubstr("shufflevector"), Not(HasSubstr("call <4 x double>"))));
}

}  // namespace
}  // namespace firstcall
