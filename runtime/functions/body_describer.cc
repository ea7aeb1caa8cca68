#include "runtime/functions/body_describer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "object/elf_object.h"
#include "object/machine.h"
#include "object/running_code.h"

namespace firstcall {

CodeDescription BodyDescriber::Describe(const SourceModule& module, bool is_far,
                                        absl::Span<const Body> bodies, FindFunction find_function,
                                        bool wants_lines) {
  {
    absl::MutexLock lock(&mutex_);
    if (without_.contains(module.id())) return {};
  }
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return resolver_.IsReplaced(module, ordinal);
  };
  const auto code_of = [&](size_t index) {
    return bodies[index].address.InThisProcess<const void*>();
  };
  // Of the function that was compiled again last. What runs has no more, because straight calls are
  // the shortest.
  uint64_t code_size = 0;
  const auto is_running = [&](size_t index, ObjectBytes bytes) {
    const absl::string_view name = module.index().at(bodies[index].function).name;
    const absl::StatusOr<std::unique_ptr<ElfObject>> object =
        ElfObject::Parse(absl::MakeSpan(bytes), name);
    if (!object.ok()) return false;
    code_size = CodeSizeOf(**object, name);
    return IsCodeOf(**object, name, code_of(index));
  };
  const auto straight_calls = [&](size_t index) {
    std::vector<SymbolOrdinal> callees;
    for (uintptr_t target : StraightTargetsOf(HostMachine(), code_of(index), code_size)) {
      const std::optional<SymbolOrdinal> callee = find_function(ExecutorAddress(target));
      if (callee) callees.push_back(*callee);
    }
    return callees;
  };
  DescriptionOrder order{module.id(), {}, is_replaced, is_running, straight_calls};
  for (const Body& body : bodies) order.functions.push_back(body.function);
  order.is_far = is_far;
  order.asks_when_called = asks_when_called_;
  order.is_one_object = wants_lines;
  order.wants_lines = wants_lines;
  absl::StatusOr<CodeDescription> description = compiler_.DescribeBodies(order);
  if (description.ok()) return *std::move(description);
  if (absl::IsUnimplemented(description.status()) || absl::IsNotFound(description.status())) {
    absl::MutexLock lock(&mutex_);
    without_.insert(module.id());
  }
  return {};
}

std::vector<std::shared_ptr<const CodeLines>> BodyDescriber::FindLines(
    const SourceModule& module, bool is_far, absl::Span<const Body> bodies) {
  std::vector<std::shared_ptr<const CodeLines>> lines(bodies.size());
  const auto find_none = [](ExecutorAddress) { return std::optional<SymbolOrdinal>(); };
  CodeDescription description = Describe(module, is_far, bodies, find_none, /*wants_lines=*/true);
  const std::vector<SymbolOrdinal>& described = description.described;
  for (size_t i = 0; i < bodies.size(); ++i) {
    const auto found = std::find(described.begin(), described.end(), bodies[i].function);
    const auto place = static_cast<size_t>(found - described.begin());
    if (place >= description.lines.size()) continue;
    lines[i] = std::make_shared<const CodeLines>(std::move(description.lines[place]));
  }
  return lines;
}

void BodyDescriber::Remove(const SourceModule& module) {
  absl::MutexLock lock(&mutex_);
  without_.erase(module.id());
}

}  // namespace firstcall
