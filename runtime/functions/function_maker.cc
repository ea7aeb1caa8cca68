#include "runtime/functions/function_maker.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/status.h"
#include "object/debugger_registration.h"
#include "runtime/process/probes.h"

namespace firstcall {

absl::StatusOr<MadeFunction> FunctionMaker::Make(FunctionKey key, const MakeOptions& options,
                                                 std::vector<FunctionKey>& joined) {
  if (std::optional<MadeFunction> kept = TakeKept(key)) return *std::move(kept);
  if (options.may_use_optimized) {
    if (std::optional<MadeFunction> optimized = FindOptimized(key)) return *std::move(optimized);
  }
  if (options.may_use_cache) {
    if (std::optional<MadeFunction> cached = FindCached(key, joined)) return *std::move(cached);
  }
  return CompileNow(key, options, joined);
}

void FunctionMaker::KeepForNextAttempt(FunctionKey key, MadeFunction made) {
  absl::MutexLock lock(&kept_mutex_);
  kept_.insert_or_assign(key, std::move(made));
}

std::optional<MadeFunction> FunctionMaker::TakeKept(FunctionKey key) {
  absl::MutexLock lock(&kept_mutex_);
  auto found = kept_.find(key);
  if (found == kept_.end()) return std::nullopt;
  MadeFunction made = std::move(found->second);
  kept_.erase(found);
  return made;
}

void FunctionMaker::Remove(const SourceModule& module) {
  absl::MutexLock lock(&kept_mutex_);
  absl::erase_if(kept_, [&](const auto& kept) { return kept.first.module == &module; });
}

bool FunctionMaker::BeginsOptimized(FunctionKey key) const {
  return promoter_ != nullptr && optimized_cache_.Has(key, std::nullopt);
}

std::optional<MadeFunction> FunctionMaker::FindOptimized(FunctionKey key) const {
  if (promoter_ == nullptr) return std::nullopt;
  std::optional<ObjectBytes> bytes = optimized_cache_.Find(key, std::nullopt);
  if (!bytes) return std::nullopt;
  MadeFunction made;
  made.functions = {key.ordinal};
  made.object.bytes = *std::move(bytes);
  made.is_far = key.module->is_far();
  made.is_cached = true;
  made.is_optimized = true;
  return made;
}

std::optional<MadeFunction> FunctionMaker::FindCached(FunctionKey key,
                                                      std::vector<FunctionKey>& joined) {
  // The cache has objects for the module as it was when it was added.
  if (key.module->cache() == nullptr || linker_.IsFar(*key.module) != key.module->is_far()) {
    return std::nullopt;
  }
  std::optional<MadeFunction> made = FindCachedAs(ModulePart::Kind::kFunction, key, joined);
  if (!made && HasListeningDebugger()) {
    made = FindCachedAs(ModulePart::Kind::kDebuggerFunction, key, joined);
  }
  return made;
}

std::optional<MadeFunction> FunctionMaker::FindCachedAs(ModulePart::Kind functions, FunctionKey key,
                                                        std::vector<FunctionKey>& joined) {
  StartObject& start_object = key.module->start_object(functions);
  if (std::optional<CachedObject> start = start_object.TakeFor(key.ordinal)) {
    std::optional<MadeFunction> made = UseCached(key, *std::move(start), joined);
    if (made) return made;
  }
  const auto find = [&](SymbolOrdinal function) {
    return key.module->cache()->FindObject({functions, function}, key.module->index().size());
  };
  SymbolOrdinal owner = key.ordinal;
  std::optional<CachedObject> found = find(owner);
  if (found && found->host) {
    owner = *found->host;
    found = find(owner);
    // A function that only its leader can publish is not published from here.
    if (found && (found->leader || found->joined > 1)) return std::nullopt;
  }
  if (!found || found->host) return std::nullopt;
  std::optional<MadeFunction> made = UseCached(key, *std::move(found), joined);
  if (made) start_object.NoteUsed(owner);
  return made;
}

// If another object publishes a function that this one defines, the definition here stays unused.
std::optional<MadeFunction> FunctionMaker::UseCached(FunctionKey key, CachedObject found,
                                                     std::vector<FunctionKey>& joined) {
  SourceModule& module = *key.module;
  MadeFunction made;
  made.is_cached = true;
  made.is_far = module.is_far();
  if (found.leader) {
    if (*found.leader == key.ordinal) return std::nullopt;
    made.leader = found.leader;
    return made;
  }
  const auto at = std::find(found.functions.begin(), found.functions.end(), key.ordinal);
  const auto first_joined = found.functions.begin() + static_cast<ptrdiff_t>(found.joined);
  if (at == found.functions.end() || found.object.empty() ||
      !AreStillTrue(found.decisions,
                    [&](SymbolOrdinal ordinal) { return resolver_.IsReplaced(module, ordinal); })) {
    return std::nullopt;
  }
  const auto take = [&](std::vector<SymbolOrdinal>::const_iterator function) {
    made.functions.push_back(*function);
    if (found.hotness_signs.empty()) return;
    made.hotness_signs.push_back(
        found.hotness_signs[static_cast<size_t>(function - found.functions.begin())]);
  };
  take(at);
  for (auto function = found.functions.begin(); function != found.functions.end(); ++function) {
    if (function == at) continue;
    if (at < first_joined && function < first_joined) {
      take(function);  // Inseparable: its callers wait for this function.
    } else if (!BeginsOptimized({&module, *function}) && functions_.Claim({&module, *function})) {
      joined.push_back({&module, *function});
      take(function);
    } else {
      made.unused.push_back(*function);
    }
  }
  made.variables = std::move(found.variables);
  made.labels = std::move(found.labels);
  made.object.bytes = std::move(found.object);
  return made;
}

absl::StatusOr<MadeFunction> FunctionMaker::CompileNow(FunctionKey key, const MakeOptions& options,
                                                       std::vector<FunctionKey>& joined) {
  SourceModule& module = *key.module;
  const auto ask_resolver = [&](SymbolOrdinal ordinal) {
    return resolver_.IsReplaced(module, ordinal);
  };
  DecisionRecorder decisions(ask_resolver);
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return module.index().at(ordinal).is_weak && decisions.Ask(ordinal);
  };
  const auto may_join = [&](SymbolOrdinal callee) {
    if (!options.may_join || is_replaced(callee) || BeginsOptimized({&module, callee}) ||
        !functions_.Claim({&module, callee})) {
      return false;
    }
    joined.push_back({&module, callee});
    return true;
  };
  FunctionOrder order{module.id(), key.ordinal, is_replaced, may_join};
  order.others_may_join = options.may_join;
  order.is_far = linker_.IsFar(module);
  order.lists_callees = options.lists_callees;
  if (options.may_join) {
    const RegisteredTogether together = FunctionsToRegisterTogether();
    order.callees_along = together.callees;
    order.companions = together.others;
  }
  // What a debugger causes to be compiled together is not for runs without one.
  const ModulePart::Kind kind =
      order.callees_along > 0 ? ModulePart::Kind::kDebuggerFunction : ModulePart::Kind::kFunction;
  if (promoter_ != nullptr) {
    order.polls = {!promoter_->looks_at_counters(), promoter_->poll_budget().left()};
  }
  if (module.cache() != nullptr) {
    order.identification = module.cache()->IdentificationOf({kind, key.ordinal});
  }
  MadeFunction made;
  made.is_far = order.is_far;
  const char* const name = module.index().at(key.ordinal).name.data();
  FIRSTCALL_PROBE3(compile_begin, name, module.name().c_str(), 0);
  absl::StatusOr<CompiledFunction> compiled = compiler_.CompileFunction(order);
  FIRSTCALL_PROBE3(compile_end, name, module.name().c_str(), 0);
  FIRSTCALL_ASSIGN_OR_RETURN(static_cast<CompiledFunction&>(made), std::move(compiled));
  if (promoter_ != nullptr) promoter_->poll_budget().Add(made.poll_balance);
  Store(kind, key, made, std::move(decisions).Take(), joined);
  return made;
}

// The entries of the other functions that the object defines refer to this one.
void FunctionMaker::Store(ModulePart::Kind functions, FunctionKey key, const MadeFunction& made,
                          Decisions decisions, const std::vector<FunctionKey>& joined) {
  ModuleCache* const cache = key.module->cache();
  if (cache == nullptr || !cache->keeps() || made.is_far != key.module->is_far()) return;
  // An entry lists all functions that its object defines.
  if (!made.unused.empty()) return;
  CachedObject description;
  description.leader = made.leader;
  description.functions = made.functions;
  description.joined = made.functions.size() - joined.size();
  description.variables = made.variables;
  description.hotness_signs = made.hotness_signs;
  description.sources = made.object.sources;
  description.labels = made.labels;
  description.decisions = std::move(decisions);
  cache->Store({functions, key.ordinal}, EncodeCachedObject(description, made.object.bytes));
  key.module->start_object(functions).NoteUsed(key.ordinal);
  CachedObject reference;
  reference.host = key.ordinal;
  for (FunctionKey function : joined) {
    cache->Store({functions, function.ordinal}, EncodeCachedObject(reference, ""));
  }
}

}  // namespace firstcall
