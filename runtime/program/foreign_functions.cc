#include "runtime/program/foreign_functions.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "foreign/foreign_call.h"
#include "runtime/process/work_scope.h"
#include "seam/event.h"

namespace firstcall {

absl::StatusOr<ForeignFunctions::Shape> ForeignFunctions::ReadShape(SourceModule& module,
                                                                    SymbolOrdinal function) {
  // The replacement's signature is not known.
  if (resolver_.IsReplaced(module, function)) return Shape();
  absl::StatusOr<FunctionShape> shape =
      compiler_.ReadShape(module.id(), function, /*is_last_use=*/module.CountCompiled(0));
  // The module was given in memory, and its IR is gone.
  if (absl::IsFailedPrecondition(shape.status())) return Shape();
  if (!shape.ok()) return shape.status();
  return std::make_shared<const FunctionShape>(*std::move(shape));
}

absl::StatusOr<ForeignFunctions::Shape> ForeignFunctions::ShapeOf(SourceModule& module,
                                                                  SymbolOrdinal function) {
  WorkScope scope;
  if (module.is_removed()) {
    return absl::FailedPreconditionError(
        absl::StrCat("calling a function of '", module.name(), "': the module was removed"));
  }
  {
    absl::MutexLock lock(&mutex_);
    auto known = shapes_.find(module.id());
    if (known != shapes_.end()) {
      auto found = known->second.find(function);
      if (found != known->second.end()) return found->second;
    }
  }
  FIRSTCALL_ASSIGN_OR_RETURN(Shape shape, ReadShape(module, function));
  absl::MutexLock lock(&mutex_);
  shapes_[module.id()][function] = shape;
  return shape;
}

void ForeignFunctions::Remove(ModuleId module) {
  absl::MutexLock lock(&mutex_);
  shapes_.erase(module);
}

absl::Status ForeignFunctions::Call(absl::string_view name, const ForeignValue& result,
                                    absl::Span<const ForeignValue> arguments) {
  FIRSTCALL_RETURN_IF_ERROR(CheckValues(result, arguments));
  std::optional<Definition> found;
  std::shared_ptr<SourceModule> module;
  {
    const ForkScope scope;  // Removals wait.
    found = definitions_.Find(name);
    if (found && found->module != nullptr) module = found->module->shared_from_this();
  }
  if (!found) return absl::NotFoundError("no module defines it");
  if (module == nullptr) {
    absl::StatusOr<DynamicSymbols::Found> symbol;
    DelegatingWorkScope(threads_).Run([&] { symbol = resolver_.Lookup(name); });
    if (!symbol.ok()) return symbol.status();
    return CallForeign(symbol->address, result, arguments);
  }
  FIRSTCALL_ASSIGN_OR_RETURN(Shape shape, ShapeOf(*module, found->ordinal));
  std::optional<CallPlan> plan;
  if (shape != nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(plan, shape->Plan(result.type, arguments));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(ExecutorAddress address,
                             program_.Prepare(*module, found->ordinal, CompileReason::kCalled));
  return CallForeign(address, result, arguments, plan ? &*plan : nullptr);
}

}  // namespace firstcall
