#include "runtime/promotion/counting_bodies.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "object/elf_object.h"
#include "object/symbol_name.h"
#include "runtime/process/unattended_work.h"

namespace firstcall {

absl::StatusOr<CountingBodies::Body> CountingBodies::Make(FunctionKey key,
                                                          std::shared_ptr<StopFlag> stop) {
  SourceModule& module = *key.module;
  const bool is_far = linker_.IsFar(module);
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return module.index().at(ordinal).is_weak && resolver_.IsReplaced(module, ordinal);
  };
  const auto is_warm = [](SymbolOrdinal) { return false; };
  const auto run = [](absl::FunctionRef<void()> passes) {
    passes();
    return true;
  };
  OptimizationOrder order{module.id(),
                          key.ordinal,
                          /*loop=*/std::nullopt,
                          is_far,
                          std::move(stop),
                          &UnattendedWork::StopIfExiting,
                          is_replaced,
                          is_warm,
                          run};
  order.counts_branches = true;
  FIRSTCALL_ASSIGN_OR_RETURN(CompiledObject object, compiler_.Optimize(order));
  return Link(key, is_far, std::move(object));
}

absl::StatusOr<CountingBodies::Body> CountingBodies::Link(FunctionKey key, bool is_far,
                                                          CompiledObject object) {
  SourceModule& module = *key.module;
  const absl::string_view name = module.index().at(key.ordinal).name;
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ElfObject> image,
                             ElfObject::Parse(absl::MakeSpan(object.bytes), name));
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionLinker::Linked linked,
                             linker_.Link(*image, module, name, is_far));
  const auto body = linked.defined.find(name);
  const auto counters = linked.defined.find(absl::StrCat(name, kCountsSuffix));
  if (!object.counters || body == linked.defined.end() || counters == linked.defined.end()) {
    return absl::InternalError("the object does not define the counting body");
  }
  const PublishedFunction function{name, body->second, ""};
  PublishedObject published =
      FunctionLinker::Describe(module, object, *image, linked, SteadyNow() - start);
  published.functions = {&function, 1};
  published.reason = CompileReason::kPromoted;
  listener_.OnPublished(published);
  return Body{body->second, BranchCounterBlock(*object.counters, counters->second)};
}

}  // namespace firstcall
