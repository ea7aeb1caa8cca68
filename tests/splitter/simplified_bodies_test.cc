#include "splitter/simplified_bodies.h"

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

class SimplifiedBodiesTest : public ::testing::Test {
 protected:
  llvm::Function& f() { return *module_->getFunction("f"); }

  // Removes the function's first instruction.
  llvm::Function& SimplifiedF() {
    return bodies_.Of(f(), [this](llvm::Function& body) {
      body.getEntryBlock().front().eraseFromParent();
      ++simplified_;
    });
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_ = ParseModule(R"(
    define i32 @f(i32 %x) {
      %unused = add i32 %x, 1
      %y = call i32 @f(i32 %x)
      ret i32 %y
    })",
                                                      context_);
  SimplifiedBodies bodies_;
  int simplified_ = 0;
};

TEST_F(SimplifiedBodiesTest, TheFunctionStaysAsItIs) {
  const std::string before = PrintModule(*module_);
  llvm::Function& copy = SimplifiedF();
  EXPECT_EQ(copy.getInstructionCount(), 2u);
  EXPECT_EQ(f().getInstructionCount(), 3u);
  EXPECT_FALSE(copy.hasName());
  EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
  bodies_.Drop(f());
  EXPECT_EQ(PrintModule(*module_), before);
}

TEST_F(SimplifiedBodiesTest, ACopyCallsTheFunction) {
  llvm::Function& copy = SimplifiedF();
  copy.setName("copy");
  EXPECT_THAT(PrintModule(*module_), HasSubstr("call i32 @f("));
  EXPECT_THAT(PrintModule(*module_), Not(HasSubstr("call i32 @copy(")));
}

TEST_F(SimplifiedBodiesTest, ACopyIsMadeOnceUntilItIsDropped) {
  EXPECT_FALSE(bodies_.Has(f()));
  llvm::Function& copy = SimplifiedF();
  EXPECT_TRUE(bodies_.Has(f()));
  EXPECT_EQ(&SimplifiedF(), &copy);
  EXPECT_EQ(simplified_, 1);
  bodies_.Drop(f());
  EXPECT_FALSE(bodies_.Has(f()));
  SimplifiedF();
  EXPECT_EQ(simplified_, 2);
}

}  // namespace
}  // namespace firstcall
