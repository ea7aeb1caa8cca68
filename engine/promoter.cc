// Who asks writes `asked` from kNothing to what it wants and pushes the function on the stack; from
// then until it is served the function belongs to the promoter. A counter is set before that, so
// that what the promoter sets it to afterwards stays.

#include "engine/promoter.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/time/clock.h"
#include "base/any_stack.h"
#include "base/own_thread.h"
#include "base/program_thread_state.h"
#include "base/status.h"
#include "engine/compile_threads.h"
#include "engine/work_scope.h"
#include "splitter/function_extractor.h"

namespace firstcall {
namespace {

// Between two looks at the counters: it doubles while nothing is found.
constexpr absl::Duration kShortestPause = absl::Milliseconds(2);
constexpr absl::Duration kLongestPause = absl::Milliseconds(64);
// And no less than so many times what the look took, however many functions there are.
constexpr int kPausesOfALook = 20;

// A thread that exits while it is at work may hold what the thread that serves waits for.
constexpr absl::Duration kLongestWaitAtWork = absl::Seconds(1);

// For polls, in instructions: what may be spent at first, so that small programs poll at all their
// loops; and what comes with each millisecond. The cheapest code generation takes about 8 us an
// instruction, so this is 0.8 % of the time.
constexpr int64_t kFirstPollAllowance = 100;
constexpr int64_t kPollAllowancePerMillisecond = 1;

// Better bodies wait no longer than that for what is compiled first: then it is no start, but what
// the program does all the time.
constexpr absl::Duration kLongestStart = absl::Seconds(2);

// A function whose loops have been going round for so long is hot, however few rounds that were:
// what takes time may be what they call, to be made a part of them.
constexpr absl::Duration kLongestActivity = absl::Milliseconds(100);

// What has been called less than once for so many calls that make a function hot is hardly worth
// being a part of one.
constexpr int32_t kCallsOfCold = 1000;

// A call of a function that has loops, but does not poll there, counts for so many.
constexpr int32_t kCallsWithLoops = 256;

constexpr uint32_t kNothing = kNoLoop - 1;

using SteadyTime = std::chrono::steady_clock::time_point;

thread_local bool is_serving = false;  // A thread of some promoter's team.

// This thread looks at what a counter belongs to, which must not go meanwhile.
class AskScope {
 public:
  AskScope() {
    ++own_;
    ++all_;
  }
  ~AskScope() {
    --all_;
    --own_;
  }
  AskScope(const AskScope&) = delete;
  AskScope& operator=(const AskScope&) = delete;

  // Until no thread is in one that was made before. Not to be called in one.
  static void WaitForThreads() {
    while (all_ != 0) std::this_thread::yield();
  }

  // To be called before a fork whose child may wait: other threads do not exist there.
  static void NoticeForks() {
    static const int is_noticed =
        pthread_atfork(/*prepare=*/nullptr, /*parent=*/nullptr, [] { all_ = own_; });
    (void)is_noticed;
  }

 private:
  static inline std::atomic<int> all_{0};
  static inline thread_local int own_ = 0;
};

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

  // Adds `elapsed` to the time it was active if what counts its loops, or its calls if those alone
  // tell, has changed since the last look. Returns whether that has been for so long that it is hot
  // whatever it has counted; then the time begins anew.
  bool HasBeenActive(absl::Duration elapsed) {
    const int32_t left = counters.polls != nullptr
                             ? counters.polls->left.load(std::memory_order_relaxed)
                         : signs == HeatSigns::kCallsOnly && counters.calls
                             ? counters.calls->left().load(std::memory_order_relaxed)
                             : last_left;
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
  int32_t first_left = 0;  // What the counter of its calls began with.
  std::atomic<uint64_t> asked_times{0};
  std::atomic<uint32_t> asked{kNothing};
  HotFunction* next_asking = nullptr;  // Of the stack.
  std::atomic<Continuation*> continuations{nullptr};
  std::atomic<bool> is_decided{false};  // There is a better body, or there can be none.
  // Until then a call of the first body may end.
  std::atomic<SteadyTime> patience_ends{SteadyTime()};
  // Guarded by the promoter's mutex:
  int32_t last_left = 0;
  absl::Duration active;
  FunctionHeat heat;
};

struct Promoter::Team {
  explicit Team(pid_t process) : owner(process) { sem_init(&work, /*pshared=*/0, 0); }
  ~Team() { sem_destroy(&work); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  const pid_t owner;
  // Of the process that this one is a copy of. Its threads do not exist here, but somebody may just
  // be about to wake them.
  std::unique_ptr<Team> parents;
  sem_t work;
  std::vector<std::unique_ptr<OwnThread>> threads;
  Team* next_abandoned = nullptr;
};

Promoter::Promoter(const PromotionOptions& options, CodeSpace& code_space, FunctionTable& functions,
                   OptimizingCompiler& compiler)
    : interval_(static_cast<int32_t>(std::clamp<uint32_t>(options.threshold, 1, INT32_MAX)) - 1),
      thread_count_(options.thread_count()),
      looks_at_counters_(options.only_counts_calls()),
      code_space_(code_space),
      table_(functions),
      compiler_(compiler),
      poll_allowance_(kFirstPollAllowance),
      budget_left_(options.budget) {
  AskScope::NoticeForks();
}

Promoter::~Promoter() {
  Stop();
  absl::MutexLock lock(&mutex_);
  for (const auto& [key, function] : functions_) {
    if (HeatCounter* polls = function->counters.polls) polls->handler.store(&NobodyIsThere);
  }
}

// --- What polls may cost ---

int64_t Promoter::poll_allowance() const {
  if (!looks_at_counters_) return kUnlimitedPolls;
  return poll_allowance_ +
         absl::ToInt64Milliseconds(absl::Now() - start_) * kPollAllowancePerMillisecond;
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
      answer.serve->promoter.Serve(*answer.serve);
      answer.code = Known(*answer.serve, loop);
    }
  } else if (answer.lacks_thread != nullptr && !WorkScope::IsInterrupted()) {
    WorkScope scope;
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

Promoter::Answer Promoter::Register(HotFunction& function, uint32_t loop) {
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
    } else if (std::chrono::steady_clock::now() < function.patience_ends.load()) {
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
  auto made = std::make_unique<Team>(getpid());
  Team* team = made.get();
  if (!exit_hook_) {
    exit_hook_.emplace([this] { StopForExit(); }, ExitHook::When::kAtOnce);
  }
  for (size_t i = 0; i < thread_count_; ++i) {
    absl::StatusOr<std::unique_ptr<OwnThread>> thread =
        StartCompilerThread([this, team] { Work(*team); });
    if (!thread.ok()) break;  // Perhaps there can be one when the next function is compiled.
    team->threads.push_back(*std::move(thread));
  }
  if (team->threads.empty()) return;
  team->parents.reset(team_.load());
  team_.store(made.release(), std::memory_order_release);
  sem_post(&team->work);  // For what was asked of the parent's threads.
}

void Promoter::Work(Team& team) {
  bool is_first = true;
  absl::Duration pause = kShortestPause;
  while (true) {
    const timespec until = absl::ToTimespec(absl::Now() + pause);
    while (sem_timedwait(&team.work, &until) != 0 && errno == EINTR) {
    }
    const absl::Time look = absl::Now();
    const bool has_found = LookAtCounters();
    pause = has_found ? kShortestPause : std::min(2 * pause, kLongestPause);
    if (looks_at_counters_ && is_starting_) pause = 4 * kShortestPause;
    pause = std::max(pause, kPausesOfALook * (absl::Now() - look));
    while (true) {
      if (looks_at_counters_ && is_starting_ && !is_stopping_) break;
      WorkScope scope;  // Never entered if the process exits.
      ++serving_;
      is_serving = true;
      absl::Cleanup served = [this] {
        is_serving = false;
        --serving_;
      };
      if (is_stopping_) return;
      HotFunction* function = TakeHottest();
      if (function == nullptr) break;
      Serve(*function);
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
  const absl::Time now = absl::Now();
  if (now - last_look_ < kShortestPause) return false;
  absl::Duration elapsed = now - std::exchange(last_look_, now);
  const absl::Duration first_bodies = absl::Nanoseconds(first_bodies_time_.exchange(0));
  is_starting_ = now - start_ < kLongestStart && (first_bodies_ > 0 || first_bodies > elapsed / 2);
  if (is_starting_) return false;  // Nothing is done about what is hot, either.
  // What runs while it waits for a first body does not take the time itself.
  elapsed = std::max(absl::ZeroDuration(), elapsed - first_bodies);
  for (const auto& [key, function] : functions_) {
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
  auto hottest = std::max_element(waiting_.begin(), waiting_.end(),
                                  [](const HotFunction* a, const HotFunction* b) {
                                    return a->asked_times.load(std::memory_order_relaxed) <
                                           b->asked_times.load(std::memory_order_relaxed);
                                  });
  HotFunction* function = *hottest;
  waiting_.erase(hottest);
  return function;
}

void Promoter::Serve(HotFunction& function) {
  {
    // Who finds the budget used up is never served, and need not ask again.
    absl::MutexLock lock(&mutex_);
    if (budget_left_ <= absl::ZeroDuration()) return;
  }
  const uint32_t loop = function.asked.load(std::memory_order_acquire);
  if (loop == kNoLoop ? function.is_decided.load() : function.Find(loop) != nullptr) {
    // Asked again while the last answer was being given.
    function.asked.store(kNothing, std::memory_order_release);
    return;
  }
  const std::optional<uint32_t> wanted_loop =
      loop == kNoLoop ? std::nullopt : std::optional<uint32_t>(loop);
  const auto is_warm = [&](SymbolOrdinal callee) { return IsWarm({function.key.module, callee}); };
  const absl::Time start = absl::Now();
  absl::StatusOr<OptimizingCompiler::Body> body =
      function.key.module->is_removed() ? absl::FailedPreconditionError("removed")
                                        : compiler_.Compile(function.key, wanted_loop, is_warm);
  if (body.ok() && !wanted_loop) table_.Publish(function.key, body->address);
  {
    absl::MutexLock lock(&mutex_);
    budget_left_ -= absl::Now() - start;
    FunctionHeat& heat = function.heat;
    if (!body.ok()) {
      ++heat.failures;
      heat.last_failure = body.status().ToString();
    } else if (wanted_loop) {
      ++heat.continuations;
      heat.continuation_bytes += body->code_bytes;
      heat.continuation_time += body->time;
    } else {
      heat.tier = 1;
      heat.better_bytes = body->code_bytes;
      heat.better_time = body->time;
      heat.polls_promoted = function.asked_times * (static_cast<uint64_t>(interval_) + 1);
    }
  }
  if (wanted_loop) {
    auto* continuation = new Continuation;
    continuation->loop = loop;
    if (body.ok()) continuation->code = body->address.InThisProcess<void*>();
    continuation->next = function.continuations.load(std::memory_order_relaxed);
    function.continuations.store(continuation, std::memory_order_release);
  } else {
    if (body.ok()) {
      function.patience_ends =
          std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(body->time);
    }
    function.is_decided.store(true, std::memory_order_relaxed);
  }
  function.asked.store(kNothing, std::memory_order_release);
  // The loop need not come round so often again to be told.
  if (wanted_loop && body.ok()) function.counters.polls->left.store(0, std::memory_order_relaxed);
}

// --- Bookkeeping ---

Promoter::HotFunction& Promoter::FunctionOf(FunctionKey key) {
  ExitHook::NoticeExitOnThisThread();
  EnsureThread();
  std::unique_ptr<HotFunction>& function = functions_[key];
  if (function == nullptr) function = std::make_unique<HotFunction>(*this, key);
  return *function;
}

absl::StatusOr<ExecutorAddress> Promoter::CounterOf(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  HotFunction& function = FunctionOf(key);
  if (function.counters.polls == nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(function.counters.polls,
                               code_space_.heat_counters().Make(interval_, &Ask, &function));
  }
  // Whoever finds the function by its counter finds all of it.
  function.counters.polls->owner.store(&function, std::memory_order_release);
  return ExecutorAddress::Of(function.counters.polls);
}

absl::Status Promoter::PrepareToCountCalls(FunctionKey key, HeatSigns signs) {
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
  function.heat.first_bytes = cost.code_bytes;
  function.heat.first_time = cost.time;
  if (!function.counters.calls) return body;
  function.counters.calls->GoOnTo(body);
  return function.counters.calls->address();
}

// Nobody is being served, because that is work.
std::vector<std::unique_ptr<Promoter::HotFunction>> Promoter::Take(const SourceModule& module) {
  TakeOverAsking();
  waiting_.erase(
      std::remove_if(waiting_.begin(), waiting_.end(),
                     [&](const HotFunction* function) { return function->key.module == &module; }),
      waiting_.end());
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

void Promoter::Stop() {
  is_stopping_ = true;
  if (!is_exiting_) compiler_.gate().Stop();
  Team* team = team_.exchange(nullptr, std::memory_order_acq_rel);
  if (team == nullptr) return;
  if (team->owner == getpid()) {
    for (size_t i = 0; i < team->threads.size(); ++i) sem_post(&team->work);
    if (is_exiting_) {
      // Its threads may still look at it.
      static std::atomic<Team*> abandoned{nullptr};
      team->next_abandoned = abandoned.exchange(team);
      return;
    }
    bool is_own = false;
    for (const auto& thread : team->threads) {
      if (thread->IsThisThread()) {
        thread->Detach();  // What it has linked ends the process.
        is_own = true;
      } else {
        thread->Join();
      }
    }
    if (is_own) return;
  }
  AskScope::WaitForThreads();
  delete team;
}

// What is being compiled needs objects of LLVM's that are about to go, and might take long: it is
// left where it is. So are threads that compile nothing: they may wait for being allowed to.
void Promoter::StopForExit() {
  is_stopping_ = is_exiting_ = true;
  if (Team* team = team_; team != nullptr && team->owner == getpid()) {
    for (const auto& thread : team->threads) thread->Detach();
  }
  compiler_.gate().ParkForExit([this] {
    WorkScope::Abandon();
    if (is_serving) --serving_;
  });
  // A listener may exit on the very thread that serves.
  const int own = is_serving ? 1 : 0;
  const absl::Time end =
      WorkScope::IsAtWork() ? absl::Now() + kLongestWaitAtWork : absl::InfiniteFuture();
  while (serving_ > own && absl::Now() < end) absl::SleepFor(absl::Microseconds(100));
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
