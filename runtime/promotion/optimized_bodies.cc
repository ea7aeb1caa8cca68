#include "runtime/promotion/optimized_bodies.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "object/debugger_registration.h"
#include "object/elf_object.h"
#include "object/symbol_name.h"
#include "runtime/link/cached_object.h"
#include "runtime/process/probes.h"
#include "runtime/process/unattended_work.h"
#include "runtime/promotion/loop_exit_reader.h"

namespace firstcall {
namespace {

// Of a continuation, `first_body`.
std::optional<ExecutorAddress> OfContinuation(std::optional<uint32_t> loop,
                                              ExecutorAddress first_body) {
  return loop ? std::optional<ExecutorAddress>(first_body) : std::nullopt;
}

}  // namespace

// The cache is for runs without a debugger, too.
bool OptimizedBodies::KeepsDebugInfo() const { return describes_bodies_ && HasListeningDebugger(); }

bool OptimizedBodies::IsCached(FunctionKey key, std::optional<uint32_t> loop) const {
  return !KeepsDebugInfo() && cache_.Has(key, loop);
}

absl::StatusOr<OptimizedBodies::Body> OptimizedBodies::Make(
    FunctionKey key, std::optional<uint32_t> loop, ExecutorAddress first_body, IsWarm is_warm,
    std::vector<BranchCounts> counts, std::shared_ptr<StopFlag> stop, RunPasses run_passes) {
  const bool keeps_debug_info = KeepsDebugInfo();
  if (!keeps_debug_info) {
    if (std::optional<Body> cached = LinkCached(key, loop, first_body)) return *cached;
  }
  SourceModule& module = *key.module;
  const bool is_far = linker_.IsFar(module);
  bool is_wanted = true;
  const auto run = [&](absl::FunctionRef<void()> passes) {
    is_wanted = run_passes(passes);
    return is_wanted;
  };
  const auto ask_resolver = [&](SymbolOrdinal ordinal) {
    return resolver_.IsReplaced(module, ordinal);
  };
  DecisionRecorder decisions(ask_resolver);
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return module.index().at(ordinal).is_weak && decisions.Ask(ordinal);
  };
  const char* const function = module.index().at(key.ordinal).name.data();
  FIRSTCALL_PROBE3(compile_begin, function, module.name().c_str(), 1);
  absl::StatusOr<CompiledObject> object = compiler_.Optimize(
      {module.id(), key.ordinal, loop, is_far, std::move(stop), &UnattendedWork::StopIfExiting,
       is_replaced, is_warm, run, cache_.IdentificationOf(key, loop), /*counts_branches=*/false,
       std::move(counts), keeps_debug_info, asks_when_called_});
  if (!is_wanted) return object.status();
  FIRSTCALL_PROBE3(compile_end, function, module.name().c_str(), 1);
  // Before it is linked, because the linker's preparation changes the bytes.
  if (object.ok() && !keeps_debug_info) {
    cache_.Store(key, loop, is_far, std::move(decisions).Take(), *object);
  }
  absl::StatusOr<Body> body = object.ok() ? Link(key, OfContinuation(loop, first_body), is_far,
                                                 /*is_cached=*/false, *std::move(object))
                                          : object.status();
  if (body.ok()) return body;
  const absl::string_view name = module.index().at(key.ordinal).name;
  absl::Status status = Annotate(body.status(), absl::StrCat("optimizing function '", name, "'"));
  // What was ended before it was done has not failed, nor has a loop that cannot be left.
  if (!absl::IsCancelled(status) && !(loop && absl::IsNotFound(status))) {
    listener_.OnPromotionFailed({module.name(), name, loop.has_value(), status});
  }
  return status;
}

// If the object cannot be linked, the reason is found again with the one that is compiled then.
std::optional<OptimizedBodies::Body> OptimizedBodies::LinkCached(FunctionKey key,
                                                                 std::optional<uint32_t> loop,
                                                                 ExecutorAddress first_body) {
  std::optional<ObjectBytes> bytes = cache_.Find(key, loop);
  if (!bytes) return std::nullopt;
  CompiledObject object;
  object.bytes = *std::move(bytes);
  absl::StatusOr<Body> body =
      Link(key, OfContinuation(loop, first_body), linker_.IsFar(*key.module),
           /*is_cached=*/true, std::move(object));
  if (!body.ok()) return std::nullopt;
  return *body;
}

absl::StatusOr<OptimizedBodies::Body> OptimizedBodies::Link(
    FunctionKey key, std::optional<ExecutorAddress> first_body, bool is_far, bool is_cached,
    CompiledObject object) {
  const bool is_continuation = first_body.has_value();
  SourceModule& module = *key.module;
  const absl::string_view name = module.index().at(key.ordinal).name;
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ElfObject> image,
                             ElfObject::Parse(absl::MakeSpan(object.bytes), name));
  std::shared_ptr<LoopExit> exit;
  if (is_continuation && HasLoopExit(*image)) {
    exit = ReadLoopExit(*image, name, first_body->InThisProcess<const char*>());
    // One that is made now may be for the first body that runs.
    if (exit == nullptr && is_cached) return absl::NotFoundError("it is for another first body");
  }
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionLinker::Linked linked,
                             linker_.Link(*image, module, name, is_far));
  const std::string symbol = is_continuation ? absl::StrCat(name, kLoopSuffix) : std::string(name);
  auto found = linked.defined.find(symbol);
  if (found == linked.defined.end()) {
    return absl::InternalError("the optimized object does not define it");
  }
  const PublishedFunction function{name, found->second, symbol};
  PublishedObject published =
      FunctionLinker::Describe(module, object, *image, linked, SteadyNow() - start);
  published.functions = {&function, 1};
  published.is_promotion = true;
  published.is_optimized = true;
  published.is_continuation = is_continuation;
  published.reason = is_continuation ? CompileReason::kContinuation : CompileReason::kPromoted;
  published.is_cached = is_cached;
  published.optimize = object.optimize;
  published.imported = object.imported;
  published.inlined = object.inlined;
  FIRSTCALL_PROBE3(promote, name.data(), module.name().c_str(), found->second.value());
  listener_.OnPublished(published);
  Body body;
  body.address = found->second;
  body.code_bytes = linked.code_bytes;
  body.time = published.split + published.emit + published.link;
  body.is_cached = is_cached;
  body.extract = published.split;
  body.optimize = published.optimize;
  body.emit = published.emit - published.optimize;
  body.link = published.link;
  body.imported = published.imported;
  body.facts = object.facts;
  body.inlined = std::move(object.inlined);
  if (exit != nullptr) exit->continuation = body.address.InThisProcess<const void*>();
  body.exit = std::move(exit);
  return body;
}

}  // namespace firstcall
