#include "engine/function_compiler.h"

#include <sys/auxv.h>

#include <algorithm>
#include <mutex>  // std::unique_lock
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status.h"
#include "splitter/function_extractor.h"

namespace firstcall {
namespace {

bool IsFunction(const SymbolIndex& index, SymbolOrdinal ordinal) {
  return index.at(ordinal).kind == SymbolKind::kFunction;
}

// The member of the group of `ordinal` whose record stands for all of them while they are compiled.
SymbolOrdinal LeaderOf(const SymbolIndex& index, SymbolOrdinal ordinal) {
  absl::Span<const SymbolOrdinal> group = index.GroupOf(ordinal);
  auto leader = std::find_if(group.begin(), group.end(), [&](SymbolOrdinal member) {
    return IsFunction(index, member);
  });
  return leader == group.end() ? ordinal : *leader;
}

}  // namespace

absl::StatusOr<ExecutorAddress> FunctionCompiler::Compile(FunctionKey key) {
  const SymbolIndex& index = key.module->index();
  const FunctionKey leader{key.module, LeaderOf(index, key.ordinal)};
  // See ObjectLinker::mutex.
  std::unique_lock<std::recursive_mutex> lock(objects_.mutex(), std::defer_lock);
  if (!index.GroupOf(key.ordinal).empty()) lock.lock();
  FIRSTCALL_RETURN_IF_ERROR(functions_.CompileOnce(leader, [&] {
    return index.at(leader.ordinal).kind == SymbolKind::kIFunc ? ResolveIFunc(leader)
                                                               : CompileGroup(leader);
  }));
  std::optional<ExecutorAddress> body = functions_.BodyOf(key);
  if (!body) return absl::InternalError("compiled without being published");
  return *body;
}

absl::StatusOr<ObjectBytes> FunctionCompiler::Make(FunctionKey key, CompileContext& context,
                                                   PublishedObject& published) {
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(*key.module));
  FIRSTCALL_ASSIGN_OR_RETURN(ObjectEmitter * emitter, context.Emitter());
  ExtractOptions options;
  options.verify = !key.module->source().is_verified();
  options.drop_alias_metadata = !emitter->optimizes();
  absl::MutexLock lock(&view->mutex());
  const absl::Time start = absl::Now();
  FIRSTCALL_ASSIGN_OR_RETURN(
      std::unique_ptr<llvm::Module> function_module,
      ExtractFunction(*view, key.module->index(), key.ordinal, options));
  const absl::Time extracted = absl::Now();
  absl::StatusOr<ObjectBytes> bytes = emitter->Emit(std::move(function_module));
  published.split = extracted - start;
  published.emit = absl::Now() - extracted;
  return bytes;
}

absl::Status FunctionCompiler::CompileGroup(FunctionKey leader) {
  const std::string& name = leader.module->index().at(leader.ordinal).name;
  const std::string where = absl::StrCat("function '", name, "'");
  ContextPool::Lease context = contexts_.Take();
  PublishedObject published;
  published.module = leader.module->name();
  published.function = name;
  absl::StatusOr<ObjectBytes> bytes = Make(leader, *context, published);
  if (!bytes.ok()) return Annotate(bytes.status(), absl::StrCat("compiling ", where));
  published.object = absl::string_view(bytes->data(), bytes->size());

  const absl::Time start = absl::Now();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ObjectImage> image, ObjectImage::Parse(*bytes, name));
  image->MakeDefinitionsStrong();
  FIRSTCALL_ASSIGN_OR_RETURN(SymbolAddresses resolution,
                             resolver_.ResolveAll(*image, leader.module, where, *context));
  FIRSTCALL_RETURN_IF_ERROR(image->BindCallsDirectly([&](absl::string_view symbol) {
    auto found = resolution.find(symbol);
    return found != resolution.end() && arena_.Contains(found->second);
  }));
  FIRSTCALL_ASSIGN_OR_RETURN(SymbolAddresses defined, context->linker().Load(*image));
  FIRSTCALL_RETURN_IF_ERROR(context->linker().Finish(resolution));
  published.code_bytes = context->linker().code_bytes();
  published.link = absl::Now() - start;
  Publish(leader, defined, published);
  return absl::OkStatus();
}

// The leader's slot is written last: who finds it published finds its group published.
void FunctionCompiler::Publish(FunctionKey leader, const SymbolAddresses& defined,
                               PublishedObject& published) {
  const SymbolIndex& index = leader.module->index();
  absl::Span<const SymbolOrdinal> group = index.GroupOf(leader.ordinal);
  if (group.empty()) group = absl::MakeConstSpan(&leader.ordinal, 1);
  published.body = defined.at(index.at(leader.ordinal).name);
  published.function_count =
      std::count_if(group.begin(), group.end(),
                    [&](SymbolOrdinal member) { return IsFunction(index, member); });
  listener_.OnPublished(published);
  for (SymbolOrdinal member : group) {
    if (member != leader.ordinal) {
      functions_.Publish({leader.module, member}, defined.at(index.at(member).name));
    }
  }
  functions_.Publish(leader, published.body);
}

absl::Status FunctionCompiler::ResolveIFunc(FunctionKey key) {
  const Symbol& symbol = key.module->index().at(key.ordinal);
  FIRSTCALL_ASSIGN_OR_RETURN(ExecutorAddress resolver,
                             Compile({key.module, symbol.base}));
  // What the C library passes to an ifunc's resolver; on x86-64 there is nothing to pass.
  using IFuncResolver = void* (*)(unsigned long hwcap);
  void* target = resolver.InThisProcess<IFuncResolver>()(getauxval(AT_HWCAP));
  if (target == nullptr) {
    return absl::InternalError(absl::StrCat("the resolver of ifunc '", symbol.name,
                                            "' returned no function"));
  }
  functions_.Publish(key, ExecutorAddress::Of(target));
  return absl::OkStatus();
}

}  // namespace firstcall
