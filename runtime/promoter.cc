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

// A function whose loops have been going round for so long is hot, however few rounds that were:
// what takes time may be what they call, to be made a part of them.
constexpr absl::Duration kLongestActivity = absl::Milliseconds(100);

// What has been called less than once for so many calls that make a function hot is hardly worth
// being a part of one.
constexpr int32_t kCallsOfCold = 1000;

// A call of a function that has loops, but does not poll there, counts for so many.
constexpr int32_t kCallsWithLoops = 256;

// A function is optimized once the program has run for so long for each byte of its first body:
// about a third of what it will take. (Measured: 10 us a byte for Lua's interpreter, of 42 KB, and
// 17 us for SQLite's, of 64 KB.)
constexpr absl::Duration kTimeOfAByte = absl::Microseconds(5);

// While the promoter has no thread, a loop asks after kFirstRounds iterations, and again each time
// that the number of its iterations has doubled. If it asks kLongLoop after it has asked first, the
// thread starts.
constexpr int32_t kFirstRounds = 4;
constexpr absl::Duration kLongLoop = absl::Milliseconds(20);

// How long the end of an engine waits between two tries to do without a thread.
constexpr absl::Duration kLastPause = absl::Milliseconds(1);

constexpr uint32_t kNothing = kNoLoop - 1;

thread_local bool is_serving = false;        // A thread of some promoter's team.
thread_local const void* own_job = nullptr;  // What this thread makes better: a Promoter::Job.

}  // namespace

struct Promoter::Continuation {
  uint32_t loop = 0;
  void* code = nullptr;  // Null: there can be none.
  std::atomic<uint64_t> entered{0};
  Continuation* next = nullptr;
};

struct Promoter::HotFunction {
  HotFunction(Promoter& its_promoter, FunctionKey its_key) : promoter(its_promoter), key(its_key) {}
  ~HotFunction() {
    for (Continuation* continuation = continuations; continuation != nullptr;) {
      delete std::exchange(continuation, continuation->next);
    }
  }

  Continuation* Find(uint32_t loop) const {
    Continuation* found = continuations.load(std::memory_order_acquire);
    while (found != nullptr && found->loop != loop) found = found->next;
    return found;
  }

  // How often it was called since it was there, or last found hot; INT64_MAX if that is not
  // counted.
  int64_t CountCalls() const {
    if (!counters.calls) return INT64_MAX;
    return int64_t{first_left} - counters.calls->left().load(std::memory_order_relaxed);
  }

  // It is hot if it is called again.
  void AskWhenCalled() {
    if (counters.calls) {
      std::atomic<int32_t>& left = counters.calls->left();
      // One that has run out waits for being looked at.
      if (left.load(std::memory_order_relaxed) > 0) left.store(0, std::memory_order_relaxed);
    } else if (counters.polls != nullptr) {
      counters.polls->left.store(0, std::memory_order_relaxed);
    }
  }

  // What tells whether it is active.
  int32_t LeftOfActivity() const {
    if (counters.polls != nullptr) return counters.polls->left.load(std::memory_order_relaxed);
    if (signs != HeatSigns::kCallsOnly || !counters.calls) return 0;
    return counters.calls->left().load(std::memory_order_relaxed);
  }

  // Adds `elapsed` to the time it was active if what counts its loops, or its calls if those alone
  // tell, has changed since the last look. Returns whether that has been for so long that it is hot
  // whatever it has counted; then the time begins anew.
  bool HasBeenActive(absl::Duration elapsed) {
    const int32_t left = LeftOfActivity();
    if (std::exchange(last_left, left) == left) return false;
    active += elapsed;
    if (active < kLongestActivity) return false;
    active = absl::ZeroDuration();
    return true;
  }

  Promoter& promoter;
  const FunctionKey key;
  PromotionCounters counters;
  HeatSigns signs = HeatSigns::kCallsAndLoops;
  int32_t first_left = 0;                // What the counter of its calls began with.
  std::atomic<int32_t> early_rounds{0};  // That it asked after; `interval_` if it did all of it.
  std::atomic<int64_t> first_asked{0};   // As SteadyNow, in nanoseconds; 0 if it has not.
  std::atomic<uint64_t> asked_times{0};
  std::atomic<uint32_t> asked{kNothing};
  HotFunction* next_asking = nullptr;  // Of the stack.
  std::atomic<Continuation*> continuations{nullptr};
  std::atomic<bool> is_decided{false};  // There is a better body, or there can be none.
  // Until then a call of the first body may end.
  std::atomic<int64_t> patience_ends{0};  // As SteadyNow, in nanoseconds.
  // Guarded by the promoter's mutex:
  bool has_first_body = false;
  int32_t last_left = 0;
  absl::Duration active;
  FunctionHeat heat;
};

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
  for (const auto& [key, function] : functions_) {
    if (HeatCounter* polls = function->counters.polls) polls->handler.store(&NobodyIsThere);
  }
}

// --- Asking ---

void* Promoter::NobodyIsThere(HeatCounter* counter, uint32_t) {
  counter->left.store(INT32_MAX, std::memory_order_relaxed);
  return nullptr;
}

FIRSTCALL_ON_ANY_STACK void* Promoter::Ask(HeatCounter* counter, uint32_t loop) {
  ProgramThreadState state;
  const auto is_there = [&] { return counter->handler.load() == &Ask; };
  Answer answer;
  {
    AskScope scope;
    if (is_there()) {
      auto* function = static_cast<HotFunction*>(counter->owner.load(std::memory_order_acquire));
      answer = function->promoter.Register(*function, loop);
    }
  }
  if (answer.serve != nullptr) {
    WorkScope scope;
    // From here on nobody forgets it; before, somebody may have.
    if (is_there()) {
      if (answer.serve->promoter.Serve(*answer.serve, /*attended=*/nullptr) != Served::kAnswered) {
        return nullptr;
      }
      answer.code = Known(*answer.serve, loop);
    }
  } else if (answer.lacks_thread != nullptr && !WorkScope::IsInterrupted()) {
    WorkScope scope;
    if (SignalState::MayBeInHandler()) {
      if (is_there()) answer.lacks_thread->needs_thread_ = true;
      return answer.code;
    }
    if (is_there()) {
      absl::MutexLock lock(&answer.lacks_thread->mutex_);
      answer.lacks_thread->EnsureThread();
    }
  }
  return answer.code;
}

void* Promoter::Known(HotFunction& function, uint32_t loop) {
  Continuation* continuation = loop == kNoLoop ? nullptr : function.Find(loop);
  if (continuation == nullptr || continuation->code == nullptr) return nullptr;
  continuation->entered.fetch_add(1, std::memory_order_relaxed);
  // If the function is called again, it is worth a better body from its beginning.
  if (!function.is_decided.load(std::memory_order_relaxed)) function.AskWhenCalled();
  return continuation->code;
}

void Promoter::NoticeRunOut(const CallCounter& counter) {
  if (is_stopping_ || !LacksThread()) return;
  if (SignalState::MayBeInHandler()) {
    needs_thread_ = true;
  } else {
    absl::MutexLock lock(&mutex_);
    EnsureThread();
  }
  if (LacksThread()) counter.left().store(interval_, std::memory_order_relaxed);
}

std::optional<Promoter::Answer> Promoter::AnswerEarlyPoll(HotFunction& function) {
  const int32_t rounds = function.early_rounds.load(std::memory_order_relaxed);
  if (rounds >= interval_) return std::nullopt;
  Answer answer;
  const int64_t now = absl::ToInt64Nanoseconds(SteadyNow());
  int64_t first = 0;
  const bool is_first =
      function.first_asked.compare_exchange_strong(first, now, std::memory_order_relaxed);
  const bool is_long = !is_first && absl::Nanoseconds(now - first) >= kLongLoop;
  const bool has_thread = team_.load(std::memory_order_acquire) != nullptr;
  if (is_long && !has_thread && !is_stopping_) answer.lacks_thread = this;
  const bool is_last = is_long || has_thread || rounds > interval_ / 2;
  function.early_rounds.store(is_last ? interval_ : 2 * rounds, std::memory_order_relaxed);
  function.counters.polls->left.store(is_last ? interval_ - rounds : rounds - 1,
                                      std::memory_order_relaxed);
  return answer;
}

Promoter::Answer Promoter::Register(HotFunction& function, uint32_t loop) {
  if (std::optional<Answer> answer = AnswerEarlyPoll(function)) return *answer;
  function.asked_times.fetch_add(1, std::memory_order_relaxed);
  function.counters.polls->left.store(interval_, std::memory_order_relaxed);
  // Of what was asked in the parent, too.
  Answer answer;
  if (!is_stopping_ && LacksThread()) answer.lacks_thread = this;
  answer.code = Known(function, loop);
  if (answer.code != nullptr) return answer;
  // A loop that has no continuation may be all that ever asks: the function is hot all the same.
  if (loop != kNoLoop && function.Find(loop) != nullptr) loop = kNoLoop;
  // A function that has been called before gets a better body first: this call may end before there
  // is a continuation, and the next one needs none. If it goes on for as long as it took to make
  // that, a continuation is worth its time.
  if (loop != kNoLoop && looks_at_counters_ && function.CountCalls() > 1) {
    if (!function.is_decided.load(std::memory_order_relaxed)) {
      loop = kNoLoop;
    } else if (absl::ToInt64Nanoseconds(SteadyNow()) < function.patience_ends.load()) {
      return answer;
    }
  }
  const bool is_decided = loop == kNoLoop && function.is_decided.load(std::memory_order_relaxed);
  if (is_decided || is_stopping_) return answer;
  if (thread_count_ == 0 && WorkScope::IsInterrupted()) return {};
  uint32_t nothing = kNothing;
  if (!function.asked.compare_exchange_strong(nothing, loop, std::memory_order_acq_rel)) {
    return answer;
  }
  if (thread_count_ == 0) return {nullptr, &function, nullptr};
  function.next_asking = asking_.load(std::memory_order_relaxed);
  while (!asking_.compare_exchange_weak(function.next_asking, &function, std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
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
      job->function.asked.store(kNothing, std::memory_order_release);
    } else {
      waiting_.push_back(&job->function);
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
  bool has_found = false;
  const absl::Duration now = SteadyNow();
  if (now - last_look_ < kShortestPause) return false;
  // While this thread did something else nothing was looked at: what moved may have done so at any
  // time since.
  absl::Duration elapsed = std::min(now - std::exchange(last_look_, now), kLongestPause);
  const absl::Duration first_bodies = startup_.Update(now, elapsed);
  if (startup_.is_on()) return false;  // Nothing is done about what is hot, either.
  // What runs while it waits for a first body does not take the time itself.
  elapsed = std::max(absl::ZeroDuration(), elapsed - first_bodies);
  for (const auto& [key, function] : functions_) {
    if (!function->has_first_body) continue;
    const std::optional<CallCounter>& calls = function->counters.calls;
    if (function->HasBeenActive(elapsed)) {
      if (function->counters.polls != nullptr) {
        function->counters.polls->left.store(0, std::memory_order_relaxed);
      } else {
        calls->left().store(-1, std::memory_order_relaxed);
      }
    }
    if (!calls || calls->left().load(std::memory_order_relaxed) >= 0 ||
        function->is_decided.load(std::memory_order_relaxed)) {
      continue;
    }
    // However long ago the counter ran out.
    const int64_t beyond = -int64_t{calls->left().exchange(interval_, std::memory_order_relaxed)};
    const int64_t times = 1 + std::max<int64_t>(0, beyond) / (int64_t{interval_} + 1);
    function->asked_times.fetch_add(static_cast<uint64_t>(times), std::memory_order_relaxed);
    uint32_t nothing = kNothing;
    if (!function->asked.compare_exchange_strong(nothing, kNoLoop, std::memory_order_acq_rel)) {
      continue;
    }
    waiting_.push_back(function.get());
    has_found = true;
  }
  return has_found;
}

void Promoter::TakeOverAsking() {
  HotFunction* function = asking_.exchange(nullptr, std::memory_order_acquire);
  while (function != nullptr) {
    waiting_.push_back(function);
    function = function->next_asking;
  }
}

// What was hardly ever called is no part of what makes the function hot that calls it.
bool Promoter::IsWarm(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  auto found = functions_.find(key);
  if (found == functions_.end()) return table_.BodyOf(key).has_value();
  const HotFunction& function = *found->second;
  return function.is_decided || function.asked_times > 0 ||
         function.CountCalls() >= interval_ / kCallsOfCold;
}

Promoter::HotFunction* Promoter::TakeHottest() {
  absl::MutexLock lock(&mutex_);
  TakeOverAsking();
  if (waiting_.empty() || budget_left_ <= absl::ZeroDuration()) return nullptr;
  const absl::Duration run = SteadyNow() - start_;
  auto hottest = waiting_.end();
  for (auto function = waiting_.begin(); function != waiting_.end(); ++function) {
    const FunctionHeat& heat = (*function)->heat;
    if (looks_at_counters_ && heat.first_bytes * kTimeOfAByte > run) continue;
    if (hottest == waiting_.end() || (*hottest)->asked_times < (*function)->asked_times) {
      hottest = function;
    }
  }
  if (hottest == waiting_.end()) return nullptr;
  HotFunction* function = *hottest;
  waiting_.erase(hottest);
  return function;
}

Promoter::Served Promoter::Serve(HotFunction& function, std::atomic<int>* attended) {
  const uint32_t loop = function.asked.load(std::memory_order_acquire);
  if (loop == kNoLoop ? function.is_decided.load() : function.Find(loop) != nullptr) {
    // Asked again while the last answer was being given.
    function.asked.store(kNothing, std::memory_order_release);
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
  const auto is_warm = [&](SymbolOrdinal callee) { return IsWarm({function.key.module, callee}); };
  const absl::Duration start = SteadyNow();
  absl::StatusOr<OptimizedBodies::Body> body = absl::FailedPreconditionError("removed");
  if (!function.key.module->is_removed()) {
    const std::optional<uint32_t> wanted =
        loop == kNoLoop ? std::nullopt : std::optional<uint32_t>(loop);
    body = bodies_.Make(function.key, wanted, is_warm, job->stop, run_passes);
  }
  if (job->state == Job::State::kAbandoned) return Served::kAbandoned;
  const bool is_dropped = job->Change(Job::State::kDropped, Job::State::kForgotten);
  if (!is_dropped && job->state != Job::State::kAttended) return Served::kAbandoned;
  if (!is_dropped) GiveAnswer(function, loop, body);
  absl::MutexLock lock(&mutex_);
  budget_left_ -= SteadyNow() - start;
  jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), job), jobs_.end());
  return is_dropped ? Served::kDropped : Served::kAnswered;
}

void Promoter::GiveAnswer(HotFunction& function, uint32_t loop,
                          const absl::StatusOr<OptimizedBodies::Body>& body) {
  const bool is_whole = loop == kNoLoop;
  if (body.ok() && is_whole) table_.Publish(function.key, body->address);
  {
    absl::MutexLock lock(&mutex_);
    FunctionHeat& heat = function.heat;
    if (!body.ok()) {
      ++heat.failures;
      heat.last_failure = body.status().ToString();
    } else if (is_whole) {
      heat.tier = 1;
      heat.better_bytes = body->code_bytes;
      heat.better_time = body->time;
      heat.polls_promoted = function.asked_times * (static_cast<uint64_t>(interval_) + 1);
    } else {
      ++heat.continuations;
      heat.continuation_bytes += body->code_bytes;
      heat.continuation_time += body->time;
    }
  }
  if (is_whole) {
    if (body.ok()) function.patience_ends = absl::ToInt64Nanoseconds(SteadyNow() + body->time);
    function.is_decided.store(true, std::memory_order_relaxed);
  } else {
    auto* continuation = new Continuation;
    continuation->loop = loop;
    if (body.ok()) continuation->code = body->address.InThisProcess<void*>();
    continuation->next = function.continuations.load(std::memory_order_relaxed);
    function.continuations.store(continuation, std::memory_order_release);
  }
  function.asked.store(kNothing, std::memory_order_release);
  // The loop need not come round so often again to be told.
  if (!is_whole && body.ok()) function.counters.polls->left.store(0, std::memory_order_relaxed);
}

// --- Bookkeeping ---

Promoter::HotFunction& Promoter::FunctionOf(FunctionKey key) {
  ExitHook::NoticeExitOnThisThread();
  // In a forked child, as in its parent.
  if (needs_thread_ || team_ != nullptr) EnsureThread();
  TakeOverJobs();
  std::unique_ptr<HotFunction>& function = functions_[key];
  if (function == nullptr) function = std::make_unique<HotFunction>(*this, key);
  return *function;
}

absl::StatusOr<ExecutorAddress> Promoter::CounterOf(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  HotFunction& function = FunctionOf(key);
  if (function.counters.polls == nullptr) {
    const bool asks_early = looks_at_counters_ && team_ == nullptr && interval_ >= kFirstRounds;
    function.early_rounds = asks_early ? kFirstRounds : interval_;
    FIRSTCALL_ASSIGN_OR_RETURN(function.counters.polls,
                               code_space_.heat_counters().Make(
                                   asks_early ? kFirstRounds - 1 : interval_, &Ask, &function));
  }
  // Whoever finds the function by its counter finds all of it.
  function.counters.polls->owner.store(&function, std::memory_order_release);
  return ExecutorAddress::Of(function.counters.polls);
}

absl::Status Promoter::PrepareToCountCalls(FunctionKey key, HeatSigns signs) {
  SignalState::NoteForThread();
  absl::MutexLock lock(&mutex_);
  HotFunction& function = FunctionOf(key);
  function.signs = signs;
  if (!looks_at_counters_ || function.counters.calls) return absl::OkStatus();
  const int32_t left = signs == HeatSigns::kCallsOnly ? interval_ / kCallsWithLoops : interval_;
  FIRSTCALL_ASSIGN_OR_RETURN(function.counters.calls, code_space_.call_counters().Make(left));
  function.first_left = left;
  return absl::OkStatus();
}

ExecutorAddress Promoter::CountCalls(FunctionKey key, ExecutorAddress body, Cost cost) {
  absl::MutexLock lock(&mutex_);
  HotFunction& function = FunctionOf(key);
  function.has_first_body = true;
  function.last_left = function.LeftOfActivity();
  function.heat.first_bytes = cost.code_bytes;
  function.heat.first_time = cost.time;
  if (!function.counters.calls) return body;
  function.counters.calls->GoOnTo(body);
  return function.counters.calls->address();
}

// Who is being served is so unattended, because the rest is work.
std::vector<std::unique_ptr<Promoter::HotFunction>> Promoter::Take(const SourceModule& module) {
  TakeOverAsking();
  const auto is_of_module = [&](const HotFunction* function) {
    return function->key.module == &module;
  };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_of_module), waiting_.end());
  jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(),
                             [&](const std::shared_ptr<Job>& job) {
                               if (job->state == Job::State::kDropped) return false;
                               if (!is_of_module(&job->function)) return false;
                               // Stays in case that the promoter goes, too.
                               if (!job->Change(Job::State::kUnattended, Job::State::kDropped)) {
                                 return true;
                               }
                               job->stop->Set();
                               return false;
                             }),
              jobs_.end());
  std::vector<std::unique_ptr<HotFunction>> taken;
  for (uint32_t i = 0; i < module.index().size(); ++i) {
    auto found = functions_.find({const_cast<SourceModule*>(&module), SymbolOrdinal{i}});
    if (found == functions_.end()) continue;
    taken.push_back(std::move(found->second));
    functions_.erase(found);
  }
  return taken;
}

void Promoter::Remove(const SourceModule& module) {
  absl::MutexLock lock(&mutex_);
  for (const auto& function : Take(module)) code_space_.Free(function->counters);
}

std::vector<PromotionCounters> Promoter::Detach(const SourceModule& module) {
  absl::MutexLock lock(&mutex_);
  std::vector<PromotionCounters> counters;
  for (const auto& [key, function] : functions_) {
    HeatCounter* polls = function->counters.polls;
    if (key.module == &module && polls != nullptr) polls->handler.store(&NobodyIsThere);
  }
  // Whoever asks now may still put a function on the stack.
  AskScope::WaitForThreads();
  for (const auto& function : Take(module)) counters.push_back(function->counters);
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
  PromotionStats stats;
  absl::MutexLock lock(&mutex_);
  for (const auto& [key, function] : functions_) {
    FunctionHeat heat = function->heat;
    heat.module = key.module->name();
    heat.function = key.module->index().at(key.ordinal).name;
    heat.polls = function->asked_times * (static_cast<uint64_t>(interval_) + 1);
    for (const Continuation* continuation = function->continuations; continuation != nullptr;
         continuation = continuation->next) {
      heat.loops_entered += continuation->entered;
    }
    stats.functions.push_back(std::move(heat));
  }
  std::sort(stats.functions.begin(), stats.functions.end(),
            [](const FunctionHeat& a, const FunctionHeat& b) { return a.polls > b.polls; });
  return stats;
}

}  // namespace firstcall
