// Random functions, of which LLVM's analyses must say the same.

#include "splitter/osr/block_search.h"

#include <cstddef>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::ElementsAreArray;
using ::testing::UnorderedElementsAreArray;

class BlockSearchTest : public ::testing::Test {
 protected:
  // A function of `count` blocks, each with up to three successors, most of them near.
  llvm::Function& MakeRandomFunction(size_t count) {
    module_ = std::make_unique<llvm::Module>("test", context_);
    llvm::IRBuilder<> builder(context_);
    llvm::Function* function = llvm::Function::Create(
        llvm::FunctionType::get(builder.getVoidTy(), {builder.getInt32Ty()}, false),
        llvm::Function::ExternalLinkage, "f", *module_);
    std::vector<llvm::BasicBlock*> blocks;
    for (size_t i = 0; i < count; ++i) {
      blocks.push_back(llvm::BasicBlock::Create(context_, "", function));
    }
    for (size_t i = 0; i < count; ++i) {
      // Not the entry, which may have no predecessors.
      const auto any = [&] {
        if (random_() % 4 == 0) return blocks[1 + random_() % (count - 1)];
        return blocks[1 + (i + random_() % 5 + count - 2) % (count - 1)];
      };
      builder.SetInsertPoint(blocks[i]);
      const size_t successors = i == 0 ? 2 : random_() % 4;
      if (successors == 0) {
        builder.CreateRetVoid();
        continue;
      }
      llvm::SwitchInst* choice = builder.CreateSwitch(function->getArg(0), any());
      for (size_t j = 1; j < successors; ++j) choice->addCase(builder.getInt32(j), any());
    }
    return *function;
  }

  std::mt19937 random_{1};
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(BlockSearchTest, FindsTheBackEdgesOfADepthFirstSearch) {
  for (int i = 0; i < 500; ++i) {
    llvm::Function& function = MakeRandomFunction(2 + random_() % 40);
    const BlockGraph graph(function);
    llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 8> edges;
    llvm::FindFunctionBackedges(function, edges);
    std::vector<unsigned> headers;
    for (const auto& [from, to] : edges) {
      const unsigned header = graph.Number(*to);
      if (!llvm::is_contained(headers, header)) headers.push_back(header);
    }
    EXPECT_THAT(BlockSearch(graph).loop_headers(), UnorderedElementsAreArray(headers));
  }
}

TEST_F(BlockSearchTest, SaysWhetherThereIsALoop) {
  int loops = 0;
  for (int i = 0; i < 500; ++i) {
    llvm::Function& function = MakeRandomFunction(2 + random_() % 7);
    const bool has_loop = HasLoop(function);
    loops += has_loop ? 1 : 0;
    EXPECT_EQ(has_loop, !BlockSearch(BlockGraph(function)).loop_headers().empty());
  }
  EXPECT_GT(loops, 50);
  EXPECT_LT(loops, 450);
}

TEST_F(BlockSearchTest, DominatorsAreThoseOfLlvmsTree) {
  for (int i = 0; i < 500; ++i) {
    llvm::Function& function = MakeRandomFunction(2 + random_() % 40);
    const BlockGraph graph(function);
    BlockSearch search(graph);
    const llvm::DominatorTree tree(function);
    for (llvm::BasicBlock& block : function) {
      if (!tree.isReachableFromEntry(&block)) continue;
      std::vector<unsigned> expected;
      for (llvm::BasicBlock& other : function) {
        if (tree.properlyDominates(&other, &block)) expected.push_back(graph.Number(other));
      }
      EXPECT_THAT(search.Dominators(graph.Number(block)), ElementsAreArray(expected));
    }
  }
}

TEST_F(BlockSearchTest, OneBlockHasNeither) {
  module_ = ParseModule("define void @f() { ret void }", context_);
  llvm::Function& function = *module_->getFunction("f");
  const BlockGraph graph(function);
  BlockSearch search(graph);
  EXPECT_TRUE(search.loop_headers().empty());
  EXPECT_TRUE(search.Dominators(0).empty());
}

}  // namespace
}  // namespace firstcall
