#include "backend/baseline/block_order.h"

#include <iterator>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "ir/from_llvm/llvm_reader.h"
#include "ir/function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::baseline {
namespace {

// The names of the blocks in order, each followed by its depth.
std::string OrderOf(const std::string& body, BlockOrder& order) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module =
      ParseModule("define void @f(i1 %c) {\n" + body + "}\n", context);
  const llvm::Function& source = *module->getFunction("f");
  ir::LlvmReader reader;
  ir::Function function;
  EXPECT_THAT(reader.Begin(*module), IsOk());
  EXPECT_THAT(reader.Read(source, function), IsOk());
  order.Compute(function);
  std::string text;
  for (const OrderedBlock& block : order.blocks()) {
    text +=
        std::next(source.begin(), block.block)->getName().str() + std::to_string(block.depth) + " ";
  }
  return text;
}

TEST(BlockOrderTest, LeavesOutWhatCannotBeReached) {
  BlockOrder order;
  EXPECT_EQ(OrderOf("a:\n  br label %b\nx:\n  br label %b\nb:\n  ret void\n", order), "a0 b0 ");
  EXPECT_EQ(order.blocks()[1].predecessors, 1u);
}

TEST(BlockOrderTest, KeepsALoopInOnePiece) {
  // The exit comes first in the branch, and would stand in the middle of the loop.
  BlockOrder order;
  EXPECT_EQ(OrderOf("a:\n  br label %h\n"
                    "h:\n  br i1 %c, label %x, label %b\n"
                    "b:\n  br i1 %c, label %x, label %h\n"
                    "x:\n  ret void\n",
                    order),
            "a0 h1 b1 x0 ");
  ASSERT_EQ(order.loops().size(), 1u);
  EXPECT_EQ(order.loops()[0].first_block, 1u);
  EXPECT_EQ(order.loops()[0].last_block, 2u);
}

TEST(BlockOrderTest, NestsLoops) {
  BlockOrder order;
  EXPECT_EQ(OrderOf("a:\n  br label %o\n"
                    "o:\n  br label %i\n"
                    "i:\n  br i1 %c, label %i, label %l\n"
                    "l:\n  br i1 %c, label %o, label %x\n"
                    "x:\n  ret void\n",
                    order),
            "a0 o1 i2 l1 x0 ");
  ASSERT_EQ(order.loops().size(), 2u);
  EXPECT_EQ(order.loops()[1].parent, 0u);
}

TEST(BlockOrderTest, SaysThatALoopHasTwoEntries) {
  BlockOrder order;
  OrderOf(
      "a:\n  br i1 %c, label %x, label %y\n"
      "x:\n  br label %y\n"
      "y:\n  br i1 %c, label %x, label %e\n"
      "e:\n  ret void\n",
      order);
  EXPECT_TRUE(order.has_irreducible_loop());
  EXPECT_TRUE(order.loops().empty());
}

}  // namespace
}  // namespace firstcall::baseline
