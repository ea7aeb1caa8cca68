#include "runtime/promotion/promotion_crew.h"

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "base/own_thread.h"
#include "gtest/gtest.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

using Member = PromotionCrew::Member;
using Found = PromotionCrew::Found;
using Served = PromotionCrew::Served;

// Notes which threads have done something.
class Threads {
 public:
  void Note() {
    absl::MutexLock lock(&mutex_);
    ids_.insert(std::this_thread::get_id());
  }
  size_t count() const {
    absl::MutexLock lock(&mutex_);
    return ids_.size();
  }

 private:
  mutable absl::Mutex mutex_;
  std::set<std::thread::id> ids_;
};

std::shared_ptr<Member> Join(size_t count, PromotionCrew::Tasks tasks) {
  const WorkScope scope;
  return PromotionCrew::Join(count, std::move(tasks));
}

bool AbandonNothing(const OwnThread&) { return false; }

void WaitFor(const std::function<bool()>& condition) {
  while (!condition()) absl::SleepFor(absl::Milliseconds(1));
}

TEST(PromotionCrewTest, ManyMembersShareOneThread) {
  Threads threads;
  std::vector<std::atomic<int>> looks(200);
  std::vector<std::shared_ptr<Member>> members;
  for (auto& look : looks) {
    members.push_back(Join(1, {[&] {
                                 threads.Note();
                                 ++look;
                                 return Found::kNothing;
                               },
                               [](std::atomic<int>*) { return Served::kNone; }}));
  }
  for (auto& look : looks) WaitFor([&] { return look >= 3; });
  EXPECT_EQ(threads.count(), 1u);
  for (const auto& member : members) PromotionCrew::Leave(member, AbandonNothing);
}

TEST(PromotionCrewTest, HasAsManyThreadsAsTheMemberThatWantsMost) {
  Threads threads;
  const PromotionCrew::Tasks tasks = {[] { return Found::kNothing; },
                                      [&](std::atomic<int>*) {
                                        threads.Note();
                                        absl::SleepFor(absl::Milliseconds(1));
                                        return Served::kOne;
                                      }};
  const std::shared_ptr<Member> modest = Join(1, tasks);
  const std::shared_ptr<Member> greedy = Join(3, tasks);
  WaitFor([&] { return threads.count() >= 3; });
  const std::shared_ptr<Member> another = Join(2, tasks);
  absl::SleepFor(absl::Milliseconds(50));
  EXPECT_EQ(threads.count(), 3u);
  for (const auto& member : {modest, greedy, another}) {
    PromotionCrew::Leave(member, AbandonNothing);
  }
}

TEST(PromotionCrewTest, NobodyWaitsForAllWorkOfAnother) {
  const std::shared_ptr<Member> busy = Join(1, {[] { return Found::kSomething; },
                                                [](std::atomic<int>*) {
                                                  absl::SleepFor(absl::Milliseconds(1));
                                                  return Served::kOne;
                                                }});
  std::atomic<int> served{0};
  const std::shared_ptr<Member> other = Join(1, {[] { return Found::kSomething; },
                                                 [&](std::atomic<int>*) {
                                                   ++served;
                                                   return Served::kNone;
                                                 }});
  for (int i = 1; i <= 3; ++i) {
    other->Wake();
    WaitFor([&] { return served >= i; });
  }
  PromotionCrew::Leave(busy, AbandonNothing);
  PromotionCrew::Leave(other, AbandonNothing);
}

// A new thread serves who joins after the last one has left.
TEST(PromotionCrewTest, NothingIsCalledAfterLeaving) {
  for (int i = 0; i < 100; ++i) {
    auto calls = std::make_unique<std::atomic<int>>(0);
    const std::shared_ptr<Member> member =
        Join(2, {[calls = calls.get()] {
                   ++*calls;
                   return Found::kSomething;
                 },
                 [calls = calls.get()](std::atomic<int>*) {
                   return ++*calls % 2 == 0 ? Served::kOne : Served::kNone;
                 }});
    if (i % 3 != 0) WaitFor([&] { return *calls > i % 5; });
    PromotionCrew::Leave(member, AbandonNothing);
    EXPECT_EQ(member->serving(), 0);
    calls = nullptr;  // The address sanitizer notices a call.
  }
}

TEST(PromotionCrewTest, AMemberWaitsForItsWorkWhileTheLastOneLeaves) {
  absl::Notification is_served, may_end;
  const std::shared_ptr<Member> busy = Join(1, {[] { return Found::kSomething; },
                                                [&](std::atomic<int>*) {
                                                  is_served.Notify();
                                                  may_end.WaitForNotification();
                                                  return Served::kNone;
                                                }});
  const std::shared_ptr<Member> last =
      Join(1, {[] { return Found::kNothing; }, [](std::atomic<int>*) { return Served::kNone; }});
  is_served.WaitForNotification();
  std::atomic<bool> has_left{false};
  std::thread leaving([&] {
    PromotionCrew::Leave(busy, AbandonNothing);
    has_left = true;
  });
  absl::SleepFor(absl::Milliseconds(20));  // Until it waits, most likely.
  std::thread leaving_last([&] { PromotionCrew::Leave(last, AbandonNothing); });
  absl::SleepFor(absl::Milliseconds(20));
  EXPECT_FALSE(has_left);
  may_end.Notify();
  leaving.join();
  leaving_last.join();
}

TEST(PromotionCrewTest, AMemberLeavesOnTheThreadThatServesIt) {
  std::shared_ptr<Member> member;
  absl::Notification is_known, has_left;
  member = Join(1, {[] { return Found::kNothing; },
                    [&](std::atomic<int>*) {
                      is_known.WaitForNotification();
                      EXPECT_EQ(member->serving(), 0);  // Except for this thread.
                      PromotionCrew::Leave(member, AbandonNothing);
                      has_left.Notify();
                      return Served::kNone;
                    }});
  is_known.Notify();
  has_left.WaitForNotification();
}

// The thread that is left to itself ends with its piece of work, and another takes its place.
TEST(PromotionCrewTest, OthersAreServedWhenAThreadIsAbandoned) {
  absl::Notification has_begun, may_end;
  Threads threads;
  const std::shared_ptr<Member> slow = Join(1, {[] { return Found::kSomething; },
                                                [&](std::atomic<int>*) {
                                                  threads.Note();
                                                  has_begun.Notify();
                                                  may_end.WaitForNotification();
                                                  return Served::kAbandoned;
                                                }});
  has_begun.WaitForNotification();
  std::atomic<int> served{0};
  const std::shared_ptr<Member> other = Join(1, {[] { return Found::kSomething; },
                                                 [&](std::atomic<int>*) {
                                                   threads.Note();
                                                   ++served;
                                                   return Served::kNone;
                                                 }});
  int attempts = 0;
  PromotionCrew::Leave(slow, [&](const OwnThread& thread) {
    EXPECT_FALSE(thread.IsThisThread());
    return ++attempts == 2;
  });
  EXPECT_EQ(attempts, 2);
  WaitFor([&] { return served > 0; });
  EXPECT_EQ(threads.count(), 2u);
  may_end.Notify();
  PromotionCrew::Leave(other, AbandonNothing);
  WaitFor([&] { return slow.use_count() == 1; });  // The abandoned thread has gone.
}

}  // namespace
}  // namespace firstcall
