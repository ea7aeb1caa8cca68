#include "runtime/promotion/hot_function_optimizer.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/steady_clock.h"
#include "runtime/promotion/program_clock.h"
#include "seam/promotion_stats.h"

namespace firstcall {
namespace {

std::optional<uint32_t> LoopOf(uint32_t wanted) {
  return wanted == kNoLoop ? std::nullopt : std::optional<uint32_t>(wanted);
}

absl::Status Thrown() { return absl::UnknownError("a callback of the client's has thrown"); }

}  // namespace

PromotionStep HotFunctionOptimizer::Describe(
    const Attempt& attempt, absl::Duration time,
    const absl::StatusOr<OptimizedBodies::Body>& body) const {
  const HotFunction& function = attempt.job->function();
  PromotionStep step;
  step.is_continuation = attempt.wanted != kNoLoop;
  step.hot = function.request().asked_at() - start_;
  step.begun = attempt.begun - start_;
  step.ready = SteadyNow() - start_;
  step.counts = function.counting_body().Sum();
  step.time = time;
  step.predicted_cost = attempt.predicted.cost;
  step.predicted_gain = attempt.predicted.gain;
  if (!body.ok()) {
    step.is_kept = step.is_continuation && absl::IsNotFound(body.status());
    step.failure = body.status().ToString();
    return step;
  }
  step.extract = body->extract;
  step.optimize = body->optimize;
  step.emit = body->emit;
  step.link = body->link;
  step.code_bytes = body->code_bytes;
  step.imported = body->imported;
  step.facts = body->facts;
  step.inlined = body->inlined;
  step.is_cached = body->is_cached;
  return step;
}

HotFunctionOptimizer::Attempt HotFunctionOptimizer::Begin(HotFunction& function, uint32_t wanted) {
  Attempt attempt;
  auto job = std::make_shared<PromotionJob>(function);
  absl::MutexLock lock(&mutex_);
  if (!schedule_->Begin(job)) return attempt;
  attempt.job = std::move(job);
  attempt.wanted = wanted;
  attempt.begun = SteadyNow();
  attempt.thread_time = ThreadTime();
  attempt.predicted = schedule_->books().Predict(function.first_body());
  return attempt;
}

PromotionJob::Outcome HotFunctionOptimizer::Serve(HotFunction& function,
                                                  std::atomic<int>* attended) {
  const uint32_t wanted = function.request().wanted();
  if (function.HasAnswer(wanted)) {
    function.request().Withdraw();
    return PromotionJob::Outcome::kDone;
  }
  const Attempt attempt = Begin(function, wanted);
  if (attempt.job == nullptr) return PromotionJob::Outcome::kDone;
  const PromotionJob::Scope scope(*attempt.job);
  if (CountsFirst(function, wanted)) return ServeCountingBody(attempt);
  // A callback of the client's may throw. Then the function gets no better body.
  absl::Cleanup give_up = [&] { (void)Conclude(attempt, Thrown()); };
  const absl::StatusOr<OptimizedBodies::Body> body = Optimize(*attempt.job, wanted, attended);
  std::move(give_up).Cancel();
  return Conclude(attempt, body);
}

void HotFunctionOptimizer::SeekInCache(absl::Span<const PromotionSchedule::Sought> all) {
  for (const auto& [function, wanted] : all) {
    if (!bodies_.IsCached(function->key(), LoopOf(wanted))) continue;
    absl::MutexLock lock(&mutex_);
    function->NoteCached(wanted);
  }
}

PromotionJob::Outcome HotFunctionOptimizer::Conclude(
    const Attempt& attempt, const absl::StatusOr<OptimizedBodies::Body>& body) {
  const PromotionJob::Outcome outcome = attempt.job->Finish();
  if (outcome == PromotionJob::Outcome::kAbandoned) return outcome;
  const absl::Duration time = ThreadTime() - attempt.thread_time;
  if (outcome == PromotionJob::Outcome::kDone) GiveAnswer(attempt, time, body);
  absl::MutexLock lock(&mutex_);
  schedule_->End(attempt.job, attempt.begun, time);
  return outcome;
}

bool HotFunctionOptimizer::CountsFirst(const HotFunction& function, uint32_t wanted) {
  if (counting_bodies_ == nullptr || wanted != kNoLoop) return false;
  absl::MutexLock lock(&mutex_);
  return function.WantsToCountBranches() && !function.is_cached() &&
         !function.key().module->is_removed();
}

PromotionJob::Outcome HotFunctionOptimizer::ServeCountingBody(const Attempt& attempt) {
  absl::Cleanup give_up = [&] { (void)ConcludeCountingBody(attempt, Thrown()); };
  const absl::StatusOr<CountingBodies::Body> body =
      counting_bodies_->Make(attempt.job->function().key(), attempt.job->stop());
  std::move(give_up).Cancel();
  return ConcludeCountingBody(attempt, body);
}

PromotionJob::Outcome HotFunctionOptimizer::ConcludeCountingBody(
    const Attempt& attempt, const absl::StatusOr<CountingBodies::Body>& body) {
  const PromotionJob::Outcome outcome = attempt.job->Finish();
  if (outcome == PromotionJob::Outcome::kAbandoned) return outcome;
  HotFunction& function = attempt.job->function();
  absl::MutexLock lock(&mutex_);
  if (outcome == PromotionJob::Outcome::kDone) {
    if (body.ok()) {
      function.BeginCountingBranches(body->address, body->counters);
    } else {
      function.DoNotCountBranches();
    }
    schedule_->waiting().Add(function);
  }
  schedule_->jobs().Remove(attempt.job);
  schedule_->NoteCountingBody(ThreadTime() - attempt.thread_time);
  return outcome;
}

absl::StatusOr<OptimizedBodies::Body> HotFunctionOptimizer::Optimize(PromotionJob& job,
                                                                     uint32_t wanted,
                                                                     std::atomic<int>* attended) {
  const FunctionKey key = job.function().key();
  if (key.module->is_removed()) return absl::FailedPreconditionError("removed");
  const auto is_warm = [&](SymbolOrdinal callee) { return IsWarm({key.module, callee}); };
  const auto run_passes = [&](absl::FunctionRef<void()> passes) {
    return job.RunPasses(passes, attended);
  };
  const ExecutorAddress first_body = [&] {
    absl::MutexLock lock(&mutex_);
    return job.function().first_body().address();
  }();
  return bodies_.Make(key, LoopOf(wanted), first_body, is_warm, CountsOf(*key.module), job.stop(),
                      run_passes);
}

void HotFunctionOptimizer::GiveAnswer(const Attempt& attempt, absl::Duration time,
                                      const absl::StatusOr<OptimizedBodies::Body>& body) {
  HotFunction& function = attempt.job->function();
  const bool is_whole = attempt.wanted == kNoLoop;
  if (body.ok() && is_whole) table_.Publish(function.key(), body->address);
  {
    absl::MutexLock lock(&mutex_);
    function.notes().NoteStep(Describe(attempt, time, body));
    if (body.ok() && !body->is_cached) {
      schedule_->books().NoteOptimization(function.first_body(), attempt.predicted, time);
    } else {
      schedule_->books().NoteOtherWork(time);
    }
    function.first_body().ForgetTime();
    if (!is_whole && absl::IsNotFound(body.status())) {
      function.notes().NoteKeptLoop(std::string(body.status().message()));
    } else if (!body.ok()) {
      function.notes().NoteFailure(body.status().ToString());
    } else if (is_whole) {
      function.NoteBody(body->code_bytes, body->time, body->is_cached);
    } else {
      function.notes().NoteContinuation(body->code_bytes, body->time);
      if (function.first_body().polls().are_in_code() && body->exit == nullptr) {
        function.notes().NoteKeptLoop("its first body is another one than was made again");
      }
      if (function.key().module->cache() != nullptr) schedule_->AddForNextRun(function);
    }
  }
  if (is_whole) {
    function.GiveBody(body.ok() ? std::optional<absl::Duration>(body->time) : std::nullopt);
  } else {
    Continuations::Continuation continuation;
    if (body.ok()) continuation = {body->address.InThisProcess<void*>(), body->exit};
    function.GiveContinuation(attempt.wanted, std::move(continuation));
  }
}

// A callee that was hardly ever called does not make its caller hot.
bool HotFunctionOptimizer::IsWarm(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  const HotFunction* function = functions_->Find(key);
  return function == nullptr ? table_.BodyOf(key).has_value() : function->IsWarm();
}

std::vector<BranchCounts> HotFunctionOptimizer::CountsOf(const SourceModule& module) {
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
  return functions_->CountsOf(module, find_target);
}

}  // namespace firstcall
