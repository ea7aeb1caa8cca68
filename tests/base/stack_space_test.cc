#include "base/stack_space.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/base/config.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

constexpr size_t kKib = 1024;

TEST(StackSpaceTest, OfTheFirstThreadIsTheLimitLessWhatIsUsed) {
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_STACK, &limit), 0);
  const rlim_t most = std::min(limit.rlim_cur, rlim_t{64} << 20);
  EXPECT_GT(StackLeft(), most / 2);
  EXPECT_LT(StackLeft(), most);
}

[[gnu::noinline]] size_t LeftBelow(size_t bytes) {
  char used[16 * kKib];
  asm volatile("" : : "r"(&used) : "memory");  // So that it is there.
  const size_t left = bytes <= sizeof(used) ? StackLeft() : LeftBelow(bytes - sizeof(used));
  asm volatile("" : : "r"(&used) : "memory");
  return left;
}

TEST(StackSpaceTest, IsLessForCallees) {
#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
  GTEST_SKIP() << "variables whose addresses are taken lie elsewhere";
#endif
  const size_t here = StackLeft();
  const size_t there = LeftBelow(256 * kKib);
  EXPECT_LT(there, here - 256 * kKib);
  EXPECT_GT(there, here - 1024 * kKib);
}

TEST(StackSpaceTest, OfAnotherThreadIsThatOfItsAttributes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  constexpr size_t kSize = 512 * kKib;
  pthread_attr_setstacksize(&attributes, kSize);
  pthread_t thread;
  size_t left = 0;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* result) -> void* {
                  *static_cast<size_t*>(result) = StackLeft();
                  return nullptr;
                },
                &left),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_GT(left, kSize / 2);
  EXPECT_LE(left, kSize);
}

size_t left_of_handler = 1;

TEST(StackSpaceTest, OfASignalStackIsNotKnown) {
  std::vector<char> bytes(64 * kKib);
  stack_t before, stack = {};
  stack.ss_sp = bytes.data();
  stack.ss_size = bytes.size();
  ASSERT_EQ(sigaltstack(&stack, &before), 0);
  struct sigaction action = {}, action_before;
  action.sa_handler = [](int) { left_of_handler = StackLeft(); };
  action.sa_flags = SA_ONSTACK;
  ASSERT_EQ(sigaction(SIGUSR1, &action, &action_before), 0);
  raise(SIGUSR1);
  EXPECT_EQ(left_of_handler, 0u);
  sigaction(SIGUSR1, &action_before, nullptr);
  sigaltstack(&before, nullptr);
}

}  // namespace
}  // namespace firstcall
