#include "engine/function_compiler.h"

#include <algorithm>
#include <mutex>  // std::lock_guard
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "engine/ifunc_argument.h"
#include "engine/work_scope.h"
#include "splitter/data_extractor.h"
#include "splitter/function_extractor.h"
#include "splitter/symbol_name.h"

namespace firstcall {
namespace {

bool IsFunction(const SymbolIndex& index, SymbolOrdinal ordinal) {
  return index.at(ordinal).kind == SymbolKind::kFunction;
}

// The member of the group of `ordinal` whose record stands for all of them while they are compiled.
SymbolOrdinal LeaderOf(const SymbolIndex& index, SymbolOrdinal ordinal) {
  absl::Span<const SymbolOrdinal> group = index.GroupOf(ordinal);
  auto leader = std::find_if(group.begin(), group.end(),
                             [&](SymbolOrdinal member) { return IsFunction(index, member); });
  return leader == group.end() ? ordinal : *leader;
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

absl::StatusOr<FunctionCompiler::Made> FunctionCompiler::Make(FunctionKey key,
                                                              CompileContext& context,
                                                              Joined* joined) {
  if (std::optional<Made> kept = TakeKept(key)) return *std::move(kept);
  SourceModule& module = *key.module;
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  FIRSTCALL_ASSIGN_OR_RETURN(ObjectEmitter * emitter, context.Emitter());
  ExtractOptions options;
  options.verify = !module.source().is_verified();
  options.drop_alias_metadata = !emitter->optimizes();
  options.list_callees = speculation_left_ > 0;
  options.is_far = module.is_far() || code_space_.MustBeFar();
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return resolver_.IsReplaced(module, ordinal);
  };
  const auto may_join = [&](SymbolOrdinal callee) {
    if (joined == nullptr || is_replaced(callee) || !functions_.Claim({&module, callee})) {
      return false;
    }
    joined->push_back({&module, callee});
    return true;
  };
  absl::MutexLock lock(&view->mutex());
  Made made;
  made.is_far = options.is_far;
  const absl::Time start = absl::Now();
  FIRSTCALL_ASSIGN_OR_RETURN(
      FunctionModule function_module,
      ExtractFunction(*view, module.index(), key.ordinal, options, {is_replaced, may_join}));
  if (function_module.leader) {
    made.leader = function_module.leader;
    return made;
  }
  const absl::Time extracted = absl::Now();
  listener_.OnModuleMade(*function_module.module);
  FIRSTCALL_ASSIGN_OR_RETURN(made.bytes, emitter->Emit(std::move(function_module.module)));
  made.functions = std::move(function_module.functions);
  made.variables = std::move(function_module.variables);
  made.callees = std::move(function_module.callees);
  made.split = extracted - start;
  made.emit = absl::Now() - extracted;
  return made;
}

absl::Status FunctionCompiler::MakeAndPublish(FunctionKey key, CompileContext& context,
                                              Joined* joined,
                                              std::optional<SymbolOrdinal>& leader) {
  absl::StatusOr<Made> made = Make(key, context, joined);
  if (!made.ok()) {
    return Annotate(made.status(), absl::StrCat("compiling function '",
                                                key.module->index().at(key.ordinal).name, "'"));
  }
  leader = made->leader;
  if (leader) return absl::OkStatus();
  absl::Status status = LinkAndPublish(key, *made, context);
  if (absl::IsResourceExhausted(status) && (joined == nullptr || joined->empty())) {
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

void FunctionCompiler::Settle(SourceModule& module, size_t compiled, CompileContext& context) {
  if (!module.CountCompiled(compiled)) return;
  const bool data_is_linked =
      module.object().state.load(std::memory_order_acquire) == LazyObject::State::kReady;
  if (!data_is_linked && !module.source().is_reopenable()) {
    absl::StatusOr<ModuleView*> view = context.View(module);
    if (!view.ok()) return;
    absl::MutexLock lock(&(*view)->mutex());
    if (HasData(**view, module.index())) return;
  }
  context.DropView(module);
  contexts_.DropViews(module);
  module.source().ForgetFirstView();
}

// If several functions fail together, the fault may be with any of them. Then each is left to its
// own first call, and only `key` is tried again, from a view that has all bodies.
absl::Status FunctionCompiler::MakeAndPublishInContext(FunctionKey key, Reason reason,
                                                       std::optional<SymbolOrdinal>& leader) {
  ContextPool::Lease context = contexts_.Take();
  const int crashes = CrashesOnThisThread();
  const auto attempt = [&](Joined* joined) {
    absl::Status status = MakeAndPublish(key, *context, joined, leader);
    if (CrashesOnThisThread() != crashes) context.Replace();
    return status;
  };
  const bool may_be_joined = reason == Reason::kCalled && key.module->source().is_reopenable();
  Joined joined;
  absl::Status status = attempt(may_be_joined ? &joined : nullptr);
  if (status.ok() || joined.empty()) return status;
  for (FunctionKey callee : joined) functions_.Release(callee);
  context->DropView(*key.module);
  return attempt(/*joined=*/nullptr);
}

// Threads that come from different members of a group meet at its leader: the first compiles, and
// publishes every member. No member is ever compiled without it, because each one leads to it.
absl::Status FunctionCompiler::CompileFunction(FunctionKey key, Reason reason) {
  std::optional<SymbolOrdinal> leader;
  FIRSTCALL_RETURN_IF_ERROR(MakeAndPublishInContext(key, reason, leader));
  if (!leader) return absl::OkStatus();
  const FunctionKey leader_key{key.module, *leader};
  return functions_.CompileOnce(leader_key, [&] { return CompileFunction(leader_key, reason); });
}

absl::Status FunctionCompiler::LinkAndPublish(FunctionKey key, Made& made,
                                              CompileContext& context) {
  const std::string& name = key.module->index().at(key.ordinal).name;
  const absl::Time start = absl::Now();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ObjectImage> image,
                             ObjectImage::Parse(made.bytes, name));
  // The program has one, whether this source module defines it or another.
  if (image->Defines(kShadowStackRoots)) image->Undefine(kShadowStackRoots);
  image->MakeDefinitionsStrong();
  LazyObject& requester = key.module->object();
  resolver_.SettleWeakSymbols(*image, requester);
  FIRSTCALL_ASSIGN_OR_RETURN(
      SymbolAddresses resolution,
      resolver_.ResolveAll(*image, requester, absl::StrCat("function '", name, "'"), context));
  FIRSTCALL_RETURN_IF_ERROR(image->BindCallsDirectly([&](absl::string_view symbol) {
    auto found = resolution.find(symbol);
    return !made.is_far && found != resolution.end() && code_space_.IsReachedByCalls(found->second);
  }));
  McjitLinker& linker = context.linker();
  absl::StatusOr<SymbolAddresses> defined =
      linker.Load(*image, requester.code(), code_space_.NearFor(made.is_far));
  absl::Status status = defined.ok() ? linker.Finish(resolution) : defined.status();
  if (!status.ok()) return Annotate(status, absl::StrCat("linking function '", name, "'"));
  objects_.RunPendingConstructors();
  PublishedObject published;
  published.module = key.module->name();
  published.object = absl::string_view(made.bytes.data(), made.bytes.size());
  published.code_bytes = linker.code_bytes();
  published.split = made.split;
  published.emit = made.emit;
  published.link = absl::Now() - start;
  FIRSTCALL_RETURN_IF_ERROR(Publish(key, made, *defined, published));
  Settle(*key.module, made.functions.size(), context);
  return absl::OkStatus();
}

// The slot of `key` is written last: who finds it published finds all it came with published.
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
  published.functions = functions;
  published.function_count = functions.size();
  listener_.OnPublished(published);
  for (SymbolOrdinal variable : made.variables) {
    functions_.Publish({key.module, variable}, defined.at(index.at(variable).name));
  }
  for (size_t i = made.functions.size(); i-- > 0;) {
    if (made.functions[i] != key.ordinal) {
      functions_.Publish({key.module, made.functions[i]}, functions[i].body);
    }
  }
  functions_.Publish(key, defined.at(index.at(key.ordinal).name));
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
      const absl::Time start = absl::Now();
      // A failure is kept, for the first call to report.
      (void)Compile(key, Reason::kOrdered);
      speculation_left_ -= absl::ToInt64Nanoseconds(absl::Now() - start);
    });
  }
}

absl::Status FunctionCompiler::ResolveIFunc(FunctionKey key) {
  const Symbol& symbol = key.module->index().at(key.ordinal);
  FIRSTCALL_ASSIGN_OR_RETURN(ExecutorAddress resolver,
                             Compile({key.module, symbol.base}, Reason::kCalled));
  using IFuncResolver = void* (*)(uint64_t, const IFuncArgument*);
  void* target = [&] {
    CallbackScope scope;
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
