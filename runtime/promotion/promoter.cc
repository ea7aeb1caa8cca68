#include "runtime/promotion/promoter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "base/any_stack.h"
#include "base/own_thread.h"
#include "base/program_thread_state.h"
#include "base/signal_state.h"
#include "base/stack_space.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "runtime/process/ask_scope.h"
#include "runtime/process/exit_hook.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

// A function is not optimized before the program has run for this time for each byte of its first
// body: about half of the time that optimizing it takes. (Measured: 6 us a byte for Lua's
// interpreter, of 40 KB, and 8 us for SQLite's, of 64 KB.)
constexpr absl::Duration kTimeOfAByte = absl::Microseconds(3);

// The threads must have been idle for this time before they optimize a function that is not hot, or
// a function for the next run.
constexpr absl::Duration kIdleTime = absl::Milliseconds(100);

// The pause between two tries to abandon all jobs when the engine ends.
constexpr absl::Duration kLastPause = absl::Milliseconds(1);

// Whether this thread may optimize now: not in a signal handler, which may not allocate memory, nor
// on a small stack.
bool MayOptimizeHere() {
  return !WorkScope::IsInterrupted() && !SignalState::MayBeInHandler() &&
         StackLeft() >= kStackToCompile;
}

absl::Status Thrown() { return absl::UnknownError("a callback of the client's has thrown"); }

}  // namespace

Promoter::Promoter(const PromotionOptions& options, CodeSpace& code_space, FunctionTable& functions,
                   OptimizedBodies& bodies, CountingBodies& counting_bodies)
    : interval_(static_cast<int32_t>(std::clamp<uint32_t>(options.threshold, 1, INT32_MAX)) - 1),
      looks_at_counters_(options.only_counts_calls()),
      code_space_(code_space),
      table_(functions),
      bodies_(bodies),
      counting_bodies_(counting_bodies),
      counts_branches_(looks_at_counters_ && options.counts_branches),
      poll_budget_(!looks_at_counters_, start_),
      functions_(this, interval_),
      budget_left_(options.budget),
      threads_(options.threads,
               {[this] { return LookForWork(); },
                [this](std::atomic<int>* attended) { return ServeNext(attended); }}) {
  AskScope::NoticeForks();
  if (threads_.are_used()) {
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

FIRSTCALL_ON_ANY_STACK void* Promoter::Ask(HotnessCounter* counter, uint32_t loop) {
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
    const WorkScope scope(WorkScope::WhenOver::kForget);
    // The function may have been removed before this scope; it cannot be removed within the scope.
    if (!scope.is_at_work() || !is_there()) return nullptr;
    HotFunction& function = *answer.to_serve;
    if (function.promoter().Serve(function, /*attended=*/nullptr) != PromotionJob::Outcome::kDone) {
      return nullptr;
    }
    return function.EnterContinuation(loop);
  }
  if (answer.to_start != nullptr && !WorkScope::IsInterrupted()) {
    const WorkScope scope(WorkScope::WhenOver::kForget);
    if (scope.is_at_work() && is_there()) answer.to_start->StartThreadsNowOrLater();
  }
  return answer.code;
}

void Promoter::StartThreadsNowOrLater() {
  if (SignalState::MayBeInHandler()) {
    threads_.Need();
    return;
  }
  absl::MutexLock lock(&mutex_);
  StartThreads();
}

void Promoter::NoticeRunOut(const CallCounter& counter) {
  if (threads_.are_stopping() || !threads_.are_missing()) return;
  StartThreadsNowOrLater();
  if (threads_.are_missing()) counter.left().store(interval_, std::memory_order_relaxed);
}

Promoter::Answer Promoter::AnswerEarlyPoll(HotFunction& function) {
  Answer answer;
  const bool has_thread = threads_.were_started();
  const bool is_long = function.first_body().NoteEarlyPoll(has_thread);
  if (is_long && !has_thread && !threads_.are_stopping()) answer.to_start = this;
  return answer;
}

Promoter::Answer Promoter::Register(HotFunction& function, uint32_t loop) {
  if (function.first_body().polls().are_early()) return AnswerEarlyPoll(function);
  Answer answer;
  if (function.PutOffForOtherLoop(loop)) return answer;
  function.first_body().CountInterval();
  // In a forked child the function may have asked in the parent already. Then only threads to serve
  // it are missing.
  if (!threads_.are_stopping() && threads_.are_missing()) answer.to_start = this;
  answer.code = function.EnterContinuation(loop);
  if (answer.code != nullptr) return answer;
  const std::optional<uint32_t> wanted = function.WantedAt(loop, /*body_first=*/looks_at_counters_);
  if (!wanted || threads_.are_stopping()) return answer;
  if (!threads_.are_used() && !MayOptimizeHere()) return {};
  if (!function.request().Ask(*wanted)) return answer;
  if (!threads_.are_used()) return {nullptr, &function, nullptr};
  asking_.Push(function);
  threads_.Wake();
  return answer;
}

// --- Serving ---

void Promoter::StartThreads() {
  if (threads_.Start()) TakeOverJobs();
}

void Promoter::TakeOverJobs() {
  for (HotFunction* function : jobs_.TakeParents()) {
    if (threads_.are_used()) {
      waiting_.Add(*function);
    } else {
      function->request().Withdraw();
    }
  }
}

PromotionThreads::Found Promoter::LookForWork() {
  const bool has_found = LookAtCounters();
  if (MustWait()) return PromotionThreads::Found::kMustWait;
  return has_found ? PromotionThreads::Found::kSomething : PromotionThreads::Found::kNothing;
}

PromotionThreads::Served Promoter::ServeNext(std::atomic<int>* attended) {
  if (MustWait()) return PromotionThreads::Served::kNone;
  HotFunction* function = TakeMostUrgent();
  if (function == nullptr) return PromotionThreads::Served::kNone;
  if (Serve(*function, attended) == PromotionJob::Outcome::kAbandoned) {
    return PromotionThreads::Served::kAbandoned;
  }
  // A hotter function may have turned up meanwhile.
  (void)LookAtCounters();
  return PromotionThreads::Served::kOne;
}

bool Promoter::LookAtCounters() {
  if (!looks_at_counters_ || threads_.are_stopping()) return false;
  const WorkScope scope(WorkScope::WhenOver::kForget);
  if (!scope.is_at_work()) return false;
  absl::MutexLock lock(&mutex_);
  const absl::Duration now = SteadyNow();
  if (now - last_look_ < PromotionThreads::kShortestPause) return false;
  // While this thread was optimizing it did not look at the counters. A counter that has changed
  // may have done so at any time since the last look.
  absl::Duration elapsed =
      std::min(now - std::exchange(last_look_, now), PromotionThreads::kLongestPause);
  const absl::Duration first_bodies = startup_.Update(now, elapsed);
  if (startup_.is_on()) return false;  // Hot functions are not optimized now, either.
  // A function that waited for a first body was not active during that time.
  elapsed = std::max(absl::ZeroDuration(), elapsed - first_bodies);
  return functions_.LookAtCounters(elapsed, waiting_);
}

// A callee that was hardly ever called does not make its caller hot.
bool Promoter::IsWarm(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  const HotFunction* function = functions_.Find(key);
  return function == nullptr ? table_.BodyOf(key).has_value() : function->IsWarm();
}

std::vector<BranchCounts> Promoter::CountsOf(const SourceModule& module) {
  // Functions of other modules have no bodies here that could be inlined.
  const auto find_target = [&](ExecutorAddress address) -> std::optional<CallTarget> {
    const std::optional<FunctionTable::AtAddress> found = table_.FunctionAt(address);
    if (!found || found->key.module != &module) return std::nullopt;
    CallTarget target;
    target.function = found->key.ordinal;
    target.is_in_table = found->has_table_entries;
    return target;
  };
  absl::MutexLock lock(&mutex_);
  return functions_.CountsOf(module, find_target);
}

HotFunction* Promoter::TakeMostUrgent() {
  absl::MutexLock lock(&mutex_);
  waiting_.TakeOver(asking_);
  if (budget_left_ <= absl::ZeroDuration()) return nullptr;
  const absl::Duration now = SteadyNow();
  const absl::Duration run = now - start_;
  HotFunction* const most_urgent = waiting_.TakeMostUrgent([&](const HotFunction& function) {
    return looks_at_counters_ && (function.first_body().code_bytes() * kTimeOfAByte > run ||
                                  function.IsCountingBranches(now));
  });
  return most_urgent != nullptr ? most_urgent : TakeForIdleTime();
}

HotFunction* Promoter::TakeForIdleTime() {
  if (SteadyNow() - last_served_ < kIdleTime) return nullptr;
  HotFunction* function = functions_.FindForIdleTime();
  if (function == nullptr && !for_next_run_.empty()) {
    function = for_next_run_.back();
    for_next_run_.pop_back();
    if (function->is_decided()) return nullptr;
  }
  return function != nullptr && function->request().Ask(kNoLoop) ? function : nullptr;
}

PromotionJob::Outcome Promoter::Serve(HotFunction& function, std::atomic<int>* attended) {
  const uint32_t wanted = function.request().wanted();
  if (function.HasAnswer(wanted)) {
    function.request().Withdraw();
    return PromotionJob::Outcome::kDone;
  }
  const std::shared_ptr<PromotionJob> job = BeginJob(function);
  if (job == nullptr) return PromotionJob::Outcome::kDone;
  const PromotionJob::Scope scope(*job);
  if (CountsFirst(function, wanted)) return ServeCountingBody(job);
  const absl::Duration start = SteadyNow();
  // A callback of the client's may throw. Then the function gets no better body.
  absl::Cleanup give_up = [&] { (void)Conclude(job, wanted, start, Thrown()); };
  const absl::StatusOr<OptimizedBodies::Body> body = Optimize(*job, wanted, attended);
  std::move(give_up).Cancel();
  return Conclude(job, wanted, start, body);
}

PromotionJob::Outcome Promoter::Conclude(const std::shared_ptr<PromotionJob>& job, uint32_t wanted,
                                         absl::Duration begun,
                                         const absl::StatusOr<OptimizedBodies::Body>& body) {
  const PromotionJob::Outcome outcome = job->Finish();
  if (outcome == PromotionJob::Outcome::kAbandoned) return outcome;
  if (outcome == PromotionJob::Outcome::kDone) GiveAnswer(job->function(), wanted, begun, body);
  absl::MutexLock lock(&mutex_);
  last_served_ = SteadyNow();
  budget_left_ -= last_served_ - begun;
  jobs_.Remove(job);
  return outcome;
}

bool Promoter::CountsFirst(const HotFunction& function, uint32_t wanted) {
  if (!counts_branches_ || wanted != kNoLoop) return false;
  absl::MutexLock lock(&mutex_);
  return function.WantsToCountBranches() && !function.key().module->is_removed();
}

PromotionJob::Outcome Promoter::ServeCountingBody(const std::shared_ptr<PromotionJob>& job) {
  absl::Cleanup give_up = [&] { (void)ConcludeCountingBody(job, Thrown()); };
  const absl::StatusOr<CountingBodies::Body> body =
      counting_bodies_.Make(job->function().key(), job->stop());
  std::move(give_up).Cancel();
  return ConcludeCountingBody(job, body);
}

PromotionJob::Outcome Promoter::ConcludeCountingBody(
    const std::shared_ptr<PromotionJob>& job, const absl::StatusOr<CountingBodies::Body>& body) {
  const PromotionJob::Outcome outcome = job->Finish();
  if (outcome == PromotionJob::Outcome::kAbandoned) return outcome;
  HotFunction& function = job->function();
  absl::MutexLock lock(&mutex_);
  if (outcome == PromotionJob::Outcome::kDone) {
    if (body.ok()) {
      function.BeginCountingBranches(body->address, body->counters);
    } else {
      function.DoNotCountBranches();
    }
    waiting_.Add(function);
  }
  jobs_.Remove(job);
  return outcome;
}

// If the budget is used up, the function is never served. It stays in the asking state, so that it
// does not ask again.
std::shared_ptr<PromotionJob> Promoter::BeginJob(HotFunction& function) {
  auto job = std::make_shared<PromotionJob>(function);
  absl::MutexLock lock(&mutex_);
  if (budget_left_ <= absl::ZeroDuration()) return nullptr;
  TakeOverJobs();
  jobs_.Add(job);
  return job;
}

absl::StatusOr<OptimizedBodies::Body> Promoter::Optimize(PromotionJob& job, uint32_t wanted,
                                                         std::atomic<int>* attended) {
  const FunctionKey key = job.function().key();
  if (key.module->is_removed()) return absl::FailedPreconditionError("removed");
  const auto is_warm = [&](SymbolOrdinal callee) { return IsWarm({key.module, callee}); };
  const auto run_passes = [&](absl::FunctionRef<void()> passes) {
    return job.RunPasses(passes, attended);
  };
  const std::optional<uint32_t> loop =
      wanted == kNoLoop ? std::nullopt : std::optional<uint32_t>(wanted);
  return bodies_.Make(key, loop, is_warm, CountsOf(*key.module), job.stop(), run_passes);
}

PromotionStep Promoter::Describe(const HotFunction& function, uint32_t wanted, absl::Duration begun,
                                 const absl::StatusOr<OptimizedBodies::Body>& body) const {
  PromotionStep step;
  step.is_continuation = wanted != kNoLoop;
  step.hot = function.request().asked_at() - start_;
  step.begun = begun - start_;
  step.ready = SteadyNow() - start_;
  step.counts = function.counting_body().Sum();
  if (!body.ok()) {
    step.failure = body.status().ToString();
    return step;
  }
  step.extract = body->extract;
  step.optimize = body->optimize;
  step.emit = body->emit;
  step.link = body->link;
  step.code_bytes = body->code_bytes;
  step.imported = body->imported;
  step.inlined = body->inlined;
  step.is_cached = body->is_cached;
  return step;
}

void Promoter::GiveAnswer(HotFunction& function, uint32_t wanted, absl::Duration begun,
                          const absl::StatusOr<OptimizedBodies::Body>& body) {
  const bool is_whole = wanted == kNoLoop;
  if (body.ok() && is_whole) table_.Publish(function.key(), body->address);
  {
    absl::MutexLock lock(&mutex_);
    function.notes().NoteStep(Describe(function, wanted, begun, body));
    if (!body.ok()) {
      function.notes().NoteFailure(body.status().ToString());
    } else if (is_whole) {
      function.NoteBody(body->code_bytes, body->time, body->is_cached);
    } else {
      function.notes().NoteContinuation(body->code_bytes, body->time);
      if (function.key().module->cache() != nullptr) for_next_run_.push_back(&function);
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
  // A forked child needs the threads if its parent had them.
  if (threads_.are_needed()) StartThreads();
  TakeOverJobs();
  return functions_.Get(key);
}

absl::StatusOr<ExecutorAddress> Promoter::CounterOf(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  HotFunction& function = FunctionOf(key);
  // Without a thread only early polls can notice that a loop takes long.
  const bool asks_early = looks_at_counters_ && !threads_.were_started();
  absl::StatusOr<HotnessCounter*> counter = function.first_body().polls().MakeCounter(
      code_space_.hotness_counters(), &Ask, &function, asks_early);
  if (!counter.ok()) return counter.status();
  return ExecutorAddress::Of(*counter);
}

absl::Status Promoter::PrepareToCountCalls(SourceModule& module,
                                           absl::Span<const SymbolOrdinal> functions,
                                           absl::Span<const HotnessSigns> signs) {
  SignalState::NoteForThread();
  absl::MutexLock lock(&mutex_);
  for (size_t i = 0; i < signs.size(); ++i) {
    if (signs[i] == HotnessSigns::kNone) continue;
    FIRSTCALL_RETURN_IF_ERROR(
        FunctionOf({&module, functions[i]})
            .first_body()
            .MakeCallCounter(looks_at_counters_ ? &code_space_.call_counters() : nullptr,
                             signs[i]));
  }
  return absl::OkStatus();
}

ExecutorAddress Promoter::AddressToPublish(FunctionKey key, ExecutorAddress body, Cost cost) {
  absl::MutexLock lock(&mutex_);
  return FunctionOf(key).first_body().BeginCounting(body, cost.code_bytes, cost.time);
}

void Promoter::NoteCachedBody(FunctionKey key, size_t code_bytes, absl::Duration time) {
  absl::MutexLock lock(&mutex_);
  HotFunction& function = functions_.Get(key);
  function.NoteBody(code_bytes, time, /*is_cached=*/true);
  function.GiveBody(std::nullopt);
}

void Promoter::NoteHot(absl::Span<const FunctionKey> keys) {
  absl::MutexLock lock(&mutex_);
  for (FunctionKey key : keys) functions_.Get(key).NoteThatItWillBeHot();
}

void Promoter::OptimizeNow(FunctionKey key) {
  HotFunction* function = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    if (threads_.are_stopping()) return;
    function = &functions_.Get(key);
    if (!function->first_body().is_made() || function->is_decided() ||
        !function->request().Ask(kNoLoop))
      return;
    function->DoNotCountBranches();  // It has not run yet, and the caller waits.
  }
  (void)Serve(*function, /*attended=*/nullptr);
}

// The caller holds an ExclusiveWorkScope. So a job of another thread of this process can only be
// unattended: the attended part of a job is work, which the scope has waited for.
std::vector<std::unique_ptr<HotFunction>> Promoter::Take(const SourceModule& module) {
  waiting_.TakeOver(asking_);
  waiting_.Forget(&module);
  for_next_run_.erase(std::remove_if(for_next_run_.begin(), for_next_run_.end(),
                                     [&](const HotFunction* function) {
                                       return function->key().module == &module;
                                     }),
                      for_next_run_.end());
  jobs_.Drop(&module);
  return functions_.Take(module);
}

void Promoter::Remove(const SourceModule& module) {
  absl::MutexLock lock(&mutex_);
  for (const auto& function : Take(module)) code_space_.Free(function->first_body().counters());
}

std::vector<PromotionCounters> Promoter::Detach(const SourceModule& module) {
  absl::MutexLock lock(&mutex_);
  std::vector<PromotionCounters> counters;
  functions_.TurnAwayPolls(module);
  // A thread that is asking now may still put a function on the stack.
  AskScope::WaitForThreads();
  for (const auto& function : Take(module)) counters.push_back(function->first_body().counters());
  return counters;
}

bool Promoter::Abandon(const OwnThread& thread) {
  absl::MutexLock lock(&mutex_);
  return jobs_.Abandon(thread);
}

bool Promoter::AbandonJobs() {
  absl::MutexLock lock(&mutex_);
  return jobs_.AbandonAll();
}

void Promoter::Stop() {
  threads_.BeginToStop();
  {
    absl::MutexLock lock(&mutex_);
    jobs_.Stop();
  }
  if (!threads_.Stop([this](const OwnThread& thread) { return Abandon(thread); })) return;
  // Threads of the program may still be optimizing functions of detached modules.
  while (!AbandonJobs()) absl::SleepFor(kLastPause);
  AskScope::WaitForThreads();
}

PromotionStats Promoter::Collect() const {
  absl::MutexLock lock(&mutex_);
  return functions_.Collect();
}

}  // namespace firstcall
