#include "clients/mcjit/module_copy.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr char kModule[] = R"(
  $inlined = comdat any
  @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
    [{ i32, ptr, ptr } { i32 65535, ptr @construct, ptr null }]
  @tentative = common global i32 0
  @"\01plain" = global i32 1
  declare i32 @used()
  declare i32 @unused()
  define linkonce_odr i32 @inlined() comdat {
    %1 = call i32 @used()
    ret i32 %1
  }
  define weak i32 @overridden() {
    ret i32 2
  }
  define internal void @construct() {
    ret void
  })";

class ModuleCopyTest : public testing::Test {
 protected:
  std::string TextOf(const ModuleCopy& copy) {
    auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(copy.bitcode, "copy"), context_);
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return "";
    }
    return PrintModule(**module);
  }

  llvm::LLVMContext context_;
  const std::unique_ptr<llvm::Module> module_ = ParseModule(kModule, context_);
};

TEST_F(ModuleCopyTest, ListsNamesAsObjectsHaveThem) {
  ASSERT_OK_AND_ASSIGN(ModuleCopy copy,
                       CopyModule(*module_, [](const std::string&) { return false; }));
  EXPECT_THAT(copy.defined, UnorderedElementsAre("tentative", "plain", "inlined", "overridden"));
  EXPECT_THAT(copy.declared, UnorderedElementsAre("used"));
}

TEST_F(ModuleCopyTest, WeakDefinitionsBecomeStrongOrGiveWay) {
  ASSERT_OK_AND_ASSIGN(ModuleCopy copy, CopyModule(*module_, [](const std::string& name) {
                         return name == "overridden";
                       }));
  const std::string text = TextOf(copy);
  EXPECT_THAT(text, HasSubstr("define i32 @inlined()"));
  EXPECT_THAT(text, HasSubstr("@tentative = global i32 0"));
  EXPECT_THAT(text, HasSubstr("define available_externally i32 @overridden()"));
  EXPECT_THAT(text, Not(HasSubstr("llvm.global_ctors")));
  EXPECT_THAT(copy.defined, UnorderedElementsAre("tentative", "plain", "inlined"));
}

TEST_F(ModuleCopyTest, LeavesTheModuleAsItWas) {
  const std::string before = PrintModule(*module_);
  ASSERT_THAT(CopyModule(*module_, [](const std::string&) { return true; }), IsOk());
  EXPECT_EQ(PrintModule(*module_), before);
}

TEST_F(ModuleCopyTest, RefusesFunctionsWithoutNames) {
  const std::unique_ptr<llvm::Module> module =
      ParseModule("define i32 @0() { ret i32 1 }", context_);
  EXPECT_THAT(CopyModule(*module, [](const std::string&) { return false; }),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("no name")));
}

}  // namespace
}  // namespace firstcall
