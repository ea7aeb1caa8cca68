#include "runtime/promotion/promotion_crew.h"

#include <cxxabi.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <deque>
#include <utility>

#include "absl/status/statusor.h"
#include "base/forks.h"
#include "base/keep_for_ever.h"
#include "base/steady_clock.h"
#include "runtime/process/compile_threads.h"
#include "runtime/process/exit_hook.h"
#include "runtime/process/unattended_work.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

// A pause takes at least this many times as long as the last look, however many functions there
// are.
constexpr int kPausesOfALook = 20;

// The time between two attempts to leave without a thread.
constexpr absl::Duration kLastPause = absl::Milliseconds(1);

// The promoter that this thread works for, if this is a thread of a crew.
thread_local const PromotionCrew::Member* served_by_this_thread = nullptr;

}  // namespace

struct PromotionCrew::Worker {
  std::unique_ptr<OwnThread> thread;
  const Member* member = nullptr;  // The one it is working for. Guarded by the crew's mutex.
  bool is_new = true;              // Used by the thread alone.
};

struct PromotionCrew::OfProcess {
  absl::Mutex mutex;  // No process forks while it is locked.
  std::shared_ptr<PromotionCrew> crew ABSL_GUARDED_BY(mutex);
};

// While this exists, a thread of the crew is at work for a member. While the process exits, the
// constructor does not return (see WorkScope).
class PromotionCrew::Member::Serving {
 public:
  explicit Serving(Member& member) : member_(member) {
    ++member_.serving_;
    served_by_this_thread = &member_;
  }
  ~Serving() {
    served_by_this_thread = nullptr;
    --member_.serving_;
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

 private:
  const WorkScope scope_;
  Member& member_;
};

// --- Members ---

bool PromotionCrew::Member::IsOfThisProcess() const { return crew_->owner_ == ProcessIdentity(); }

void PromotionCrew::Member::Wake() {
  is_woken_ = true;
  sem_post(&crew_->work_);
}

int PromotionCrew::Member::serving() const {
  return serving_ - (served_by_this_thread == this ? 1 : 0);
}

void PromotionCrew::Member::LeaveThreadsAlone() {
  absl::MutexLock lock(&crew_->mutex_);
  if (std::exchange(crew_->is_left_alone_, true)) return;
  for (const auto& worker : crew_->workers_) worker->thread->Detach();
}

PromotionCrew::PromotionCrew() : owner_(ProcessIdentity()) { sem_init(&work_, /*pshared=*/0, 0); }

PromotionCrew::OfProcess& PromotionCrew::Current() {
  static OfProcess& current = *new OfProcess;
  return current;
}

std::shared_ptr<PromotionCrew::Member> PromotionCrew::Join(size_t count, Tasks tasks) {
  OfProcess& current = Current();
  absl::MutexLock lock(&current.mutex);
  if (current.crew != nullptr && current.crew->owner_ != ProcessIdentity()) {
    // A thread of the parent may have had the lock.
    KeepForEver(std::move(current.crew));
    current.crew = nullptr;
  }
  if (current.crew == nullptr) current.crew.reset(new PromotionCrew);
  const std::shared_ptr<PromotionCrew> crew = current.crew;
  std::shared_ptr<Member> member(new Member(std::move(tasks), crew));
  absl::MutexLock crew_lock(&crew->mutex_);
  crew->wanted_threads_ = std::max(crew->wanted_threads_, count);
  crew->StartThreads();
  if (crew->workers_.empty()) return nullptr;
  crew->members_.push_back(member);
  sem_post(&crew->work_);  // Functions may have asked before.
  return member;
}

void PromotionCrew::StartThreads() {
  while (workers_.size() < wanted_threads_) {
    auto worker = std::make_shared<Worker>();
    absl::StatusOr<std::unique_ptr<OwnThread>> thread =
        StartCompilerThread([crew = shared_from_this(), worker] { crew->Work(*worker); });
    if (!thread.ok()) return;
    worker->thread = *std::move(thread);
    if (is_left_alone_) worker->thread->Detach();
    workers_.push_back(std::move(worker));
  }
}

// --- The end ---

void PromotionCrew::Leave(const std::shared_ptr<Member>& member,
                          absl::FunctionRef<bool(const OwnThread& thread)> abandon) {
  const std::shared_ptr<PromotionCrew> crew = member->crew_;
  member->End();
  crew->Remove(*member, abandon);
  std::vector<std::shared_ptr<Worker>> last;
  {
    const ForkScope scope;
    OfProcess& current = Current();
    absl::MutexLock lock(&current.mutex);
    absl::MutexLock crew_lock(&crew->mutex_);
    if (!crew->members_.empty() || std::exchange(crew->has_ended_, true)) return;
    if (current.crew == crew) current.crew = nullptr;
    last.swap(crew->workers_);
    if (crew->is_left_alone_) return;
  }
  for (size_t i = 0; i < last.size(); ++i) sem_post(&crew->work_);
  for (const auto& worker : last) {
    if (worker->thread->IsThisThread()) {
      worker->thread->Detach();  // The calling thread cannot join itself.
    } else {
      worker->thread->Join();
    }
  }
}

void PromotionCrew::Remove(const Member& member,
                           absl::FunctionRef<bool(const OwnThread& thread)> abandon) {
  const auto busy = [&] {
    mutex_.AssertHeld();
    std::vector<std::shared_ptr<Worker>> workers;
    for (const auto& worker : workers_) {
      if (worker->member == &member && !worker->thread->IsThisThread()) workers.push_back(worker);
    }
    return workers;
  };
  const absl::Duration patience_ends = SteadyNow() + UnattendedWork::kPatience;
  absl::MutexLock lock(&mutex_);
  const auto is_done = [&] { return busy().empty(); };
  while (!mutex_.AwaitWithTimeout(absl::Condition(&is_done), kLastPause)) {
    if (SteadyNow() < patience_ends) continue;
    for (const std::shared_ptr<Worker>& worker : busy()) {
      // Unlocked, because `abandon` takes the promoter's mutex, which comes before this one in the
      // order of locks.
      mutex_.Unlock();
      const bool is_abandoned = abandon(*worker->thread);
      mutex_.Lock();
      if (!is_abandoned) continue;
      // Ends when its passes do. Another thread takes its place.
      workers_.erase(std::find(workers_.begin(), workers_.end(), worker));
      if (!is_left_alone_) worker->thread->Detach();
      if (members_.size() > 1) StartThreads();
    }
  }
  // The member stays on the list until here. Otherwise another member could leave as the last one
  // meanwhile and take all threads away, and this member would not wait for those that are with it.
  members_.erase(
      std::find_if(members_.begin(), members_.end(),
                   [&](const std::shared_ptr<Member>& each) { return each.get() == &member; }));
}

// --- The threads ---

void PromotionCrew::Work(Worker& worker) {
  std::deque<std::shared_ptr<Member>> busy;  // Members that may have work, the next one first.
  while (true) {
    if (busy.empty() && !WaitForWork()) return;
    for (const std::shared_ptr<Member>& member : TakeDue()) {
      if (!LookFor(*member, worker)) continue;
      if (std::find(busy.begin(), busy.end(), member) == busy.end()) busy.push_back(member);
    }
    if (busy.empty()) continue;
    const std::shared_ptr<Member> member = std::move(busy.front());
    busy.pop_front();
    switch (Serve(*member, worker)) {
      case Served::kOne:
        busy.push_back(member);
        break;
      case Served::kNone:
        break;
      case Served::kAbandoned:
        return;
    }
  }
}

bool PromotionCrew::WaitForWork() {
  absl::Duration next = SteadyNow() + kLongestPause;
  {
    absl::MutexLock lock(&mutex_);
    if (has_ended_) return false;
    for (const auto& member : members_) next = std::min(next, member->next_look_);
  }
  const timespec until = absl::ToTimespec(next);
  while (sem_clockwait(&work_, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
  }
  return true;
}

std::vector<std::shared_ptr<PromotionCrew::Member>> PromotionCrew::TakeDue() {
  const absl::Duration now = SteadyNow();
  std::vector<std::shared_ptr<Member>> due;
  absl::MutexLock lock(&mutex_);
  for (const auto& member : members_) {
    const bool is_woken = member->is_woken_.exchange(false);
    if (!is_woken && member->next_look_ > now) continue;
    member->next_look_ = absl::InfiniteDuration();
    due.push_back(member);
  }
  return due;
}

bool PromotionCrew::Begin(const Member& member, Worker& worker) {
  absl::MutexLock lock(&mutex_);
  if (member.has_ended_) return false;
  worker.member = &member;
  return true;
}

void PromotionCrew::Finish(Worker& worker) {
  absl::MutexLock lock(&mutex_);
  worker.member = nullptr;
}

bool PromotionCrew::LookFor(Member& member, Worker& worker) {
  if (!Begin(member, worker)) return false;
  absl::Duration pause = kShortestPause;
  {
    const Member::Serving serving(member);
    if (!member.has_ended_) {
      const absl::Duration start = SteadyNow();
      const Found found = member.tasks_.look();
      if (found == Found::kNothing) pause = std::min(2 * member.pause_, kLongestPause);
      if (found == Found::kMustWait) pause = 4 * kShortestPause;
      pause = std::max(pause, kPausesOfALook * (SteadyNow() - start));
    }
  }
  absl::MutexLock lock(&mutex_);
  worker.member = nullptr;
  member.pause_ = pause;
  member.next_look_ = SteadyNow() + pause;
  return !member.has_ended_;
}

PromotionCrew::Served PromotionCrew::Serve(Member& member, Worker& worker) {
  if (!Begin(member, worker)) return Served::kNone;
  Served served = Served::kNone;
  {
    const Member::Serving serving(member);
    try {
      if (!member.has_ended_) served = member.tasks_.serve(&member.serving_);
    } catch (const abi::__forced_unwind&) {
      throw;  // The thread ends.
    } catch (...) {
      served = Served::kOne;  // Its result is an exception of a callback of the client's.
    }
    // By now LLVM has made the static objects that it needs to compile.
    if (served == Served::kOne && std::exchange(worker.is_new, false)) {
      ExitHook::RunBeforeOlderObjectsGo();
    }
  }
  Finish(worker);
  return served;
}

}  // namespace firstcall
