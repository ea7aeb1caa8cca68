#include "ir/control_flow.h"

#include <cstdint>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ir/function_builder.h"

namespace firstcall::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ControlFlowTest : public ::testing::Test {
 protected:
  // A block for each list, which leads to the blocks of the list.
  void Begin(const std::vector<std::vector<uint32_t>>& blocks) {
    builder_.Begin(builder_.FunctionType(builder_.Void(), {}));
    for (const std::vector<uint32_t>& targets : blocks) {
      builder_.BeginBlock();
      builder_.Add(Opcode::kIndirectBr, builder_.Void(), {}, targets);
    }
    flow_.Begin(builder_.function());
  }

  // Whether `block` is reached without `avoided`, and without the edge.
  bool IsReachedWithout(uint32_t block, uint32_t avoided, uint32_t source = kNone,
                        uint32_t target = kNone) {
    const Function& function = builder_.function();
    std::vector<bool> seen(function.blocks.size());
    std::vector<uint32_t> pending;
    const auto reach = [&](uint32_t number) {
      if (number == avoided || seen[number]) return;
      seen[number] = true;
      pending.push_back(number);
    };
    reach(0);
    while (!pending.empty()) {
      const uint32_t from = pending.back();
      pending.pop_back();
      bool is_first = true;  // Of several such edges, one is left out.
      for (uint32_t to : function.SuccessorsOf(function.blocks[from])) {
        if (from == source && to == target && is_first) {
          is_first = false;
          continue;
        }
        reach(to);
      }
    }
    return seen[block];
  }

  // Compares all answers with those of a search.
  void ExpectRight() {
    const auto count = static_cast<uint32_t>(builder_.function().blocks.size());
    for (uint32_t block = 0; block < count; ++block) {
      const bool is_reachable = IsReachedWithout(block, kNone);
      ASSERT_EQ(flow_.IsReachable(block), is_reachable) << block;
      if (!is_reachable) continue;
      for (uint32_t other = 0; other < count; ++other) {
        ASSERT_EQ(flow_.Dominates(other, block),
                  IsReachedWithout(other, kNone) && !IsReachedWithout(block, other))
            << other << " over " << block;
        for (uint32_t target :
             builder_.function().SuccessorsOf(builder_.function().blocks[other])) {
          if (target == 0) continue;
          ASSERT_EQ(
              flow_.EdgeDominates(other, target, block),
              IsReachedWithout(other, kNone) && !IsReachedWithout(block, kNone, other, target))
              << other << " to " << target << " over " << block;
        }
      }
    }
  }

  FunctionBuilder builder_;
  ControlFlow flow_;
};

TEST_F(ControlFlowTest, ListsPredecessorsOnceForEachEdge) {
  Begin({{1, 2, 1}, {2}, {}});
  EXPECT_THAT(flow_.PredecessorsOf(0), IsEmpty());
  EXPECT_THAT(flow_.PredecessorsOf(1), ElementsAre(0, 0));
  EXPECT_THAT(flow_.PredecessorsOf(2), ElementsAre(0, 1));
}

TEST_F(ControlFlowTest, KnowsDominators) {
  Begin({{1, 2}, {3}, {3}, {4}, {3, 5}, {}, {5}});
  ExpectRight();
}

TEST_F(ControlFlowTest, KnowsDominatorsOfRandomGraphs) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const uint32_t count = 1 + random() % 12;
    std::vector<std::vector<uint32_t>> blocks(count);
    for (std::vector<uint32_t>& targets : blocks) {
      for (uint32_t left = random() % 4; left > 0 && count > 1; --left) {
        targets.push_back(1 + random() % (count - 1));
      }
    }
    Begin(blocks);
    ExpectRight();
  }
}

// A ladder whose rungs lead upwards: slow for algorithms that walk up the tree for each edge.
TEST_F(ControlFlowTest, LongGraphsTakeLittleTime) {
  constexpr uint32_t kCount = 200000;
  std::vector<std::vector<uint32_t>> blocks(kCount);
  for (uint32_t i = 0; i + 1 < kCount; ++i) blocks[i] = {i + 1, kCount - 1 - i / 2};
  Begin(blocks);
  EXPECT_TRUE(flow_.IsReachable(kCount - 1));
  EXPECT_TRUE(flow_.Dominates(0, kCount - 1));
}

}  // namespace
}  // namespace firstcall::ir
