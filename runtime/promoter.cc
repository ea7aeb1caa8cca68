// Who asks writes `asked` from kNothing to what it wants and pushes the function on the stack; from
// then until it is served the function belongs to the promoter. A counter is set before that, so
// that what the promoter sets it to afterwards stays.

#include "runtime/promoter.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/time/clock.h"
#include "base/any_stack.h"
#include "base/keep_for_ever.h"
#include "base/own_thread.h"
#include "base/program_thread_state.h"
#include "base/signal_state.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "runtime/ask_scope.h"
#include "runtime/compile_threads.h"
#include "runtime/unattended_work.h"
#include "runtime/work_scope.h"

namespace firstcall {
namespace {

// Between two looks at the counters: it doubles while nothing is found.
constexpr absl::Duration kShortestPause = absl::Milliseconds(2);
constexpr absl::Duration kLongestPause = absl::Milliseconds(64);
// And no less than so many times what the look took, however many functions there are.
constexpr int kPausesOfALook = 20;

// A thread that exits while it is at work may hold what the thread that serves waits for.
constexpr absl::Duration kLongestWaitAtWork = absl::Seconds(1);

// A function is optimized once the program has run for so long for each byte of its first body:
// about a third of what it will take. (Measured: 10 us a byte for Lua's interpreter, of 42 KB, and
// 17 us for SQLite's, of 64 KB.)
constexpr absl::Duration kTimeOfAByte = absl::Microseconds(5);

// How long the end of an engine waits between two tries to do without a thread.
constexpr absl::Duration kLastPause = absl::Milliseconds(1);

thread_local bool is_serving = false;        // A thread of some promoter's team.
thread_local const void* own_job = nullptr;  // What this thread makes better: a Promoter::Job.

}  // namespace

// A function that a thread optimizes.
struct Promoter::Job {
  enum class State {
    kAttended,    // The thread is at work.
    kUnattended,  // The thread runs LLVM's passes (see UnattendedWork).
    kDropped,     // Meanwhile the function was removed or detached.
    kAbandoned,   // Meanwhile the promoter was stopped: the thread must not touch it.
    kForgotten,   // The thread has come back to a dropped job, and removes it from the list.
  };

  // Changes the state from `from` to `to`, and returns whether it was `from`. If two threads try to
  // change the same state, one of them succeeds.
  bool Change(State from, State to) { return state.compare_exchange_strong(from, to); }

  // To be called when the promoter stops. Returns whether the thread still runs passes; then it
  // ends without touching the promoter.
  bool Abandon() {
    return Change(State::kUnattended, State::kAbandoned) ||
           Change(State::kDropped, State::kAbandoned) || state == State::kAbandoned;
  }

  HotFunction& function;
  const pthread_t thread;
  const pid_t process;
  const std::shared_ptr<StopFlag> stop = std::make_shared<StopFlag>();
  std::atomic<State> state{State::kAttended};
};

struct Promoter::Team {
  explicit Team(pid_t process) : owner(process) { sem_init(&work, /*pshared=*/0, 0); }
  ~Team() { sem_destroy(&work); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  const pid_t owner;
  // Of the process that this one is a copy of. Its threads do not exist here, but somebody may just
  // be about to wake them.
  std::shared_ptr<Team> parents;
  sem_t work;
  std::vector<std::unique_ptr<OwnThread>> threads;
  std::atomic<int> serving{0};  // Threads, but for those whose work is unattended.
  // Set before they are waited for: from then on they do not touch the promoter.
  std::atomic<bool> has_ended{false};
};

// A thread of a team serves. Never made if the process exits.
class Promoter::Serving {
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

Promoter::Promoter(const PromotionOptions& options, CodeSpace& code_space, FunctionTable& functions,
                   OptimizedBodies& bodies)
    : interval_(static_cast<int32_t>(std::clamp<uint32_t>(options.threshold, 1, INT32_MAX)) - 1),
      thread_count_(options.thread_count()),
      looks_at_counters_(options.only_counts_calls()),
      code_space_(code_space),
      table_(functions),
      bodies_(bodies),
      poll_budget_(!looks_at_counters_, start_),
      functions_(this, interval_),
      budget_left_(options.budget) {
  AskScope::NoticeForks();
  if (thread_count_ > 0) {
    code_space_.call_run_outs().SetHandler(
        [this](const CallCounter& counter) { NoticeRunOut(counter); });
  }
}

Promoter::~Promoter() {
  code_space_.call_run_outs().SetHandler(nullptr);
  Stop();
  absl::MutexLock lock(&mutex_);
  functions_.TurnAwayPolls();
}

// --- Asking ---

FIRSTCALL_ON_ANY_STACK void* Promoter::Ask(HeatCounter* counter, uint32_t loop) {
  ProgramThreadState state;
  const auto is_there = [&] { return counter->handler.load() == &Ask; };
  Answer answer;
  {
    AskScope scope;
    if (is_there()) {
      auto* function = static_cast<HotFunction*>(counter->owner.load(std::memory_order_acquire));
      answer = function->promoter().Register(*function, loop);
    }
  }
  if (answer.to_serve != nullptr) {
    WorkScope scope;
    // From here on nobody forgets it; before, somebody may have.
    if (!is_there()) return nullptr;
    HotFunction& function = *answer.to_serve;
    if (function.promoter().Serve(function, /*attended=*/nullptr) != Served::kAnswered) {
      return nullptr;
    }
    return function.EnterContinuation(loop);
  }
  if (answer.to_start != nullptr && !WorkScope::IsInterrupted()) {
    WorkScope scope;
    if (is_there()) answer.to_start->StartThreadsNowOrLater();
  }
  return answer.code;
}

void Promoter::StartThreadsNowOrLater() {
  if (SignalState::MayBeInHandler()) {
    needs_thread_ = true;
    return;
  }
  absl::MutexLock lock(&mutex_);
  EnsureThread();
}

void Promoter::NoticeRunOut(const CallCounter& counter) {
  if (is_stopping_ || !LacksThread()) return;
  StartThreadsNowOrLater();
  if (LacksThread()) counter.left().store(interval_, std::memory_order_relaxed);
}

Promoter::Answer Promoter::AnswerEarlyPoll(HotFunction& function) {
  Answer answer;
  const bool has_thread = team_.load(std::memory_order_acquire) != nullptr;
  const bool is_long = function.NoteEarlyPoll(has_thread);
  if (is_long && !has_thread && !is_stopping_) answer.to_start = this;
  return answer;
}

Promoter::Answer Promoter::Register(HotFunction& function, uint32_t loop) {
  if (function.polls_early()) return AnswerEarlyPoll(function);
  function.CountInterval();
  // Of what was asked in the parent, too.
  Answer answer;
  if (!is_stopping_ && LacksThread()) answer.to_start = this;
  answer.code = function.EnterContinuation(loop);
  if (answer.code != nullptr) return answer;
  const std::optional<uint32_t> wanted = function.WantedAt(loop, /*body_first=*/looks_at_counters_);
  if (!wanted || is_stopping_) return answer;
  if (thread_count_ == 0 && WorkScope::IsInterrupted()) return {};
  if (!function.Ask(*wanted)) return answer;
  if (thread_count_ == 0) return {nullptr, &function, nullptr};
  asking_.Push(function);
  if (Team* team = team_.load(std::memory_order_acquire)) sem_post(&team->work);
  return answer;
}

// --- Serving ---

bool Promoter::LacksThread() const {
  if (thread_count_ == 0) return false;
  const Team* team = team_.load(std::memory_order_acquire);
  return team == nullptr || team->owner != getpid();
}

void Promoter::EnsureThread() {
  if (is_stopping_ || !LacksThread()) return;
  needs_thread_ = true;
  auto team = std::make_shared<Team>(getpid());
  if (exit_hook_ == nullptr) {
    exit_hook_ = std::make_unique<ExitHook>([this] { StopForExit(); }, ExitHook::When::kAtOnce);
  }
  for (size_t i = 0; i < thread_count_; ++i) {
    absl::StatusOr<std::unique_ptr<OwnThread>> thread =
        StartCompilerThread([this, team] { Work(team); });
    if (!thread.ok()) break;  // Perhaps there can be one when the next function is compiled.
    team->threads.push_back(*std::move(thread));
  }
  if (team->threads.empty()) return;
  needs_thread_ = false;
  TakeOverJobs();
  team->parents = std::move(team_owner_);
  team_owner_ = team;
  team_.store(team.get(), std::memory_order_release);
  sem_post(&team->work);  // For what was asked of the parent's threads.
}

void Promoter::TakeOverJobs() {
  if (jobs_.empty()) return;
  for (const std::shared_ptr<Job>& job : std::exchange(jobs_, {})) {
    if (job->process == getpid() || job.get() == own_job) {
      jobs_.push_back(job);
    } else if (job->state == Job::State::kDropped) {
      continue;
    } else if (thread_count_ == 0) {
      job->function.Withdraw();
    } else {
      waiting_.Add(job->function);
    }
  }
}

void Promoter::Work(const std::shared_ptr<Team>& team) {
  bool is_first = true;
  absl::Duration pause = kShortestPause;
  while (true) {
    const timespec until = absl::ToTimespec(SteadyNow() + pause);
    while (sem_clockwait(&team->work, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
    }
    {
      Serving serving(*team);
      if (team->has_ended) return;
      const absl::Duration look = SteadyNow();
      const bool has_found = LookAtCounters();
      pause = has_found ? kShortestPause : std::min(2 * pause, kLongestPause);
      if (looks_at_counters_ && startup_.is_on()) pause = 4 * kShortestPause;
      pause = std::max(pause, kPausesOfALook * (SteadyNow() - look));
    }
    while (true) {
      Serving serving(*team);
      if (team->has_ended || is_stopping_) return;
      if (looks_at_counters_ && startup_.is_on()) break;
      HotFunction* function = TakeHottest();
      if (function == nullptr) break;
      if (Serve(*function, &team->serving) == Served::kAbandoned) return;
      // Something hotter may have come up meanwhile.
      (void)LookAtCounters();
      // By now LLVM has made the static objects that it needs to compile.
      if (std::exchange(is_first, false)) ExitHook::RunBeforeOlderObjectsGo();
    }
  }
}

bool Promoter::LookAtCounters() {
  if (!looks_at_counters_ || is_stopping_) return false;
  WorkScope scope;
  absl::MutexLock lock(&mutex_);
  const absl::Duration now = SteadyNow();
  if (now - last_look_ < kShortestPause) return false;
  // While this thread did something else nothing was looked at: what moved may have done so at any
  // time since.
  absl::Duration elapsed = std::min(now - std::exchange(last_look_, now), kLongestPause);
  const absl::Duration first_bodies = startup_.Update(now, elapsed);
  if (startup_.is_on()) return false;  // Nothing is done about what is hot, either.
  // What runs while it waits for a first body does not take the time itself.
  elapsed = std::max(absl::ZeroDuration(), elapsed - first_bodies);
  return functions_.LookAtCounters(elapsed, waiting_);
}

// What was hardly ever called is no part of what makes the function hot that calls it.
bool Promoter::IsWarm(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  const HotFunction* function = functions_.Find(key);
  return function == nullptr ? table_.BodyOf(key).has_value() : function->IsWarm();
}

HotFunction* Promoter::TakeHottest() {
  absl::MutexLock lock(&mutex_);
  waiting_.TakeOver(asking_);
  if (waiting_.empty() || budget_left_ <= absl::ZeroDuration()) return nullptr;
  const absl::Duration run = SteadyNow() - start_;
  return waiting_.TakeHottest([&](const HotFunction& function) {
    return looks_at_counters_ && function.first_bytes() * kTimeOfAByte > run;
  });
}

Promoter::Served Promoter::Serve(HotFunction& function, std::atomic<int>* attended) {
  const uint32_t wanted = function.asked();
  if (function.HasAnswer(wanted)) {
    function.Withdraw();
    return Served::kAnswered;
  }
  const std::shared_ptr<Job> job(new Job{function, pthread_self(), getpid()});
  {
    // Who finds the budget used up is never served, and need not ask again.
    absl::MutexLock lock(&mutex_);
    if (budget_left_ <= absl::ZeroDuration()) return Served::kAnswered;
    TakeOverJobs();
    jobs_.push_back(job);
  }
  const void* const outer_job = std::exchange(own_job, job.get());
  absl::Cleanup ends = [&] { own_job = outer_job; };
  const auto run_passes = [&](absl::FunctionRef<void()> passes) {
    job->state = Job::State::kUnattended;
    {
      UnattendedWork unattended(attended);
      passes();
    }
    return job->Change(Job::State::kUnattended, Job::State::kAttended);
  };
  const FunctionKey key = function.key();
  const auto is_warm = [&](SymbolOrdinal callee) { return IsWarm({key.module, callee}); };
  const absl::Duration start = SteadyNow();
  absl::StatusOr<OptimizedBodies::Body> body = absl::FailedPreconditionError("removed");
  if (!key.module->is_removed()) {
    const std::optional<uint32_t> loop =
        wanted == kNoLoop ? std::nullopt : std::optional<uint32_t>(wanted);
    body = bodies_.Make(key, loop, is_warm, job->stop, run_passes);
  }
  if (job->state == Job::State::kAbandoned) return Served::kAbandoned;
  const bool is_dropped = job->Change(Job::State::kDropped, Job::State::kForgotten);
  if (!is_dropped && job->state != Job::State::kAttended) return Served::kAbandoned;
  if (!is_dropped) GiveAnswer(function, wanted, body);
  absl::MutexLock lock(&mutex_);
  budget_left_ -= SteadyNow() - start;
  jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), job), jobs_.end());
  return is_dropped ? Served::kDropped : Served::kAnswered;
}

void Promoter::GiveAnswer(HotFunction& function, uint32_t wanted,
                          const absl::StatusOr<OptimizedBodies::Body>& body) {
  const bool is_whole = wanted == kNoLoop;
  if (body.ok() && is_whole) table_.Publish(function.key(), body->address);
  {
    absl::MutexLock lock(&mutex_);
    if (!body.ok()) {
      function.NoteFailure(body.status().ToString());
    } else if (is_whole) {
      function.NoteBody(body->code_bytes, body->time);
    } else {
      function.NoteContinuation(body->code_bytes, body->time);
    }
  }
  if (is_whole) {
    function.GiveBody(body.ok() ? std::optional<absl::Duration>(body->time) : std::nullopt);
  } else {
    function.GiveContinuation(wanted, body.ok() ? body->address.InThisProcess<void*>() : nullptr);
  }
}

// --- Bookkeeping ---

HotFunction& Promoter::FunctionOf(FunctionKey key) {
  ExitHook::NoticeExitOnThisThread();
  // In a forked child, as in its parent.
  if (needs_thread_ || team_ != nullptr) EnsureThread();
  TakeOverJobs();
  return functions_.Get(key);
}

absl::StatusOr<ExecutorAddress> Promoter::CounterOf(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  HotFunction& function = FunctionOf(key);
  // Without a thread nobody looks how long a loop takes.
  const bool asks_early = looks_at_counters_ && team_ == nullptr;
  absl::StatusOr<HeatCounter*> counter =
      function.PollCounter(code_space_.heat_counters(), &Ask, asks_early);
  if (!counter.ok()) return counter.status();
  return ExecutorAddress::Of(*counter);
}

absl::Status Promoter::PrepareToCountCalls(FunctionKey key, HeatSigns signs) {
  SignalState::NoteForThread();
  absl::MutexLock lock(&mutex_);
  return FunctionOf(key).MakeCallCounter(
      looks_at_counters_ ? &code_space_.call_counters() : nullptr, signs);
}

ExecutorAddress Promoter::CountCalls(FunctionKey key, ExecutorAddress body, Cost cost) {
  absl::MutexLock lock(&mutex_);
  return FunctionOf(key).BeginCounting(body, cost.code_bytes, cost.time);
}

// Who is being served is so unattended, because the rest is work.
std::vector<std::unique_ptr<HotFunction>> Promoter::Take(const SourceModule& module) {
  waiting_.TakeOver(asking_);
  waiting_.Forget(&module);
  jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(),
                             [&](const std::shared_ptr<Job>& job) {
                               if (job->state == Job::State::kDropped) return false;
                               if (job->function.key().module != &module) return false;
                               // Stays in case that the promoter goes, too.
                               if (!job->Change(Job::State::kUnattended, Job::State::kDropped)) {
                                 return true;
                               }
                               job->stop->Set();
                               return false;
                             }),
              jobs_.end());
  return functions_.Take(module);
}

void Promoter::Remove(const SourceModule& module) {
  absl::MutexLock lock(&mutex_);
  for (const auto& function : Take(module)) code_space_.Free(function->counters());
}

std::vector<PromotionCounters> Promoter::Detach(const SourceModule& module) {
  absl::MutexLock lock(&mutex_);
  std::vector<PromotionCounters> counters;
  functions_.TurnAwayPolls(module);
  // Whoever asks now may still put a function on the stack.
  AskScope::WaitForThreads();
  for (const auto& function : Take(module)) counters.push_back(function->counters());
  return counters;
}

bool Promoter::Abandon(const OwnThread& thread) {
  absl::MutexLock lock(&mutex_);
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const std::shared_ptr<Job>& job) {
    return thread.Is(job->thread) && job->Abandon();
  });
}

bool Promoter::AbandonJobs() {
  absl::MutexLock lock(&mutex_);
  bool all_are_away = true;
  for (const std::shared_ptr<Job>& job : jobs_) {
    if (job->process != getpid() || job.get() == own_job) continue;
    // A thread that has come back takes its job off the list.
    if (!job->Abandon()) all_are_away = false;
  }
  return all_are_away;
}

void Promoter::Stop() {
  is_stopping_ = true;
  std::unique_ptr<ExitHook> exit_hook;
  {
    absl::MutexLock lock(&mutex_);
    for (const std::shared_ptr<Job>& job : jobs_) job->stop->Set();
    exit_hook.swap(exit_hook_);
  }
  exit_hook = nullptr;  // Waits for it, with what it needs still there.
  std::shared_ptr<Team> team;
  {
    absl::MutexLock lock(&mutex_);
    team = std::move(team_owner_);
    team_.store(nullptr, std::memory_order_release);
  }
  if (team != nullptr && team->owner == getpid()) {
    team->has_ended = true;
    for (size_t i = 0; i < team->threads.size(); ++i) sem_post(&team->work);
    // Its threads are detached, and may still look at it.
    if (is_exiting_) {
      KeepForEver(std::move(team));
      return;
    }
    const absl::Duration patience_ends = SteadyNow() + UnattendedWork::kPatience;
    for (const auto& thread : team->threads) {
      if (thread->IsThisThread()) {
        thread->Detach();  // What it has linked ends the process.
        continue;
      }
      while (!thread->JoinFor(kLastPause)) {
        if (SteadyNow() < patience_ends || !Abandon(*thread)) continue;
        thread->Detach();
        break;
      }
    }
  }
  // Threads of the program that optimize what was detached.
  while (!AbandonJobs()) absl::SleepFor(kLastPause);
  AskScope::WaitForThreads();
}

// What is being compiled needs objects of LLVM's that are about to go. So do threads that compile
// nothing: they may wait for being allowed to.
void Promoter::StopForExit() {
  is_stopping_ = is_exiting_ = true;
  UnattendedWork::StopForExit();
  // Stays: who destroys it waits for this hook first.
  Team* team = team_;
  if (team != nullptr) team->has_ended = true;
  if (team == nullptr || team->owner != getpid()) return;
  for (const auto& thread : team->threads) thread->Detach();
  // A listener may exit on the very thread that serves.
  const int own = is_serving ? 1 : 0;
  const absl::Duration end =
      WorkScope::IsAtWork() ? SteadyNow() + kLongestWaitAtWork : absl::InfiniteDuration();
  while (team->serving > own && SteadyNow() < end) absl::SleepFor(absl::Microseconds(100));
}

PromotionStats Promoter::Collect() const {
  absl::MutexLock lock(&mutex_);
  return functions_.Collect();
}

}  // namespace firstcall
