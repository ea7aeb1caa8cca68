#include "backend/llvm/compared_constructs.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

// Whether @f of `text` has only what was compared.
bool Has(absl::string_view text) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  return HasOnlyCompared(*module->getFunction("f"));
}

bool HasFunctionAttribute(absl::string_view attribute) {
  return Has(absl::StrCat("define void @f() ", attribute, " { ret void }"));
}

bool HasType(absl::string_view type) {
  return Has(absl::StrReplaceAll("define void @f(ptr %p) { %x = load T, ptr %p ret void }",
                                 {{"T", type}}));
}

TEST(ComparedConstructsTest, AttributesOfFunctions) {
  for (const char* attribute :
       {"nounwind", "sspstrong", "memory(read)", "minsize optsize", "uwtable",
        "\"frame-pointer\"=\"all\"", "\"probe-stack\"=\"inline-asm\"", "\"no-builtin-memcpy\"",
        "\"target-cpu\"=\"x86-64\" \"target-features\"=\"+sse2\""}) {
    EXPECT_TRUE(HasFunctionAttribute(attribute)) << attribute;
  }
  for (const char* attribute :
       {"\"zero-call-used-regs\"=\"used\"", "\"no_caller_saved_registers\"", "\"unknown\"",
        "speculative_load_hardening", "strictfp", "returns_twice", "naked", "noimplicitfloat",
        "\"use-soft-float\"=\"true\"", "\"denormal-fp-math\"=\"preserve-sign,preserve-sign\"",
        "alignstack(64)", "\"stackrealign\"", "gc \"statepoint-example\"", "prologue i8 144"}) {
    EXPECT_FALSE(HasFunctionAttribute(attribute)) << attribute;
  }
}

TEST(ComparedConstructsTest, AttributesOfArgumentsAndResults) {
  EXPECT_TRUE(Has("define signext i8 @f(i8 zeroext %x, ptr noalias byval(i64) %p) { ret i8 %x }"));
  EXPECT_FALSE(Has("define void @f(ptr inreg %p) { ret void }"));
  EXPECT_FALSE(Has("define void @f(ptr nest %p) { ret void }"));
  EXPECT_FALSE(Has("define inreg i32 @f() { ret i32 1 }"));
}

TEST(ComparedConstructsTest, AttributesOfCalls) {
  EXPECT_TRUE(
      Has("declare i8 @g(i8) define void @f() { %x = call zeroext i8 @g(i8 1) nounwind "
          "ret void }"));
  EXPECT_FALSE(Has("declare i8 @g(i8) define void @f() { %x = call i8 @g(i8 inreg 1) ret void }"));
  EXPECT_FALSE(
      Has("define void @f(ptr %g) { call void %g() \"no_caller_saved_registers\" "
          "ret void }"));
  EXPECT_FALSE(
      Has("declare i32 @setjmp(ptr) returns_twice define void @f() "
          "{ %x = call i32 @setjmp(ptr null) ret void }"));
  EXPECT_FALSE(Has("define void @f(ptr %g) { call void %g() [ \"deopt\"(i32 0) ] ret void }"));
}

TEST(ComparedConstructsTest, Types) {
  for (const char* type : {"i1", "i33", "i128", "double", "x86_fp80", "ptr", "{ i8, [3 x float] }",
                           "<3 x i32>", "<8 x ptr>", "<32 x i64>", "<16 x i1>"}) {
    EXPECT_TRUE(HasType(type)) << type;
  }
  for (const char* type :
       {"i129", "half", "bfloat", "fp128", "ptr addrspace(270)", "<2 x ptr addrspace(271)>",
        "<4 x i4>", "<2 x half>", "{ i8, fp128 }", "<64 x i64>", "<vscale x 2 x i64>"}) {
    EXPECT_FALSE(HasType(type)) << type;
  }
  EXPECT_FALSE(Has("define void @f(ptr addrspace(272) %p) { ret void }"));
  // A constant of an allowed type is made of one that is not.
  EXPECT_FALSE(
      Has("@v = global i8 0 define ptr @f() { ret ptr getelementptr (i8, ptr addrspacecast "
          "(ptr addrspace(270) inttoptr (i32 8 to ptr addrspace(270)) to ptr), i64 1) }"));
}

TEST(ComparedConstructsTest, InstructionsAndIntrinsics) {
  EXPECT_TRUE(
      Has("declare i32 @llvm.ctpop.i32(i32) define i32 @f(i32 %x) "
          "{ %y = call i32 @llvm.ctpop.i32(i32 %x) ret i32 %y }"));
  EXPECT_TRUE(
      Has("declare void @llvm.assume(i1) define void @f(ptr %p) "
          "{ call void @llvm.assume(i1 true) [ \"align\"(ptr %p, i64 8) ] ret void }"));
  EXPECT_FALSE(
      Has("declare i32 @llvm.x86.sse2.pmovmskb.128(<16 x i8>) "
          "define i32 @f(<16 x i8> %x) "
          "{ %y = call i32 @llvm.x86.sse2.pmovmskb.128(<16 x i8> %x) ret i32 %y }"));
  EXPECT_TRUE(Has("define void @f(ptr %p) { %x = atomicrmw add ptr %p, i32 1 seq_cst ret void }"));
  EXPECT_FALSE(
      Has("define void @f(ptr %p) { %x = atomicrmw fadd ptr %p, float 1.0 seq_cst ret void }"));
  EXPECT_FALSE(Has("define void @f(ptr %p) { %x = va_arg ptr %p, i32 ret void }"));
}

}  // namespace
}  // namespace firstcall
