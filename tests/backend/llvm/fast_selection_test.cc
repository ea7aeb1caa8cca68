// That a function still computes the same is asked of LLVM's interpreter, before and after.

#include "backend/llvm/fast_selection.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ExecutionEngine/GenericValue.h"
#include "llvm/ExecutionEngine/Interpreter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FastSelectionTest : public testing::Test {
 protected:
  // Prepares `text`, which defines f, and returns what it has become.
  std::string Prepare(absl::string_view text) {
    module_ = ParseModule(text, context_);
    original_ = llvm::CloneModule(*module_);
    PrepareForFastSelection(*module_->getFunction("f"));
    std::string reason;
    llvm::raw_string_ostream stream(reason);
    EXPECT_FALSE(llvm::verifyModule(*module_, &stream)) << reason;
    return PrintModule(*module_);
  }

  // Calls f, of the prepared module and of the original one, with each of `arguments`.
  void ExpectSameResults(const std::vector<std::vector<uint64_t>>& arguments) {
    EXPECT_EQ(Interpret(std::move(module_), arguments), Interpret(std::move(original_), arguments));
  }

  const llvm::Function& prepared() const { return *module_->getFunction("f"); }

 private:
  static std::vector<uint64_t> Interpret(std::unique_ptr<llvm::Module> module,
                                         const std::vector<std::vector<uint64_t>>& arguments) {
    llvm::Function* function = module->getFunction("f");
    std::string error;
    const std::unique_ptr<llvm::ExecutionEngine> interpreter(
        llvm::EngineBuilder(std::move(module))
            .setEngineKind(llvm::EngineKind::Interpreter)
            .setErrorStr(&error)
            .create());
    EXPECT_NE(interpreter, nullptr) << error;
    std::vector<uint64_t> results;
    for (const std::vector<uint64_t>& list : arguments) {
      std::vector<llvm::GenericValue> values(list.size());
      for (size_t i = 0; i < list.size(); ++i) {
        values[i].IntVal =
            llvm::APInt(function->getArg(i)->getType()->getIntegerBitWidth(), list[i]);
      }
      results.push_back(interpreter->runFunction(function, values).IntVal.getZExtValue());
    }
    return results;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<llvm::Module> original_;
};

const std::vector<std::vector<uint64_t>> kBits = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST_F(FastSelectionTest, ShortCircuitAndBecomesBitwise) {
  const std::string text = Prepare(R"(
    define i1 @f(i1 %a, i1 %b) {
      %both = select i1 %a, i1 %b, i1 false
      ret i1 %both
    })");
  EXPECT_THAT(text, HasSubstr("and i1 %a, %b"));
  EXPECT_THAT(text, Not(HasSubstr("select")));
  ExpectSameResults(kBits);
}

TEST_F(FastSelectionTest, ShortCircuitOrBecomesBitwise) {
  const std::string text = Prepare(R"(
    define i1 @f(i1 %a, i1 %b) {
      %either = select i1 %a, i1 true, i1 %b
      ret i1 %either
    })");
  EXPECT_THAT(text, HasSubstr("or i1 %a, %b"));
  EXPECT_THAT(text, Not(HasSubstr("select")));
  ExpectSameResults(kBits);
}

TEST_F(FastSelectionTest, SelectOfTwoConstantsKeepsItsMeaning) {
  Prepare(R"(
    define i1 @f(i1 %a, i1 %b) {
      %same = select i1 %a, i1 true, i1 false
      %inverse = select i1 %b, i1 false, i1 true
      %always = select i1 %b, i1 true, i1 true
      %r1 = xor i1 %same, %inverse
      %r = and i1 %r1, %always
      ret i1 %r
    })");
  ExpectSameResults(kBits);
}

TEST_F(FastSelectionTest, ChainsOfSelectsKeepTheirMeaning) {
  const std::string text = Prepare(R"(
    define i1 @f(i1 %a, i1 %b) {
      %x = select i1 %a, i1 %b, i1 false
      %y = select i1 %x, i1 true, i1 %a
      %z = select i1 %y, i1 %x, i1 %b
      %w = select i1 %z, i1 %y, i1 false
      ret i1 %w
    })");
  EXPECT_THAT(text, HasSubstr("%z = select i1")) << "neither form: stays";
  ExpectSameResults(kBits);
}

TEST_F(FastSelectionTest, OtherSelectsStay) {
  const std::string text = Prepare(R"(
    define <2 x i1> @g(<2 x i1> %a, <2 x i1> %b) {
      %v = select <2 x i1> %a, <2 x i1> %b, <2 x i1> zeroinitializer
      ret <2 x i1> %v
    }
    define i32 @f(i1 %a, i32 %b) {
      %v = select i1 %a, i32 %b, i32 0
      ret i32 %v
    })");
  EXPECT_THAT(text, HasSubstr("select i1 %a, i32 %b, i32 0"));
}

TEST_F(FastSelectionTest, SwitchGetsABlockOfItsOwn) {
  Prepare(R"(
    define i32 @f(i32 %x) {
    entry:
      %y = mul i32 %x, 3
      %z = and i32 %y, 7
      switch i32 %z, label %other [ i32 3, label %three  i32 6, label %six ]
    three:
      br label %end
    six:
      br label %end
    other:
      br label %end
    end:
      %r = phi i32 [ %y, %three ], [ 60, %six ], [ %z, %other ]
      ret i32 %r
    })");
  for (const llvm::Instruction& instruction : llvm::instructions(prepared())) {
    if (llvm::isa<llvm::SwitchInst>(instruction)) {
      EXPECT_EQ(&instruction, &instruction.getParent()->front());
    }
  }
  ExpectSameResults({{0}, {1}, {2}, {3}, {4}, {5}});
}

// Blocks that follow name the block a value comes from.
TEST_F(FastSelectionTest, ValuesThatComeFromTheSwitchesBlockStillDo) {
  Prepare(R"(
    define i32 @f(i32 %x) {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ], [ %next, %loop ]
      %sum = phi i32 [ %x, %entry ], [ %more, %loop ], [ %more, %loop ]
      %next = add i32 %i, 1
      %more = add i32 %sum, %i
      switch i32 %next, label %loop [ i32 10, label %done  i32 4, label %loop ]
    done:
      %r = phi i32 [ %more, %loop ]
      ret i32 %r
    })");
  ExpectSameResults({{0}, {1}, {100}});
}

}  // namespace
}  // namespace firstcall
