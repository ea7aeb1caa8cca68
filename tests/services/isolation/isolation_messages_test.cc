#include "services/isolation/isolation_messages.h"

#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(IsolationMessagesTest, AMessagesKindHasALevel) {
  const uint32_t kind = MessageKind(IsolationMessage::kCallback, 1000);
  EXPECT_EQ(KindOf(kind), IsolationMessage::kCallback);
  EXPECT_EQ(LevelOf(kind), 1000u);
}

}  // namespace
}  // namespace firstcall
