#include "splitter/osr/block_graph.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class BlockGraphTest : public ::testing::Test {
 protected:
  llvm::Function& Load(const std::string& text) {
    module_ = ParseModule(text, context_);
    return *module_->getFunction("f");
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(BlockGraphTest, BlocksAreNumberedAsTheyComeAndJoinedBothWays) {
  llvm::Function& f = Load(R"(
    define void @f(i1 %c, i32 %n) {
    b0:
      br i1 %c, label %b1, label %b2
    b1:
      switch i32 %n, label %b3 [ i32 1, label %b2
                                 i32 2, label %b3 ]
    b2:
      br label %b1
    b3:
      ret void
    })");
  const BlockGraph graph(f);
  ASSERT_EQ(graph.size(), 4u);
  unsigned number = 0;
  for (const llvm::BasicBlock& block : f) EXPECT_EQ(graph.Number(block), number++);
  EXPECT_THAT(graph.Successors(0), UnorderedElementsAre(1, 2));
  EXPECT_THAT(graph.Successors(1), UnorderedElementsAre(2, 3, 3));
  EXPECT_THAT(graph.Successors(2), UnorderedElementsAre(1));
  EXPECT_THAT(graph.Successors(3), IsEmpty());
  EXPECT_THAT(graph.Predecessors(0), IsEmpty());
  EXPECT_THAT(graph.Predecessors(1), UnorderedElementsAre(0, 2));
  EXPECT_THAT(graph.Predecessors(2), UnorderedElementsAre(0, 1));
  EXPECT_THAT(graph.Predecessors(3), UnorderedElementsAre(1, 1));
}

TEST_F(BlockGraphTest, WaysThatAConstantRulesOutAreNone) {
  const BlockGraph graph(Load(R"(
    define void @f() {
    b0:
      br i1 true, label %b1, label %b2
    b1:
      br i1 false, label %b2, label %b3
    b2:
      br label %b3
    b3:
      br i1 poison, label %b2, label %b1
    })"));
  EXPECT_THAT(graph.Successors(0), UnorderedElementsAre(1));
  EXPECT_THAT(graph.Successors(1), UnorderedElementsAre(3));
  EXPECT_THAT(graph.Successors(3), UnorderedElementsAre(1, 2));
  EXPECT_THAT(graph.Predecessors(2), UnorderedElementsAre(3));
}

}  // namespace
}  // namespace firstcall
