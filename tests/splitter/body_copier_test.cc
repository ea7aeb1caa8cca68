#include "splitter/body_copier.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class BodyCopierTest : public ::testing::Test {
 protected:
  void Load(const std::string& text) { module_ = ParseModule(text, context_); }

  llvm::Function& Get(const std::string& name) { return *module_->getFunction(name); }

  std::string PrintFunction(const llvm::Function& function) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    function.print(stream);
    return text;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(BodyCopierTest, AddressesOfBlocksCannotBeCloned) {
  Load(R"(
    define ptr @f() {
      br label %next
    next:
      ret ptr blockaddress(@f, %next)
    }
    define void @g() { br label %next
    next:
      ret void })");
  EXPECT_FALSE(CanBeCloned(Get("f")));
  EXPECT_TRUE(CanBeCloned(Get("g")));
}

TEST_F(BodyCopierTest, CloneHasTheBodyAndCallsTheOriginal) {
  Load(R"(
    declare i32 @personality(...)
    define i32 @f(i32 %x, ptr byval(i64) %p) nounwind personality ptr @personality {
      %y = call i32 @f(i32 %x, ptr %p)
      ret i32 %y
    })");
  llvm::Function* clone = CloneInView(Get("f"));
  EXPECT_FALSE(clone->hasName());
  clone->setName("clone");
  const std::string text = PrintFunction(*clone);
  EXPECT_THAT(text, HasSubstr("define i32 @clone(i32 %x, ptr byval(i64) %p)"));
  EXPECT_THAT(text, HasSubstr("personality ptr @personality"));
  EXPECT_THAT(text, HasSubstr("%y = call i32 @f("));
  EXPECT_TRUE(clone->doesNotThrow());
  EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
  clone->eraseFromParent();
  EXPECT_THAT(PrintModule(*module_), Not(HasSubstr("clone")));
}

}  // namespace
}  // namespace firstcall
