// Some random answers of servers; --messages=N sets how many.

#include "tests/fuzz/server_answers.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/testing/fuzz_input.h"

namespace firstcall::testing {
namespace {

int messages = 3000;

TEST(ServerAnswersTest, WithoutDamageAllIsFound) {
  EXPECT_EQ(TryServerAnswers(std::string("\1\0\0", 3)), 14);
  EXPECT_EQ(TryServerAnswers(std::string("\2\0\0\0\1", 5)), 14);
}

TEST(ServerAnswersTest, NothingElseThanWhatWasStoredIsFound) {
  FuzzInput input(5);
  int found = 0;
  for (int i = 0; i < messages; ++i) found += TryServerAnswers(input.Bytes(100));
  // Not all of them damage all.
  EXPECT_GT(found, 0);
}

TEST(ServerAnswersTest, RepliesOfRedisThatAreNearlyRightAreNoHarm) {
  FuzzInput input(6);
  const std::string reply("\0\5*2\r\n$3\r\nabc\r\n*2\r\n-MOVED 1 127.0.0.1:6379\r\n:7\r\n", 50);
  for (int i = 0; i < messages; ++i) {
    std::string damaged = input.Damaged(reply);
    if (!damaged.empty()) damaged[0] = 0;
    EXPECT_EQ(TryServerAnswers(damaged), 0);
  }
}

}  // namespace
}  // namespace firstcall::testing

int main(int argc, char** argv) {
  return firstcall::RunFuzzTests(argc, argv, firstcall::testing::messages);
}
