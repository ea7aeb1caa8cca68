#include "runtime/promotion/promotion_threads.h"

#include <utility>

#include "absl/time/clock.h"
#include "base/keep_for_ever.h"
#include "base/steady_clock.h"
#include "runtime/process/unattended_work.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

// A thread that exits while it is at work waits at most this long for the serving threads, because
// they may wait for something that it holds.
constexpr absl::Duration kLongestWaitAtWork = absl::Seconds(1);

}  // namespace

PromotionThreads::PromotionThreads(size_t count, Tasks tasks)
    : count_(count), tasks_(std::move(tasks)) {}

PromotionThreads::~PromotionThreads() = default;

bool PromotionThreads::are_missing() const {
  if (count_ == 0) return false;
  const PromotionCrew::Member* member = member_.load(std::memory_order_acquire);
  return member == nullptr || !member->IsOfThisProcess();
}

bool PromotionThreads::Start() {
  if (!are_missing()) return false;
  absl::MutexLock lock(&mutex_);
  if (are_stopping_ || !are_missing()) return false;
  are_needed_ = true;
  if (exit_hook_ == nullptr) {
    exit_hook_ = std::make_unique<ExitHook>([this] { StopForExit(); }, ExitHook::When::kAtOnce);
  }
  std::shared_ptr<PromotionCrew::Member> member = PromotionCrew::Join(count_, tasks_);
  // If there is no thread at all, the next first body tries again.
  if (member == nullptr) return false;
  are_needed_ = false;
  if (member_owner_ != nullptr) parents_.push_back(std::move(member_owner_));
  member_owner_ = member;
  member_.store(member.get(), std::memory_order_release);
  return true;
}

void PromotionThreads::Wake() {
  if (PromotionCrew::Member* member = member_.load(std::memory_order_acquire)) member->Wake();
}

void PromotionThreads::BeginToStop() {
  are_stopping_ = true;
  if (PromotionCrew::Member* member = member_) member->End();
}

bool PromotionThreads::Stop(absl::FunctionRef<bool(const OwnThread& thread)> abandon) {
  std::unique_ptr<ExitHook> exit_hook;
  {
    absl::MutexLock lock(&mutex_);
    exit_hook.swap(exit_hook_);
  }
  exit_hook = nullptr;  // Waits for its callback, which uses the member.
  std::shared_ptr<PromotionCrew::Member> member;
  {
    absl::MutexLock lock(&mutex_);
    member = std::move(member_owner_);
    member_.store(nullptr, std::memory_order_release);
  }
  if (member == nullptr || !member->IsOfThisProcess()) return true;
  if (is_exiting_) {
    KeepForEver(std::move(member));  // The threads still use it.
    return false;
  }
  PromotionCrew::Leave(member, abandon);
  return true;
}

// A compile in progress uses static objects of LLVM that exit is about to destroy.
void PromotionThreads::StopForExit() {
  are_stopping_ = is_exiting_ = true;
  UnattendedWork::StopForExit();
  // The member exists until this callback returns: Stop destroys the hook before the member, and so
  // waits for the callback.
  PromotionCrew::Member* member = member_;
  if (member == nullptr) return;
  member->End();
  if (!member->IsOfThisProcess()) return;
  member->LeaveThreadsAlone();
  const absl::Duration end =
      WorkScope::IsAtWork() ? SteadyNow() + kLongestWaitAtWork : absl::InfiniteDuration();
  // A listener may call exit on a thread that works for this promoter, which is not counted.
  while (member->serving() > 0 && SteadyNow() < end) absl::SleepFor(absl::Microseconds(100));
}

}  // namespace firstcall
