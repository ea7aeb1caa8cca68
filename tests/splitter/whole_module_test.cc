#include "splitter/whole_module.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index_builder.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<std::string> Prepare(const std::string& bitcode, absl::string_view replaced = "") {
  std::unique_ptr<ModuleSource> source =
      ModuleSource::FromBitcode(llvm::MemoryBuffer::getMemBufferCopy(bitcode, "test")).value();
  std::shared_ptr<ModuleView> view = source->OpenView().value();
  const SymbolIndex index = BuildSymbolIndex(*view).value();
  absl::Status status =
      PrepareWholeModule(*view, index, /*verify=*/true,
                         [&](SymbolOrdinal ordinal) { return index.at(ordinal).name == replaced; });
  if (!status.ok()) return status;
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  EXPECT_FALSE(llvm::verifyModule(view->module(), &stream)) << reason;
  return PrintModule(view->module());
}

TEST(WholeModuleTest, ConstructorsBecomeVisibleAndAreNotRunByTheLinker) {
  ASSERT_OK_AND_ASSIGN(std::string text, Prepare(ParseToBitcode(R"(
    @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
      { i32, ptr, ptr } { i32 65535, ptr @start, ptr null }]
    define internal void @start() { ret void })")));
  EXPECT_THAT(text, Not(HasSubstr("llvm.global_ctors")));
  EXPECT_THAT(text, HasSubstr("define dso_local void @\"start$1\"()"));
}

TEST(WholeModuleTest, ReplacedDefinitionsBecomeDeclarations) {
  ASSERT_OK_AND_ASSIGN(std::string text, Prepare(ParseToBitcode(R"(
    define linkonce_odr void @inline() { ret void }
    define void @f() { call void @inline() ret void })"),
                                                 "inline"));
  EXPECT_THAT(text, HasSubstr("declare void @inline()"));
}

TEST(WholeModuleTest, ReplacedAliasesBecomeDeclarations) {
  ASSERT_OK_AND_ASSIGN(std::string text, Prepare(ParseToBitcode(R"(
    @data = global i32 1
    @alias = weak alias i32, ptr @data
    define ptr @f() { ret ptr @alias })"),
                                                 "alias"));
  EXPECT_THAT(text, HasSubstr("@alias = external global i32"));
  EXPECT_THAT(text, HasSubstr("ret ptr @alias"));
}

TEST(WholeModuleTest, AliasesOfThreadLocalVariablesAreTheVariable) {
  ASSERT_OK_AND_ASSIGN(std::string text, Prepare(ParseToBitcode(R"(
    @variable = internal thread_local global i32 1
    @alias = thread_local alias i32, ptr @variable
    define i32 @f() {
      %p = call ptr @llvm.threadlocal.address.p0(ptr @alias)
      %x = load i32, ptr %p
      ret i32 %x
    }
    declare ptr @llvm.threadlocal.address.p0(ptr))")));
  EXPECT_THAT(text, HasSubstr("@\"variable$0\" = dso_local thread_local global i32 1"));
  EXPECT_THAT(text, HasSubstr("@llvm.threadlocal.address.p0(ptr @\"variable$0\")"));
  EXPECT_THAT(text, Not(HasSubstr("alias")));
}

TEST(WholeModuleTest, UsedVariablesStayInOneSection) {
  ASSERT_OK_AND_ASSIGN(std::string text, Prepare(ParseToBitcode(R"(
    @entry = internal global i32 1, section "registry"
    @llvm.used = appending global [1 x ptr] [ptr @entry], section "llvm.metadata")")));
  EXPECT_THAT(text, Not(HasSubstr("@llvm.used")));
  EXPECT_THAT(text, HasSubstr("@llvm.compiler.used = appending global [1 x ptr] [ptr @entry]"));
}

TEST(WholeModuleTest, KeptWeakDefinitionsAreStrong) {
  ASSERT_OK_AND_ASSIGN(std::string text,
                       Prepare(ParseToBitcode("define weak void @f() { ret void }")));
  EXPECT_THAT(text, HasSubstr("define dso_local void @f()"));
}

TEST(WholeModuleTest, InvalidBodyNamesFunctionAndReason) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(
      "define i32 @f(i32 %x) { %y = add i32 %x, 1 %z = add i32 %y, 1 ret i32 %z }", context);
  llvm::BasicBlock& block = module->getFunction("f")->front();
  std::next(block.begin())->moveBefore(&block.front());
  EXPECT_THAT(Prepare(ModuleToBitcode(*module)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("function 'f' is not valid IR: Instruction does not dominate")));
}

}  // namespace
}  // namespace firstcall
