#include "runtime/program/preparation.h"

#include <cxxabi.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "runtime/process/work_scope.h"
#include "seam/event.h"

namespace firstcall {

Preparation::Preparation(std::vector<FunctionKey> functions, const PrepareOptions& options,
                         Program& program, Promoter* promoter)
    : functions_(std::move(functions)),
      options_(options),
      program_(program),
      promoter_(options.optimizes ? promoter : nullptr),
      deadline_(SteadyNow() + options.budget) {
  for (FunctionKey function : functions_) {
    if (modules_.empty() || modules_.back().get() != function.module) {
      modules_.push_back(function.module->shared_from_this());
    }
  }
  if (promoter_ != nullptr) promoter_->NoteHot(functions_);
}

absl::Status Preparation::Run(CompileThreads& threads) {
  const size_t worker_count = std::min(std::max<size_t>(threads.count(), 1), functions_.size());
  for (size_t i = 0; i < worker_count; ++i) {
    AddWorker();
    const auto work = [this, &threads] {
      try {
        Work(threads);
      } catch (const abi::__forced_unwind&) {
        throw;  // The thread ends.
      } catch (...) {
        NoteException();
      }
      RemoveWorker();
    };
    // A compile thread that waited could be the one that the work waits for.
    if (CompileThreads::IsOnOne() || !threads.RunInBackground(work)) work();
  }
  return Wait();
}

// Compiles functions until there are none left.
void Preparation::Work(CompileThreads& threads) {
  while (std::optional<size_t> i = Take()) {
    const FunctionKey function = functions_[*i];
    absl::Status status =
        program_.Prepare(*function.module, function.ordinal, CompileReason::kOrdered).status();
    if (status.ok() && promoter_ != nullptr) Optimize(function, threads);
    RecordResult(*i, std::move(status));
  }
}

void Preparation::Optimize(FunctionKey function, CompileThreads& threads) {
  DelegatingWorkScope(threads).Run([&] {
    if (!function.module->is_removed()) promoter_->OptimizeNow(function);
  });
}

void Preparation::AddWorker() {
  absl::MutexLock lock(&mutex_);
  ++workers_;
}

void Preparation::RemoveWorker() {
  absl::MutexLock lock(&mutex_);
  --workers_;
}

// The client's progress function has thrown.
void Preparation::NoteException() {
  absl::MutexLock lock(&mutex_);
  is_cancelled_ = true;
  exception_ = std::current_exception();
}

absl::Status Preparation::Wait() {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(
      +[](size_t* workers) { return *workers == 0; }, &workers_));
  if (exception_ != nullptr) std::rethrow_exception(exception_);
  if (done_ == functions_.size()) return failure_;
  const std::string left =
      absl::StrCat("preparing functions: ", functions_.size() - done_, " were not compiled");
  return is_cancelled_ ? absl::CancelledError(left) : absl::DeadlineExceededError(left);
}

std::optional<size_t> Preparation::Take() {
  absl::MutexLock lock(&mutex_);
  if (is_cancelled_ || next_ == functions_.size() || SteadyNow() >= deadline_) {
    return std::nullopt;
  }
  return next_++;
}

void Preparation::RecordResult(size_t i, absl::Status status) {
  absl::MutexLock lock(&mutex_);
  ++done_;
  if (!status.ok()) {
    ++failed_;
    if (i < failed_at_) {
      failed_at_ = i;
      failure_ = std::move(status);
    }
  }
  if (options_.progress && !options_.progress({done_, failed_, functions_.size()})) {
    is_cancelled_ = true;
  }
}

// The WorkScope keeps the listed modules until the preparation holds them itself.
absl::Status PrepareFunctions(absl::FunctionRef<absl::StatusOr<std::vector<FunctionKey>>()> list,
                              const PrepareOptions& options, Program& program, Promoter* promoter,
                              CompileThreads& threads) {
  std::optional<Preparation> preparation;
  {
    WorkScope scope;
    FIRSTCALL_ASSIGN_OR_RETURN(std::vector<FunctionKey> listed, list());
    preparation.emplace(std::move(listed), options, program, promoter);
  }
  return preparation->Run(threads);
}

}  // namespace firstcall
