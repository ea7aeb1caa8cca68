#include "runtime/promotion_threads.h"

#include <semaphore.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "base/keep_for_ever.h"
#include "base/steady_clock.h"
#include "runtime/compile_threads.h"
#include "runtime/unattended_work.h"
#include "runtime/work_scope.h"

namespace firstcall {
namespace {

// A pause takes at least this many times as long as the last look, however many functions there
// are.
constexpr int kPausesOfALook = 20;

// A thread that exits while it is at work waits at most this long for the serving threads, because
// they may wait for something that it holds.
constexpr absl::Duration kLongestWaitAtWork = absl::Seconds(1);

// How long one try to join a thread lasts when the engine ends.
constexpr absl::Duration kLastPause = absl::Milliseconds(1);

thread_local bool is_serving = false;  // Whether this is a promoter's thread, inside a Serving.

}  // namespace

struct PromotionThreads::Team {
  Team(pid_t process, Tasks its_tasks) : owner(process), tasks(std::move(its_tasks)) {
    sem_init(&work, /*pshared=*/0, 0);
  }
  ~Team() { sem_destroy(&work); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  const pid_t owner;
  const Tasks tasks;  // A copy: when a task returns, the promoter may be destroyed already.
  // The team of the parent process. Its threads do not exist here, but a thread of this process may
  // be about to wake them.
  std::shared_ptr<Team> parents;
  sem_t work;
  std::vector<std::unique_ptr<OwnThread>> threads;
  std::atomic<int> serving{0};  // Threads inside a Serving, except those with unattended work.
  // Set before the threads are joined. A thread that finds it set does not touch the promoter.
  std::atomic<bool> has_ended{false};
};

// While this exists, a thread of a team is at work. While the process exits, the constructor does
// not return (see WorkScope).
class PromotionThreads::Serving {
 public:
  explicit Serving(Team& team) : team_(team) {
    ++team_.serving;
    is_serving = true;
  }
  ~Serving() {
    is_serving = false;
    --team_.serving;
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

 private:
  const WorkScope scope_;
  Team& team_;
};

PromotionThreads::PromotionThreads(size_t count, Tasks tasks)
    : count_(count), tasks_(std::move(tasks)) {}

PromotionThreads::~PromotionThreads() = default;

bool PromotionThreads::are_missing() const {
  if (count_ == 0) return false;
  const Team* team = team_.load(std::memory_order_acquire);
  return team == nullptr || team->owner != getpid();
}

bool PromotionThreads::Start() {
  if (!are_missing()) return false;
  absl::MutexLock lock(&mutex_);
  if (are_stopping_ || !are_missing()) return false;
  are_needed_ = true;
  auto team = std::make_shared<Team>(getpid(), tasks_);
  if (exit_hook_ == nullptr) {
    exit_hook_ = std::make_unique<ExitHook>([this] { StopForExit(); }, ExitHook::When::kAtOnce);
  }
  for (size_t i = 0; i < count_; ++i) {
    absl::StatusOr<std::unique_ptr<OwnThread>> thread =
        StartCompilerThread([this, team] { Work(*team); });
    if (!thread.ok()) break;  // If there is no thread at all, the next first body tries again.
    team->threads.push_back(*std::move(thread));
  }
  if (team->threads.empty()) return false;
  are_needed_ = false;
  team->parents = std::move(team_owner_);
  team_owner_ = team;
  team_.store(team.get(), std::memory_order_release);
  sem_post(&team->work);  // Functions may have asked the parent's threads.
  return true;
}

void PromotionThreads::Wake() {
  if (Team* team = team_.load(std::memory_order_acquire)) sem_post(&team->work);
}

void PromotionThreads::Work(Team& team) {
  bool is_first = true;
  absl::Duration pause = kShortestPause;
  while (true) {
    const timespec until = absl::ToTimespec(SteadyNow() + pause);
    while (sem_clockwait(&team.work, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
    }
    {
      Serving serving(team);
      if (team.has_ended) return;
      const absl::Duration look = SteadyNow();
      const Found found = team.tasks.look();
      pause = found == Found::kSomething ? kShortestPause : std::min(2 * pause, kLongestPause);
      if (found == Found::kMustWait) pause = 4 * kShortestPause;
      pause = std::max(pause, kPausesOfALook * (SteadyNow() - look));
    }
    while (true) {
      Serving serving(team);
      if (team.has_ended || are_stopping_) return;
      const Served served = team.tasks.serve(&team.serving);
      if (served == Served::kAbandoned) return;
      if (served == Served::kNone) break;
      // By now LLVM has made the static objects that it needs to compile.
      if (std::exchange(is_first, false)) ExitHook::RunBeforeOlderObjectsGo();
    }
  }
}

bool PromotionThreads::Stop(absl::FunctionRef<bool(const OwnThread& thread)> abandon) {
  std::unique_ptr<ExitHook> exit_hook;
  {
    absl::MutexLock lock(&mutex_);
    exit_hook.swap(exit_hook_);
  }
  exit_hook = nullptr;  // Waits for its callback, which uses the team.
  std::shared_ptr<Team> team;
  {
    absl::MutexLock lock(&mutex_);
    team = std::move(team_owner_);
    team_.store(nullptr, std::memory_order_release);
  }
  if (team == nullptr || team->owner != getpid()) return true;
  team->has_ended = true;
  for (size_t i = 0; i < team->threads.size(); ++i) sem_post(&team->work);
  // The team's threads are detached, and may still use the team.
  if (is_exiting_) {
    KeepForEver(std::move(team));
    return false;
  }
  const absl::Duration patience_ends = SteadyNow() + UnattendedWork::kPatience;
  for (const auto& thread : team->threads) {
    if (thread->IsThisThread()) {
      thread->Detach();  // The calling thread cannot join itself.
      continue;
    }
    while (!thread->JoinFor(kLastPause)) {
      if (SteadyNow() < patience_ends || !abandon(*thread)) continue;
      thread->Detach();
      break;
    }
  }
  return true;
}

// A compile in progress uses static objects of LLVM that exit is about to destroy. The threads are
// detached, because one of them may wait in a WorkScope's constructor until the process ends.
void PromotionThreads::StopForExit() {
  are_stopping_ = is_exiting_ = true;
  UnattendedWork::StopForExit();
  // The team exists until this callback returns: Stop destroys the hook before the team, and so
  // waits for the callback.
  Team* team = team_;
  if (team != nullptr) team->has_ended = true;
  if (team == nullptr || team->owner != getpid()) return;
  for (const auto& thread : team->threads) thread->Detach();
  // A listener may call exit on the serving thread itself.
  const int own = is_serving ? 1 : 0;
  const absl::Duration end =
      WorkScope::IsAtWork() ? SteadyNow() + kLongestWaitAtWork : absl::InfiniteDuration();
  while (team->serving > own && SteadyNow() < end) absl::SleepFor(absl::Microseconds(100));
}

}  // namespace firstcall
