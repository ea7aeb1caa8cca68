// How the way out of a loop is written into a continuation's object, and what is made of damage.

#include "seam/loop_exit.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

LeavableLoop Example() {
  LeavableLoop loop;
  loop.leave = 70;
  loop.live_in_bytes = 40;
  LiveInMove general;
  general.reg = 3;
  general.bytes = 1;
  general.bits = 1;
  LiveInMove memory;
  memory.from = LiveInMove::From::kMemory;
  memory.reg = 6;
  memory.bytes = 8;
  memory.offset = -24;
  memory.to = 32;
  LiveInMove label = memory;
  label.from = LiveInMove::From::kVectorRegister;
  label.reg = 20;
  label.is_label = true;
  label.to = 36;
  loop.moves = {general, memory, label};
  loop.targets = {12, UINT32_MAX};
  loop.body = "an object";
  return loop;
}

TEST(LoopExitTest, WhatIsReadIsWhatWasWritten) {
  const LeavableLoop written = Example();
  const std::optional<LeavableLoop> read = LeavableLoop::Decode(written.Encode());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->leave, 70u);
  EXPECT_EQ(read->live_in_bytes, 40u);
  ASSERT_EQ(read->moves.size(), 3u);
  EXPECT_EQ(read->moves[0].bits, 1);
  EXPECT_EQ(read->moves[1].from, LiveInMove::From::kMemory);
  EXPECT_EQ(read->moves[1].offset, -24);
  EXPECT_EQ(read->moves[1].to, 32u);
  EXPECT_TRUE(read->moves[2].is_label);
  EXPECT_EQ(read->targets, written.targets);
  EXPECT_EQ(read->body, "an object");
}

TEST(LoopExitTest, WhatIsCutOffIsRefused) {
  const std::string bytes = Example().Encode();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(LeavableLoop::Decode(bytes.substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(LeavableLoop::Decode(bytes + "x").has_value());
}

// Otherwise memory beside the live-ins would be written.
TEST(LoopExitTest, PlacesBehindTheEndAreRefused) {
  LeavableLoop loop = Example();
  loop.moves[1].to = 33;
  EXPECT_FALSE(LeavableLoop::Decode(loop.Encode()).has_value());
  loop.moves[1].to = UINT32_MAX;
  EXPECT_FALSE(LeavableLoop::Decode(loop.Encode()).has_value());
  loop = Example();
  loop.moves[2].to = 37;
  EXPECT_FALSE(LeavableLoop::Decode(loop.Encode()).has_value());
}

TEST(LoopExitTest, RegistersThatDoNotExistAreRefused) {
  LeavableLoop loop = Example();
  loop.moves[0].reg = 32;
  EXPECT_FALSE(LeavableLoop::Decode(loop.Encode()).has_value());
  loop = Example();
  loop.moves[0].bytes = 17;
  EXPECT_FALSE(LeavableLoop::Decode(loop.Encode()).has_value());
  loop = Example();
  loop.moves[2].reg = 96;
  EXPECT_FALSE(LeavableLoop::Decode(loop.Encode()).has_value());
}

}  // namespace
}  // namespace firstcall
