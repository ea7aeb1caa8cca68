#include "runtime/functions/function_compiler.h"

#include <cxxabi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>  // std::lock_guard
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "runtime/link/ifunc_argument.h"
#include "runtime/process/probes.h"
#include "runtime/process/work_scope.h"
#include "runtime/promotion/startup_phase.h"
#include "seam/event.h"
#include "stubs/reentry.h"

namespace firstcall {
namespace {

// Handlers are short: they may call little that is safe in a signal handler.
constexpr size_t kMostOfHandler = 64;

bool IsFunction(const SymbolIndex& index, SymbolOrdinal ordinal) {
  return index.at(ordinal).kind == SymbolKind::kFunction;
}

// The member of `ordinal`'s group whose record stands for the whole group during the compile.
SymbolOrdinal LeaderOf(const SymbolIndex& index, SymbolOrdinal ordinal) {
  absl::Span<const SymbolOrdinal> group = index.GroupOf(ordinal);
  auto leader = std::find_if(group.begin(), group.end(),
                             [&](SymbolOrdinal member) { return IsFunction(index, member); });
  return leader == group.end() ? ordinal : *leader;
}

}  // namespace

absl::StatusOr<ExecutorAddress> FunctionCompiler::Compile(FunctionKey key, CompileReason reason) {
  return Compile(key, reason, !WorkScope::IsAtWork());
}

absl::StatusOr<ExecutorAddress> FunctionCompiler::CompileForCall(FunctionKey key,
                                                                 bool may_delegate) {
  FIRSTCALL_PROBE2(first_call, key.module->index().at(key.ordinal).name.data(),
                   key.module->name().c_str());
  if (!listener_.hears_first_calls()) return Compile(key, CompileReason::kCalled, may_delegate);
  FirstCall call;
  call.caller = CallerAtReentry();
  call.start = SteadyNow();
  absl::StatusOr<ExecutorAddress> body = Compile(key, CompileReason::kCalled, may_delegate);
  call.module = key.module->name();
  call.function = key.module->index().at(key.ordinal).name;
  if (body.ok()) call.body = *body;
  listener_.OnFirstCall(call);
  return body;
}

void FunctionCompiler::CompileHandler(FunctionKey key, bool may_delegate) {
  std::vector<FunctionKey> functions = {key};
  for (size_t i = 0; i < functions.size(); ++i) {
    Callees callees;
    try {
      (void)Compile(functions[i], CompileReason::kOrdered, may_delegate, &callees);
    } catch (const abi::__forced_unwind&) {
      throw;  // The thread ends.
    } catch (...) {
      // A callback of the client's. The function has failed.
    }
    for (SymbolOrdinal callee : callees) {
      const FunctionKey next{key.module, callee};
      const bool is_known = std::find(functions.begin(), functions.end(), next) != functions.end();
      if (!is_known && functions.size() < kMostOfHandler) functions.push_back(next);
    }
  }
}

absl::StatusOr<ExecutorAddress> FunctionCompiler::Compile(FunctionKey key, CompileReason reason,
                                                          bool may_delegate, Callees* callees) {
  DelegatingWorkScope work(threads_, may_delegate);
  if (key.module->is_removed()) {
    return absl::FailedPreconditionError(
        absl::StrCat("compiling a function of '", key.module->name(), "': the module was removed"));
  }
  if (std::optional<ExecutorAddress> body = functions_.BodyOf(key)) return *body;
  const SymbolIndex& index = key.module->index();
  const FunctionKey leader{key.module, LeaderOf(index, key.ordinal)};
  absl::Status status;
  if (index.GroupOf(key.ordinal).empty()) {
    FunctionTable::ClaimOrResult claim(functions_, leader);
    if (claim.is_claim()) {
      work.Run([&] {
        functions_.TakeOver(leader);
        status = CompileFunction(leader, reason, callees);
        if (status.ok()) descriptions_.NoteCompiled(leader);
      });
      claim.End(std::move(status));
    }
    status = claim.result();
  } else {
    work.Run([&] {
      // Behind the lock.
      const absl::Cleanup describe = [&] {
        if (status.ok()) descriptions_.NoteCompiled(leader);
      };
      // See ObjectLinker::mutex.
      std::lock_guard<WorkMutex> lock(objects_.mutex());
      FunctionTable::ClaimOrResult claim(functions_, leader);
      if (claim.is_claim()) claim.End(CompileFunction(leader, reason, callees));
      status = claim.result();
      // An optimized body from the cache comes without the variables of its group. Code that needs
      // one of them gets those of the first body; calls still go to the optimized one.
      if (status.ok() && !functions_.BodyOf(key)) {
        MakeOptions options;
        options.may_use_cache = true;
        Outcome outcome;
        status = Attempt(leader, options, outcome);
        if (!status.ok()) status = AttemptAgain(leader, options, status, outcome);
      }
    });
  }
  FIRSTCALL_RETURN_IF_ERROR(status);
  std::optional<ExecutorAddress> body = functions_.BodyOf(key);
  if (!body) return absl::InternalError("compiled without being published");
  return *body;
}

absl::StatusOr<ExecutorAddress> FunctionCompiler::FindLabel(SourceModule& module,
                                                            absl::string_view label) {
  LabelTable& labels = module.labels();
  std::optional<ExecutorAddress> place = labels.Find(label);
  if (place) return *place;
  if (!labels.KnowsDefiners()) ReadLabels(module);
  const std::optional<SymbolOrdinal> definer = labels.DefinerOf(label);
  if (!definer) return ExecutorAddress();
  const FunctionKey key{&module, *definer};
  // Not on another thread: this one may hold the mutex of data that the function needs.
  absl::Status status;
  if (!module.index().GroupOf(key.ordinal).empty()) {
    status = Compile(key, CompileReason::kOrdered, /*may_delegate=*/false).status();
  } else if (objects_.IsLinking()) {
    status = LoadLabels(key);
  } else {
    FunctionTable::ClaimOrResult claim(functions_, key, FunctionTable::Need::kLabels);
    if (claim.is_claim()) claim.End(CompileFunction(key, CompileReason::kOrdered));
    status = claim.result();
  }
  place = labels.Find(label);
  if (place) return *place;
  FIRSTCALL_RETURN_IF_ERROR(Annotate(status, absl::StrCat("label '", label, "'")));
  return ExecutorAddress();
}

absl::StatusOr<ExecutorAddress> FunctionCompiler::CounterOf(FunctionKey key) {
  if (promoter_ == nullptr) return absl::InternalError("nothing counts");
  return promoter_->CounterOf(key);
}

absl::Status FunctionCompiler::LoadLabels(FunctionKey key) {
  while (!functions_.Claim(key)) {
    if (functions_.AwaitLabels(key)) return absl::OkStatus();
    if (functions_.WasLeftByParent(key)) compiler_.ReadAgain(key.module->id());
  }
  std::vector<FunctionKey> joined;
  absl::Cleanup release = [&] {
    for (FunctionKey function : joined) functions_.Release(function);
    functions_.Release(key);
  };
  MakeOptions options;
  options.reason = CompileReason::kOrdered;
  options.may_use_cache = true;
  FIRSTCALL_ASSIGN_OR_RETURN(MadeFunction made, maker_.Make(key, options, joined));
  if (made.leader || !joined.empty()) {
    return absl::UnimplementedError("its function is compiled together with others");
  }
  struct Waiting {
    MadeFunction made;
    FunctionPublisher::Unpublished linked;
  };
  const auto waiting = std::make_shared<Waiting>();
  waiting->made = std::move(made);
  absl::StatusOr<FunctionPublisher::Unpublished> linked =
      publisher_.Link(key, waiting->made, options);
  if (!linked.ok()) {
    maker_.KeepForNextAttempt(key, std::move(waiting->made));
    return linked.status();
  }
  waiting->linked = *std::move(linked);
  std::move(release).Cancel();
  objects_.RunWhenLinked([this, key, waiting](bool is_linked) {
    if (is_linked) {
      publisher_.Publish(key, waiting->made, std::move(waiting->linked));
      CountCompiled(*key.module, 1);
      return;
    }
    for (const std::string& label : waiting->made.labels) key.module->labels().Forget(label);
    maker_.KeepForNextAttempt(key, std::move(waiting->made));
    functions_.Release(key);
  });
  return absl::OkStatus();
}

// Whatever goes wrong: then the label is not found, and the next look-up tries again.
void FunctionCompiler::ReadLabels(SourceModule& module) {
  constexpr ModulePart kPart{ModulePart::Kind::kLabels, SymbolOrdinal()};
  ModuleCache* const cache = module.cache();
  if (cache != nullptr) {
    const std::optional<ObjectBytes> bytes = cache->Find(kPart);
    std::optional<AssemblyLabels> found;
    if (bytes) found = AssemblyLabels::Decode(*bytes, module.index().size());
    if (found) return module.labels().SetLabels(*std::move(found));
  }
  absl::StatusOr<AssemblyLabels> read = compiler_.ReadLabels(module.id());
  if (!read.ok()) return;
  if (cache != nullptr && !read->all.empty()) cache->Store(kPart, read->Encode());
  module.labels().SetLabels(*std::move(read));
}

absl::Status FunctionCompiler::Attempt(FunctionKey key, MakeOptions options, Outcome& outcome) {
  options.lists_callees = options.lists_callees || speculation_.has_budget();
  // A callback of the client's may throw. Then no thread may wait for those that have joined.
  absl::Cleanup release = [&] {
    if (!outcome.joined.empty()) compiler_.ReadAgain(key.module->id());
    for (FunctionKey callee : outcome.joined) functions_.Release(callee);
  };
  absl::StatusOr<MadeFunction> made = maker_.Make(key, options, outcome.joined);
  absl::Status status = made.status();
  if (made.ok()) {
    status = Publish(key, *made, options, outcome);
  } else {
    const absl::string_view name = key.module->index().at(key.ordinal).name;
    status = Annotate(status, absl::StrCat("compiling function '", name, "'"));
  }
  std::move(release).Cancel();
  return status;
}

absl::Status FunctionCompiler::Publish(FunctionKey key, MadeFunction& made,
                                       const MakeOptions& options, Outcome& outcome) {
  SourceModule& module = *key.module;
  outcome.is_cached = made.is_cached;
  outcome.is_optimized = made.is_optimized;
  outcome.leader = made.leader;
  if (made.leader) return absl::OkStatus();
  // A first body may follow an optimized one from the cache.
  const auto is_first = [&](SymbolOrdinal function) {
    return !functions_.BodyOf({&module, function});
  };
  const auto first_count = std::count_if(made.functions.begin(), made.functions.end(), is_first);
  absl::Status status = publisher_.LinkAndPublish(key, made, options);
  // What came from the cache is not wanted again if it needs what does not exist here.
  const bool is_new = !outcome.is_cached && !outcome.is_optimized;
  const bool may_be_tried_again =
      absl::IsResourceExhausted(status) || (absl::IsNotFound(status) && is_new);
  if (may_be_tried_again && outcome.joined.empty()) {
    maker_.KeepForNextAttempt(key, std::move(made));
  }
  FIRSTCALL_RETURN_IF_ERROR(status);
  speculation_.CompileAhead(module, made.callees);
  outcome.callees = std::move(made.callees);
  CountCompiled(module, static_cast<size_t>(first_count));
  return absl::OkStatus();
}

void FunctionCompiler::CountCompiled(SourceModule& module, size_t compiled) {
  if (!module.CountCompiled(compiled)) return;
  const LazyObject::State data = module.object().state.load(std::memory_order_acquire);
  const bool data_is_linked =
      data == LazyObject::State::kReady || data == LazyObject::State::kBound;
  compiler_.ForgetFunctions(module.id(), data_is_linked);
}

// If several functions fail together, any of them may be at fault. Then each is left to its own
// first call, and only `key` is tried again, from a view that has all bodies. The same is done if
// the object came from the cache.
absl::Status FunctionCompiler::AttemptAgain(FunctionKey key, const MakeOptions& options,
                                            const absl::Status& failure, Outcome& outcome) {
  if (outcome.joined.empty() && !outcome.is_cached) return failure;
  if (!outcome.is_cached) compiler_.ReadAgain(key.module->id());
  for (FunctionKey callee : outcome.joined) functions_.Release(callee);
  outcome = Outcome();
  MakeOptions alone;
  alone.reason = options.reason;
  alone.lists_callees = options.lists_callees;
  return Attempt(key, alone, outcome);
}

// Threads that call different members of a group meet at its leader: the first one compiles and
// publishes all members. No member is compiled without the leader, because each member leads to it.
absl::Status FunctionCompiler::CompileFunction(FunctionKey key, CompileReason reason,
                                               Callees* callees) {
  if (key.module->index().at(key.ordinal).kind == SymbolKind::kIFunc) return ResolveIFunc(key);
  if (functions_.WasLeftByParent(key)) compiler_.ReadAgain(key.module->id());
  MakeOptions options;
  options.reason = reason;
  options.may_join = reason == CompileReason::kCalled && key.module->is_reopenable();
  options.may_use_cache = true;
  options.may_use_optimized = true;
  options.lists_callees = callees != nullptr;
  Outcome outcome;
  absl::Status status;
  {
    const StartupPhase::FirstBody first_body(promoter_ == nullptr ? nullptr
                                                                  : &promoter_->startup());
    status = Attempt(key, options, outcome);
    // If an object with an optimized body fails, the first body comes before another attempt.
    if (!status.ok() && outcome.is_optimized) {
      options.may_use_optimized = false;
      outcome = Outcome();
      status = Attempt(key, options, outcome);
    }
    if (!status.ok()) status = AttemptAgain(key, options, status, outcome);
  }
  if (!status.ok()) {
    listener_.OnFunctionFailed(
        {key.module->name(), key.module->index().at(key.ordinal).name, reason, status});
    return status;
  }
  if (callees != nullptr) *callees = std::move(outcome.callees);
  if (!outcome.leader) return absl::OkStatus();
  const FunctionKey leader{key.module, *outcome.leader};
  FunctionTable::ClaimOrResult claim(functions_, leader);
  if (claim.is_claim()) claim.End(CompileFunction(leader, reason, callees));
  return claim.result();
}

absl::Status FunctionCompiler::ResolveIFunc(FunctionKey key) {
  const Symbol& symbol = key.module->index().at(key.ordinal);
  FIRSTCALL_ASSIGN_OR_RETURN(ExecutorAddress resolver,
                             Compile({key.module, symbol.base}, CompileReason::kCalled));
  using IFuncResolver = void* (*)(uint64_t, const IFuncArgument*);
  void* target = [&] {
    ProgramCodeScope scope;
    return CallWithIFuncArguments(resolver.InThisProcess<IFuncResolver>());
  }();
  if (target == nullptr) {
    return absl::InternalError(
        absl::StrCat("the resolver of ifunc '", symbol.name, "' returned no function"));
  }
  functions_.Publish(key, ExecutorAddress::Of(target));
  return absl::OkStatus();
}

}  // namespace firstcall
