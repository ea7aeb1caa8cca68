#include "compiler/object_names.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index_builder.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// What a source module of `source` allows to an object made from `object`.
absl::Status Check(const std::string& source, const std::string& object) {
  absl::StatusOr<std::unique_ptr<ModuleSource>> module =
      ModuleSource::FromText(llvm::MemoryBuffer::getMemBuffer(source, "test")->getMemBufferRef());
  EXPECT_THAT(module, IsOk());
  std::shared_ptr<ModuleView> view = (*module)->OpenView().value();
  const SymbolIndex index = BuildSymbolIndex(*view).value();
  ObjectBytes bytes = CompileToObject(object);
  return CheckNames(bytes, index, {"my_probe"});
}

TEST(ObjectNamesTest, AllowsWhatTheSourceModuleDeclaresOrDefines) {
  EXPECT_THAT(Check("declare void @other()  define void @own() { ret void }", R"(
    declare void @other()
    declare void @"own$fc.call"()
    define void @f() { call void @other()  call void @"own$fc.call"()  ret void })"),
              IsOk());
}

TEST(ObjectNamesTest, AllowsWhatLlvmCallsByItself) {
  EXPECT_THAT(Check("define void @f() { ret void }", R"(
    declare i32 @puts(ptr)
    define i128 @f(i128 %a, i128 %b) {
      call i32 @puts(ptr null)
      %quotient = sdiv i128 %a, %b
      ret i128 %quotient
    })"),
              IsOk());
}

TEST(ObjectNamesTest, AllowsThreadLocalVariables) {
  EXPECT_THAT(Check("@t = external thread_local global i32",
                    "@__emutls_v.t = external global i32\n"
                    "define ptr @f() { ret ptr @__emutls_v.t }"),
              IsOk());
}

TEST(ObjectNamesTest, AllowsWhatAttributesName) {
  EXPECT_THAT(
      Check("define void @f() { ret void }",
            "declare void @my_probe()  define void @f() { call void @my_probe()  ret void }"),
      IsOk());
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(R"(
    define void @f() "probe-stack"="one" { ret void }
    define void @g() "probe-stack"="inline-asm" { ret void }
    define void @h() { ret void }
    declare void @i() "probe-stack"="two")",
                                                           context);
  EXPECT_THAT(NamesInAttributes(*module), ElementsAre("one", "inline-asm"));
}

TEST(ObjectNamesTest, NamesAllThatNobodyKnows) {
  EXPECT_THAT(Check("declare i32 @puts(ptr)", R"(
    @str = external global i8
    @switch.table = external global i8
    declare i32 @puts(ptr)
    define ptr @f() { call i32 @puts(ptr @str)  ret ptr @switch.table })"),
              StatusIs(absl::StatusCode::kInternal,
                       AllOf(HasSubstr("[ str, switch.table ]"), Not(HasSubstr("puts")))));
}

}  // namespace
}  // namespace firstcall
