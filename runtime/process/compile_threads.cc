#include "runtime/process/compile_threads.h"

#include <sys/resource.h>

#include <algorithm>
#include <cfenv>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "base/floating_point_environment.h"
#include "base/forks.h"
#include "base/stack_space.h"
#include "memory/instruction_cache.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

// With this niceness a thread gets about a tenth of its processor's time if another one wants it.
constexpr int kBackgroundNiceness = 10;

// LLVM recurses deeply on large functions.
constexpr size_t kCompilerStackBytes = 16 << 20;

thread_local bool is_compile_thread = false;

}  // namespace

absl::StatusOr<std::unique_ptr<OwnThread>> StartCompilerThread(std::function<void()> work) {
  if (BorrowsMemory()) return absl::UnavailableError("a child of vfork has no threads of its own");
  // Called here because it caches its result: once the process has a second thread, finding out
  // which barrier is available takes milliseconds.
  (void)AvailableFetchBarrier();
  return OwnThread::Start(kCompilerStackBytes, std::move(work));
}

bool CompileThreads::IsOnOne() { return is_compile_thread; }

CompileThreads::~CompileThreads() {
  Stop();
  absl::MutexLock lock(&team_mutex_);
  // A parent's team is left as it is (see OwnTeam), and the team of this very thread is in use.
  if (team_ != nullptr && team_->owner == ProcessIdentity() && !is_compile_thread) delete team_;
}

CompileThreads::Team& CompileThreads::OwnTeam() {
  const ForkScope scope;
  absl::MutexLock lock(&team_mutex_);
  // A parent's team is left as it is: neither its threads nor those that wait for them exist here.
  if (team_ == nullptr || team_->owner != ProcessIdentity()) team_ = new Team(ProcessIdentity());
  return *team_;
}

CompileThreads::Team& CompileThreads::TeamAtWork() {
  Team& team = OwnTeam();
  const ForkScope scope;
  absl::MutexLock lock(&team_mutex_);
  // If none were asked for, they only compile for callers that wait, and exit handlers may be such
  // callers.
  if (count_ > 0 && !exit_hook_) {
    WorkScope::KeepForThreadThatExits();
    exit_hook_.emplace([this] { Stop(); }, ExitHook::When::kAtOnce);
  }
  ExitHook::NoticeExitOnThisThread();
  return team;
}

void CompileThreads::Stop() {
  Team& team = OwnTeam();
  std::vector<std::unique_ptr<OwnThread>> threads;
  {
    absl::MutexLock lock(&team.mutex);
    team.is_stopping = true;
    team.background.jobs.clear();
    for (Kind* kind : {&team.demanded, &team.background}) {
      for (auto& thread : std::exchange(kind->threads, {})) threads.push_back(std::move(thread));
    }
  }
  for (auto& thread : threads) {
    if (thread->IsThisThread()) {
      thread->Detach();  // A callback of the client, on this thread, ends the process.
    } else {
      thread->Join();
    }
  }
}

bool CompileThreads::Add(Team& team, Kind& kind, size_t most, Job job, int niceness) {
  if (kind.idle <= kind.jobs.size() && kind.threads.size() < most) {
    absl::StatusOr<std::unique_ptr<OwnThread>> thread =
        StartCompilerThread([&team, &kind, niceness] { Work(team, kind, niceness); });
    if (thread.ok()) kind.threads.push_back(*std::move(thread));
  }
  if (kind.threads.empty()) return false;
  kind.jobs.push_back(std::move(job));
  return true;
}

void CompileThreads::Work(Team& team, Kind& kind, int niceness) {
  is_compile_thread = true;
  // On Linux each thread has a priority of its own.
  if (niceness != 0) setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness);
  bool is_first = true;
  while (true) {
    Job job;
    {
      absl::MutexLock lock(&team.mutex);
      ++kind.idle;
      const auto has_work = [&team, &kind]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(team.mutex) {
        return team.is_stopping || !kind.jobs.empty();
      };
      team.mutex.Await(absl::Condition(&has_work));
      --kind.idle;
      if (kind.jobs.empty()) return;
      job = std::move(kind.jobs.front());
      kind.jobs.pop_front();
    }
    job();
    RunWaitingActions();
    // LLVM has now constructed the static objects that it needs to compile.
    if (std::exchange(is_first, false)) ExitHook::RunBeforeOlderObjectsGo();
  }
}

void CompileThreads::Run(absl::FunctionRef<void()> job) {
  if (is_compile_thread || (count_ == 0 && StackLeft() >= kStackToCompile)) return job();
  const size_t most = count_ > 0 ? count_ : std::max(1U, std::thread::hardware_concurrency());
  Team& team = TeamAtWork();
  bool is_done = false;  // Guarded by the team's mutex.
  DelegatedWorkScope::Order order;
  std::exception_ptr exception;
  std::fenv_t* const program = LentFloatingPoint::OfThisThread();
  const auto delegated = [&] {
    try {
      DelegatedWorkScope scope(program, order);
      job();
    } catch (...) {
      exception = std::current_exception();
    }
    absl::MutexLock lock(&team.mutex);
    is_done = true;
  };
  const bool is_added = [&] {
    absl::MutexLock lock(&team.mutex);
    return !team.is_stopping && Add(team, team.demanded, most, delegated, /*niceness=*/0);
  }();
  if (!is_added) return job();
  order.AwaitBeginning();
  {
    absl::MutexLock lock(&team.mutex);
    team.mutex.Await(absl::Condition(&is_done));
  }
  if (exception != nullptr) std::rethrow_exception(exception);
}

bool CompileThreads::RunInBackground(Job job) {
  if (count_ == 0) return false;
  Team& team = TeamAtWork();
  absl::MutexLock lock(&team.mutex);
  if (team.is_stopping) return false;
  return Add(team, team.background, count_, std::move(job), kBackgroundNiceness);
}

}  // namespace firstcall
