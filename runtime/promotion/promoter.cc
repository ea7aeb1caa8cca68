#include "runtime/promotion/promoter.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "base/any_stack.h"
#include "base/no_interruption.h"
#include "base/own_thread.h"
#include "base/processors.h"
#include "base/program_thread_state.h"
#include "base/signal_state.h"
#include "base/stack_space.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "runtime/process/ask_scope.h"
#include "runtime/process/exit_hook.h"
#include "runtime/process/work_scope.h"
#include "runtime/promotion/promotion_job.h"

namespace firstcall {
namespace {

// The pause between two tries to abandon all jobs when the engine ends.
constexpr absl::Duration kLastPause = absl::Milliseconds(1);

// Whether this thread may optimize now: not in a signal handler, which may not allocate memory, nor
// on a small stack.
bool MayOptimizeHere() {
  return !WorkScope::IsInterrupted() && !SignalState::MayBeInHandler() &&
         StackLeft() >= kStackToCompile;
}

}  // namespace

Promoter::Promoter(const PromotionOptions& options, CodeSpace& code_space, FunctionTable& functions,
                   OptimizedBodies& bodies, CountingBodies& counting_bodies)
    : interval_(static_cast<int32_t>(std::clamp<uint32_t>(options.threshold, 1, INT32_MAX)) - 1),
      looks_at_counters_(options.only_counts_calls()),
      code_space_(code_space),
      poll_budget_(!looks_at_counters_, start_),
      functions_(this, interval_),
      schedule_(options.threads > 0, looks_at_counters_, options.weighs_gains(), options.budget,
                start_),
      optimizer_(mutex_, functions_, schedule_, functions, bodies,
                 looks_at_counters_ && options.counts_branches ? &counting_bodies : nullptr,
                 start_),
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
  return WithoutInterruption(
      [&] { return ContinuationFor(counter, loop, /*is_in_code=*/false).code; });
}

// The exit is read after this: it lives as long as the code that asks.
FIRSTCALL_ON_ANY_STACK const LoopExit* Promoter::AskToLeave(HotnessCounter* counter,
                                                            uint32_t loop) {
  return ContinuationFor(counter, loop, /*is_in_code=*/true).exit;
}

FIRSTCALL_ON_ANY_STACK Continuations::Entrance Promoter::ContinuationFor(HotnessCounter* counter,
                                                                         uint32_t loop,
                                                                         bool is_in_code) {
  LibraryState state;
  const auto is_there = [&] { return counter->handler.load() == &Ask; };
  Answer answer;
  {
    AskScope scope;
    if (is_there()) {
      auto* function = static_cast<HotFunction*>(counter->owner.load(std::memory_order_acquire));
      if (is_in_code) function->first_body().polls().NotePollInCode();
      answer = function->promoter().Register(*function, loop);
    }
  }
  if (answer.to_serve != nullptr) {
    const WorkScope scope(WorkScope::WhenOver::kForget);
    // The function may have been removed before this scope; it cannot be removed within the scope.
    if (!scope.is_at_work() || !is_there()) return {};
    HotFunction& function = *answer.to_serve;
    if (function.promoter().optimizer_.Serve(function, /*attended=*/nullptr) !=
        PromotionJob::Outcome::kDone) {
      return {};
    }
    return function.EnterContinuation(loop);
  }
  if (answer.to_start != nullptr && !WorkScope::IsInterrupted()) {
    const WorkScope scope(WorkScope::WhenOver::kForget);
    if (scope.is_at_work() && is_there()) answer.to_start->StartThreadsNowOrLater();
  }
  return answer.continuation;
}

void Promoter::StartThreadsNowOrLater() {
  if (SignalState::MayBeInHandler()) {
    threads_.Need();
    return;
  }
  absl::MutexLock lock(&mutex_);
  if (!threads_.Start()) return;
  schedule_.TakeOverJobs();
  BeginBooks();
}

// In a forked child, the times and optimizations of its parent say nothing.
void Promoter::BeginBooks() {
  functions_.ForgetTimes();
  schedule_.BeginBooks();
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
  if (function.first_body().polls().seek_continuation()) {
    function.first_body().polls().BeginInterval();  // It has not come round so often.
  } else {
    function.first_body().CountInterval();
  }
  // In a forked child the function may have asked in the parent already. Then only threads to serve
  // it are missing.
  if (!threads_.are_stopping() && threads_.are_missing()) answer.to_start = this;
  answer.continuation = function.EnterContinuation(loop);
  if (answer.continuation.code != nullptr) return answer;
  const std::optional<uint32_t> wanted = function.WantedAt(loop, /*body_first=*/looks_at_counters_);
  if (!wanted || threads_.are_stopping()) return answer;
  if (!threads_.are_used() && !MayOptimizeHere()) return {};
  if (!function.request().Ask(*wanted)) return answer;
  if (!threads_.are_used()) return {{}, &function, nullptr};
  asking_.Push(function);
  threads_.Wake();
  return answer;
}

// --- The threads ---

PromotionThreads::Found Promoter::LookForWork() {
  if (other_work_ && !threads_.are_stopping()) {
    const WorkScope scope(WorkScope::WhenOver::kForget);
    if (scope.is_at_work()) other_work_();
  }
  NoteProcessors();
  const bool has_found = LookAtCounters();
  if (MustWait()) return PromotionThreads::Found::kMustWait;
  return has_found ? PromotionThreads::Found::kSomething : PromotionThreads::Found::kNothing;
}

PromotionThreads::Served Promoter::ServeNext(std::atomic<int>* attended) {
  if (MustWait()) return PromotionThreads::Served::kNone;
  SeekInCache();
  HotFunction* function = TakeNext();
  if (function == nullptr) return PromotionThreads::Served::kNone;
  if (optimizer_.Serve(*function, attended) == PromotionJob::Outcome::kAbandoned) {
    return PromotionThreads::Served::kAbandoned;
  }
  // A hotter function may have turned up meanwhile.
  (void)LookAtCounters();
  return PromotionThreads::Served::kOne;
}

void Promoter::SeekInCache() {
  std::vector<PromotionSchedule::Sought> sought;
  const WorkScope scope(WorkScope::WhenOver::kForget);  // So no module is removed meanwhile.
  if (!scope.is_at_work()) return;
  {
    absl::MutexLock lock(&mutex_);
    schedule_.waiting().TakeOver(asking_);
    sought = schedule_.TakeToBeSought();
  }
  optimizer_.SeekInCache(sought);
}

HotFunction* Promoter::TakeNext() {
  absl::MutexLock lock(&mutex_);
  schedule_.waiting().TakeOver(asking_);
  return schedule_.TakeNext(functions_);
}

void Promoter::NoteProcessors() {
  if (!looks_at_counters_ || knows_processors_.exchange(true)) return;
  const double processors = UsableProcessors();
  absl::MutexLock lock(&mutex_);
  schedule_.books().SetProcessors(processors);
}

bool Promoter::LookAtCounters() {
  if (!looks_at_counters_ || threads_.are_stopping()) return false;
  const WorkScope scope(WorkScope::WhenOver::kForget);
  if (!scope.is_at_work()) return false;
  absl::MutexLock lock(&mutex_);
  const absl::Duration now = SteadyNow();
  std::optional<HotFunctions::Since> since = schedule_.BeginLook(now);
  if (!since) return false;
  const absl::Duration first_bodies = startup_.Update(now, since->active);
  if (startup_.is_on()) return false;  // Hot functions are not optimized now, either.
  // A function that waited for a first body was not active during that time.
  since->active = std::max(absl::ZeroDuration(), since->active - first_bodies);
  since->time = std::max(absl::ZeroDuration(), since->time - first_bodies);
  return functions_.LookAtCounters(*since, schedule_.books(), schedule_.waiting());
}

// --- Bookkeeping ---

HotFunction& Promoter::FunctionOf(FunctionKey key) {
  ExitHook::NoticeExitOnThisThread();
  // A forked child needs the threads if its parent had them.
  if (threads_.are_needed() && threads_.Start()) BeginBooks();
  schedule_.TakeOverJobs();
  return functions_.Get(key);
}

absl::StatusOr<ExecutorAddress> Promoter::CounterOf(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  HotFunction& function = FunctionOf(key);
  // Without a thread only early polls can notice that a loop takes long.
  const bool asks_early = looks_at_counters_ && !threads_.were_started();
  absl::StatusOr<HotnessCounter*> counter = function.first_body().polls().MakeCounter(
      code_space_.hotness_counters(), &Ask, &AskToLeave, &function, asks_early);
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
  (void)optimizer_.Serve(*function, /*attended=*/nullptr);
}

// The caller holds an ExclusiveWorkScope. So a job of another thread of this process can only be
// unattended: the attended part of a job is work, which the scope has waited for.
std::vector<std::unique_ptr<HotFunction>> Promoter::Take(const SourceModule& module) {
  schedule_.waiting().TakeOver(asking_);
  schedule_.Forget(&module);
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
  for (const auto& function : Take(module)) counters.push_back(function->TakeCounters());
  return counters;
}

bool Promoter::Abandon(const OwnThread& thread) {
  absl::MutexLock lock(&mutex_);
  return schedule_.jobs().Abandon(thread);
}

bool Promoter::AbandonJobs() {
  absl::MutexLock lock(&mutex_);
  return schedule_.jobs().AbandonAll();
}

void Promoter::Stop() {
  threads_.BeginToStop();
  {
    absl::MutexLock lock(&mutex_);
    schedule_.jobs().Stop();
  }
  if (!threads_.Stop([this](const OwnThread& thread) { return Abandon(thread); })) return;
  // Threads of the program may still be optimizing functions of detached modules.
  while (!AbandonJobs()) absl::SleepFor(kLastPause);
  AskScope::WaitForThreads();
}

PromotionStats Promoter::Collect() const {
  absl::MutexLock lock(&mutex_);
  PromotionStats stats = functions_.Collect();
  stats.totals = schedule_.books().totals();
  stats.totals.put_off = schedule_.waiting().size();
  return stats;
}

}  // namespace firstcall
