#include "runtime/function_compiler.h"

#include <algorithm>
#include <mutex>  // std::lock_guard
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "code/symbol_name.h"
#include "runtime/ifunc_argument.h"
#include "runtime/startup_phase.h"
#include "runtime/work_scope.h"

namespace firstcall {
namespace {

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

ModulePart PartOf(SymbolOrdinal function) { return {ModulePart::Kind::kFunction, function}; }

// The functions of the object's own source module that it calls.
std::vector<SymbolOrdinal> CalleesIn(const ElfObject& image, const SymbolIndex& index) {
  std::vector<SymbolOrdinal> callees;
  for (const ElfObject::Undefined& symbol : image.undefined()) {
    const SymbolReference reference = ParseReference(symbol.name);
    if (reference.kind != ReferenceKind::kCall) continue;
    std::optional<SymbolOrdinal> callee = index.Find(reference.name);
    if (callee && index.at(*callee).is_definition) callees.push_back(*callee);
  }
  return callees;
}

}  // namespace

absl::StatusOr<ExecutorAddress> FunctionCompiler::Compile(FunctionKey key, Reason reason) {
  return Compile(key, reason, !WorkScope::IsAtWork());
}

absl::StatusOr<ExecutorAddress> FunctionCompiler::Compile(FunctionKey key, Reason reason,
                                                          bool may_delegate) {
  DelegatingWorkScope work(threads_, may_delegate);
  if (key.module->is_removed()) {
    return absl::FailedPreconditionError(
        absl::StrCat("compiling a function of '", key.module->name(), "': the module was removed"));
  }
  if (std::optional<ExecutorAddress> body = functions_.BodyOf(key)) return *body;
  const SymbolIndex& index = key.module->index();
  const FunctionKey leader{key.module, LeaderOf(index, key.ordinal)};
  const auto compile = [&] {
    return index.at(leader.ordinal).kind == SymbolKind::kIFunc ? ResolveIFunc(leader)
                                                               : CompileFunction(leader, reason);
  };
  absl::Status status;
  if (index.GroupOf(key.ordinal).empty()) {
    status = functions_.CompileOnce(leader, [&] {
      absl::Status compiled;
      work.Run([&] {
        functions_.TakeOver(leader);
        compiled = compile();
      });
      return compiled;
    });
  } else {
    work.Run([&] {
      // See ObjectLinker::mutex.
      std::lock_guard<std::recursive_mutex> lock(objects_.mutex());
      status = functions_.CompileOnce(leader, compile);
    });
  }
  FIRSTCALL_RETURN_IF_ERROR(status);
  std::optional<ExecutorAddress> body = functions_.BodyOf(key);
  if (!body) return absl::InternalError("compiled without being published");
  return *body;
}

std::optional<FunctionCompiler::Made> FunctionCompiler::FindMade(FunctionKey key,
                                                                 Attempt& attempt) {
  ModuleCache* const cache = key.module->cache();
  // The cache has objects for the module as it was when it was added.
  if (cache == nullptr || !attempt.may_use_cache ||
      linker_.IsFar(*key.module) != key.module->is_far()) {
    return std::nullopt;
  }
  const auto find = [&](SymbolOrdinal function) {
    return cache->FindObject(PartOf(function), key.module->index().size());
  };
  std::optional<CachedObject> found = find(key.ordinal);
  if (found && found->host) {
    found = find(*found->host);
    // A function that only its leader can publish is not published from here.
    if (found && (found->leader || found->joined > 1)) return std::nullopt;
  }
  if (!found || found->host) return std::nullopt;
  return UseCached(key, *std::move(found), attempt);
}

// If another thread compiles a function that the object defines, that definition stays unused.
std::optional<FunctionCompiler::Made> FunctionCompiler::UseCached(FunctionKey key,
                                                                  CachedObject found,
                                                                  Attempt& attempt) {
  SourceModule& module = *key.module;
  Made made;
  made.is_cached = attempt.is_cached = true;
  made.is_far = module.is_far();
  if (found.leader) {
    if (*found.leader == key.ordinal) return std::nullopt;
    made.leader = found.leader;
    return made;
  }
  const auto at = std::find(found.functions.begin(), found.functions.end(), key.ordinal);
  const auto joined = found.functions.begin() + static_cast<ptrdiff_t>(found.joined);
  if (at == found.functions.end() || found.object.empty() ||
      !AreStillTrue(found.decisions,
                    [&](SymbolOrdinal ordinal) { return resolver_.IsReplaced(module, ordinal); })) {
    attempt.is_cached = false;
    return std::nullopt;
  }
  made.functions.push_back(key.ordinal);
  for (auto function = found.functions.begin(); function != found.functions.end(); ++function) {
    if (function == at) continue;
    if (at < joined && function < joined) {
      made.functions.push_back(*function);  // Inseparable: its callers wait for this function.
    } else if (functions_.Claim({&module, *function})) {
      attempt.joined.push_back({&module, *function});
      made.functions.push_back(*function);
    }
  }
  made.variables = std::move(found.variables);
  made.heat_signs = std::move(found.heat_signs);
  made.object.bytes = std::move(found.object);
  return made;
}

absl::StatusOr<FunctionCompiler::Made> FunctionCompiler::Make(FunctionKey key, Attempt& attempt) {
  if (std::optional<Made> kept = TakeKept(key)) {
    attempt.is_cached = kept->is_cached;
    return *std::move(kept);
  }
  if (std::optional<Made> found = FindMade(key, attempt)) return *std::move(found);
  SourceModule& module = *key.module;
  const auto ask_resolver = [&](SymbolOrdinal ordinal) {
    return resolver_.IsReplaced(module, ordinal);
  };
  DecisionRecorder decisions(ask_resolver);
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return module.index().at(ordinal).is_weak && decisions.Ask(ordinal);
  };
  const auto may_join = [&](SymbolOrdinal callee) {
    if (!attempt.may_join || is_replaced(callee) || !functions_.Claim({&module, callee})) {
      return false;
    }
    attempt.joined.push_back({&module, callee});
    return true;
  };
  FunctionOrder order{module.id(), key.ordinal, is_replaced, may_join};
  order.is_far = linker_.IsFar(module);
  order.lists_callees = speculation_left_ > 0;
  if (promoter_ != nullptr) {
    order.polls = {!promoter_->looks_at_counters(), promoter_->poll_budget().left()};
  }
  if (module.cache() != nullptr) {
    order.identification = module.cache()->IdentificationOf(PartOf(key.ordinal));
  }
  Made made;
  made.is_far = order.is_far;
  FIRSTCALL_ASSIGN_OR_RETURN(static_cast<CompiledFunction&>(made),
                             compiler_.CompileFunction(order));
  if (promoter_ != nullptr) promoter_->poll_budget().Add(made.poll_balance);
  StoreMade(key, made, std::move(decisions).Take(), attempt.joined);
  return made;
}

// The entries of the other functions that the object defines refer to this one.
void FunctionCompiler::StoreMade(FunctionKey key, const Made& made, Decisions decisions,
                                 const Joined& joined) {
  ModuleCache* const cache = key.module->cache();
  if (cache == nullptr || made.is_far != key.module->is_far()) return;
  CachedObject description;
  description.leader = made.leader;
  description.functions = made.functions;
  description.joined = made.functions.size() - joined.size();
  description.variables = made.variables;
  description.heat_signs = made.heat_signs;
  description.decisions = std::move(decisions);
  cache->Store(PartOf(key.ordinal), EncodeCachedObject(description, made.object.bytes));
  CachedObject reference;
  reference.host = key.ordinal;
  for (FunctionKey function : joined) {
    cache->Store(PartOf(function.ordinal), EncodeCachedObject(reference, ""));
  }
}

absl::Status FunctionCompiler::MakeAndPublish(FunctionKey key, Attempt& attempt) {
  absl::StatusOr<Made> made = Make(key, attempt);
  if (!made.ok()) {
    return Annotate(made.status(), absl::StrCat("compiling function '",
                                                key.module->index().at(key.ordinal).name, "'"));
  }
  attempt.leader = made->leader;
  if (made->leader) return absl::OkStatus();
  absl::Status status = LinkAndPublish(key, *made);
  if (absl::IsResourceExhausted(status) && attempt.joined.empty()) {
    KeepForNextAttempt(key, *std::move(made));
  }
  return status;
}

void FunctionCompiler::KeepForNextAttempt(FunctionKey key, Made made) {
  absl::MutexLock lock(&kept_mutex_);
  kept_.insert_or_assign(key, std::move(made));
}

std::optional<FunctionCompiler::Made> FunctionCompiler::TakeKept(FunctionKey key) {
  absl::MutexLock lock(&kept_mutex_);
  auto found = kept_.find(key);
  if (found == kept_.end()) return std::nullopt;
  Made made = std::move(found->second);
  kept_.erase(found);
  return made;
}

void FunctionCompiler::Remove(const SourceModule& module) {
  absl::MutexLock lock(&kept_mutex_);
  absl::erase_if(kept_, [&](const auto& kept) { return kept.first.module == &module; });
}

void FunctionCompiler::CountCompiled(SourceModule& module, size_t compiled) {
  if (!module.CountCompiled(compiled)) return;
  const bool data_is_linked =
      module.object().state.load(std::memory_order_acquire) == LazyObject::State::kReady;
  compiler_.ForgetFunctions(module.id(), data_is_linked);
}

// If several functions fail together, any of them may be at fault. Then each is left to its own
// first call, and only `key` is tried again, from a view that has all bodies. The same is done if
// the object came from the cache.
absl::Status FunctionCompiler::MakeAndPublish(FunctionKey key, Reason reason,
                                              std::optional<SymbolOrdinal>& leader) {
  const StartupPhase::FirstBody first_body(promoter_ == nullptr ? nullptr : &promoter_->startup());
  Attempt first;
  first.may_join = reason == Reason::kCalled && key.module->is_reopenable();
  first.may_use_cache = true;
  absl::Status status = MakeAndPublish(key, first);
  leader = first.leader;
  if (status.ok() || (first.joined.empty() && !first.is_cached)) return status;
  if (!first.is_cached) compiler_.ReadAgain(key.module->id());
  for (FunctionKey callee : first.joined) functions_.Release(callee);
  Attempt second;
  status = MakeAndPublish(key, second);
  leader = second.leader;
  return status;
}

// Threads that call different members of a group meet at its leader: the first one compiles and
// publishes all members. No member is compiled without the leader, because each member leads to it.
absl::Status FunctionCompiler::CompileFunction(FunctionKey key, Reason reason) {
  std::optional<SymbolOrdinal> leader;
  FIRSTCALL_RETURN_IF_ERROR(MakeAndPublish(key, reason, leader));
  if (!leader) return absl::OkStatus();
  const FunctionKey leader_key{key.module, *leader};
  return functions_.CompileOnce(leader_key, [&] { return CompileFunction(leader_key, reason); });
}

absl::Status FunctionCompiler::LinkAndPublish(FunctionKey key, Made& made) {
  const std::string& name = key.module->index().at(key.ordinal).name;
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ElfObject> image,
                             ElfObject::Parse(absl::MakeSpan(made.object.bytes), name));
  if (made.is_cached && speculation_left_ > 0) {
    made.callees = CalleesIn(*image, key.module->index());
  }
  // Everything that may run out of memory comes before linking, which can be done only once.
  for (size_t i = 0; i < made.heat_signs.size(); ++i) {
    if (made.heat_signs[i] == HeatSigns::kNone) continue;
    FIRSTCALL_RETURN_IF_ERROR(
        promoter_->PrepareToCountCalls({key.module, made.functions[i]}, made.heat_signs[i]));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionLinker::Linked linked,
                             linker_.Link(*image, *key.module, name, made.is_far));
  PublishedObject published;
  published.module = key.module->name();
  published.object = made.object.bytes;
  published.code_bytes = linked.code_bytes;
  published.is_cached = made.is_cached;
  published.split = made.object.split;
  published.emit = made.object.emit;
  published.link = SteadyNow() - start;
  FIRSTCALL_RETURN_IF_ERROR(Publish(key, made, linked.defined, published));
  CountCompiled(*key.module, made.functions.size());
  return absl::OkStatus();
}

// The slot of `key` is written last: when `key` is published, everything in its object is
// published.
absl::Status FunctionCompiler::Publish(FunctionKey key, const Made& made,
                                       const SymbolAddresses& defined, PublishedObject& published) {
  const SymbolIndex& index = key.module->index();
  const auto symbols = {absl::MakeConstSpan(made.functions), absl::MakeConstSpan(made.variables)};
  for (absl::Span<const SymbolOrdinal> ordinals : symbols) {
    for (SymbolOrdinal ordinal : ordinals) {
      if (defined.contains(index.at(ordinal).name)) continue;
      return absl::InternalError(absl::StrCat("the object of function '",
                                              index.at(key.ordinal).name, "' does not define '",
                                              index.at(ordinal).name, "'"));
    }
  }
  std::vector<PublishedFunction> functions;
  for (SymbolOrdinal function : made.functions) {
    const std::string& name = index.at(function).name;
    functions.push_back({name, defined.at(name)});
  }
  // Where calls of functions that may be replaced go at first.
  std::vector<std::optional<ExecutorAddress>> entries(made.functions.size());
  for (size_t i = 0; i < made.heat_signs.size(); ++i) {
    if (made.heat_signs[i] == HeatSigns::kNone) continue;
    entries[i] = promoter_->CountCalls(
        {key.module, made.functions[i]}, functions[i].body,
        {published.code_bytes, published.split + published.emit + published.link});
  }
  published.functions = functions;
  published.function_count = functions.size();
  listener_.OnPublished(published);
  for (SymbolOrdinal variable : made.variables) {
    functions_.Publish({key.module, variable}, defined.at(index.at(variable).name));
  }
  const auto publish = [&](size_t i) {
    const FunctionKey function{key.module, made.functions[i]};
    if (entries[i]) {
      functions_.PublishFirst(function, functions[i].body, *entries[i]);
    } else {
      functions_.Publish(function, functions[i].body);
    }
  };
  size_t own = 0;
  for (size_t i = made.functions.size(); i-- > 0;) {
    if (made.functions[i] == key.ordinal) {
      own = i;
    } else {
      publish(i);
    }
  }
  publish(own);
  Speculate(*key.module, made.callees);
  return absl::OkStatus();
}

void FunctionCompiler::Speculate(SourceModule& module, absl::Span<const SymbolOrdinal> callees) {
  for (SymbolOrdinal callee : callees) {
    const FunctionKey key{&module, callee};
    if (speculation_left_ <= 0) return;
    if (functions_.BodyOf(key) || resolver_.IsReplaced(module, callee)) continue;
    threads_.RunInBackground([this, key, keep = module.shared_from_this()] {
      WorkScope scope;
      if (speculation_left_ <= 0 || keep->is_removed() || functions_.BodyOf(key)) return;
      const absl::Duration start = SteadyNow();
      // A failure is kept, and the first call reports it.
      (void)Compile(key, Reason::kOrdered);
      speculation_left_ -= absl::ToInt64Nanoseconds(SteadyNow() - start);
    });
  }
}

absl::Status FunctionCompiler::ResolveIFunc(FunctionKey key) {
  const Symbol& symbol = key.module->index().at(key.ordinal);
  FIRSTCALL_ASSIGN_OR_RETURN(ExecutorAddress resolver,
                             Compile({key.module, symbol.base}, Reason::kCalled));
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
