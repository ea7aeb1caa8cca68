#include "runtime/process/compiler_pair.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace firstcall {
namespace {

// How many reasons are told apart. More than there are different ones, unless names are in them.
constexpr size_t kMostReasons = 64;

// Whether the complete compiler may know what the small one does not.
bool IsRefusal(const absl::Status& status) {
  return absl::IsUnimplemented(status) || absl::IsInvalidArgument(status) ||
         absl::IsInternal(status);
}

// The cause, without the places that the message names before it.
std::string CauseOf(const absl::Status& status) {
  absl::string_view message = status.message();
  constexpr absl::string_view kPlace = "': ";
  const size_t place = message.rfind(kPlace);
  if (place != absl::string_view::npos) message.remove_prefix(place + kPlace.size());
  return std::string(message);
}

// `order`, with another answer to the question whether a function may join.
FunctionOrder WithMayJoin(const FunctionOrder& order, MayJoin may_join) {
  return {order.module,          order.function, order.is_replaced,   may_join,
          order.others_may_join, order.is_far,   order.callees_along, order.companions,
          order.lists_callees,   order.polls,    order.identification};
}

bool Contains(const std::vector<SymbolOrdinal>& functions, SymbolOrdinal function) {
  return std::find(functions.begin(), functions.end(), function) != functions.end();
}

}  // namespace

std::map<std::string, size_t> CompilerPair::refusals() const {
  absl::MutexLock lock(&mutex_);
  return refusals_;
}

bool CompilerPair::Has(ModuleId module) const {
  absl::MutexLock lock(&mutex_);
  return known_.contains(module);
}

void CompilerPair::Note(const absl::Status& why) {
  absl::MutexLock lock(&mutex_);
  std::string cause = CauseOf(why);
  if (refusals_.size() >= kMostReasons && refusals_.count(cause) == 0) cause = "other reasons";
  ++refusals_[std::move(cause)];
}

absl::Status CompilerPair::NeedComplete(absl::string_view what, ModuleId module,
                                        std::optional<SymbolOrdinal> function,
                                        const absl::Status& why) {
  Note(why);
  std::string reason;
  {
    absl::MutexLock lock(&mutex_);
    const Known& known = known_.at(module);
    reason = absl::StrCat(what, " ");
    if (function) absl::StrAppend(&reason, "'", known.index->at(*function).name, "' of ");
    absl::StrAppend(&reason, "'", known.name, "': ", CauseOf(why));
  }
  return complete_.Make(reason);
}

absl::StatusOr<std::shared_ptr<const SymbolIndex>> CompilerPair::Add(ModuleOrder order) {
  const ModuleId id = order.id;
  absl::StatusOr<std::shared_ptr<const SymbolIndex>> index = small_->Add(order);
  if (!index.ok()) {
    if (!IsRefusal(index.status())) return index;
    if (order.index == nullptr) {
      Note(index.status());
      FIRSTCALL_RETURN_IF_ERROR(complete_.Make(
          absl::StrCat("reading '", order.contents.name, "': ", CauseOf(index.status()))));
    }
    return complete_.Add(std::move(order));
  }
  Known known{order.contents.name, *index};
  order.index = *index;
  absl::StatusOr<std::shared_ptr<const SymbolIndex>> added = complete_.Add(std::move(order));
  if (!added.ok()) {
    small_->Remove(id);
    return added;
  }
  absl::MutexLock lock(&mutex_);
  known_.emplace(id, std::move(known));
  return added;
}

absl::StatusOr<CompiledFunction> CompilerPair::CompileFunction(const FunctionOrder& order) {
  if (!Has(order.module)) return complete_.CompileFunction(order);
  std::vector<SymbolOrdinal> joined;
  const auto note_joined = [&](SymbolOrdinal function) {
    if (!order.may_join(function)) return false;
    joined.push_back(function);
    return true;
  };
  absl::StatusOr<CompiledFunction> compiled =
      small_->CompileFunction(WithMayJoin(order, note_joined));
  if (compiled.ok() || !IsRefusal(compiled.status())) return compiled;
  FIRSTCALL_RETURN_IF_ERROR(
      NeedComplete("compiling", order.module, order.function, compiled.status()));
  // They were claimed already.
  const auto join_again = [&](SymbolOrdinal function) {
    return Contains(joined, function) || order.may_join(function);
  };
  compiled = complete_.CompileFunction(WithMayJoin(order, join_again));
  if (!compiled.ok()) return compiled;
  for (SymbolOrdinal function : joined) {
    if (Contains(compiled->functions, function)) continue;
    return absl::FailedPreconditionError("functions that had joined are not compiled with it");
  }
  return compiled;
}

absl::StatusOr<CompiledObject> CompilerPair::CompileData(const DataOrder& order) {
  if (!Has(order.module)) return complete_.CompileData(order);
  absl::StatusOr<CompiledObject> compiled = small_->CompileData(order);
  if (compiled.ok() || !IsRefusal(compiled.status())) return compiled;
  FIRSTCALL_RETURN_IF_ERROR(
      NeedComplete("compiling the data of", order.module, std::nullopt, compiled.status()));
  return complete_.CompileData(order);
}

absl::StatusOr<CodeDescription> CompilerPair::DescribeBodies(const DescriptionOrder& order) {
  if (Has(order.module)) {
    absl::StatusOr<CodeDescription> description = small_->DescribeBodies(order);
    if (description.ok() || absl::IsNotFound(description.status())) return description;
  }
  return complete_.DescribeBodies(order);
}

absl::StatusOr<BodyDigests> CompilerPair::DigestBodies(ModuleId module) {
  if (!Has(module)) return complete_.DigestBodies(module);
  absl::StatusOr<BodyDigests> digests = small_->DigestBodies(module);
  if (digests.ok() || complete_.compiler() == nullptr) return digests;
  return complete_.DigestBodies(module);
}

absl::StatusOr<AssemblyLabels> CompilerPair::ReadLabels(ModuleId module) {
  if (!Has(module)) return complete_.ReadLabels(module);
  absl::StatusOr<AssemblyLabels> labels = small_->ReadLabels(module);
  if (labels.ok() || !IsRefusal(labels.status())) return labels;
  FIRSTCALL_RETURN_IF_ERROR(
      NeedComplete("reading the labels of", module, std::nullopt, labels.status()));
  return complete_.ReadLabels(module);
}

absl::StatusOr<EntryPoint> CompilerPair::ReadEntryPoint(ModuleId module, SymbolOrdinal function) {
  if (!Has(module)) return complete_.ReadEntryPoint(module, function);
  absl::StatusOr<EntryPoint> entry = small_->ReadEntryPoint(module, function);
  // What is no main function is none for LLVM, either.
  if (!absl::IsUnimplemented(entry.status())) return entry;
  FIRSTCALL_RETURN_IF_ERROR(NeedComplete("reading", module, function, entry.status()));
  return complete_.ReadEntryPoint(module, function);
}

absl::StatusOr<FunctionShape> CompilerPair::ReadShape(ModuleId module, SymbolOrdinal function,
                                                      bool is_last_use) {
  if (!Has(module)) return complete_.ReadShape(module, function, is_last_use);
  absl::StatusOr<FunctionShape> shape = small_->ReadShape(module, function, is_last_use);
  if (shape.ok() || !IsRefusal(shape.status())) return shape;
  FIRSTCALL_RETURN_IF_ERROR(NeedComplete("reading", module, function, shape.status()));
  return complete_.ReadShape(module, function, is_last_use);
}

void CompilerPair::ReadAgain(ModuleId module) {
  if (Has(module)) small_->ReadAgain(module);
  complete_.ReadAgain(module);
}

void CompilerPair::ForgetFunctions(ModuleId module, bool data_is_compiled) {
  if (Has(module)) small_->ForgetFunctions(module, data_is_compiled);
  complete_.ForgetFunctions(module, data_is_compiled);
}

void CompilerPair::Remove(ModuleId module) {
  bool is_known = false;
  {
    absl::MutexLock lock(&mutex_);
    is_known = known_.erase(module) > 0;
  }
  if (is_known) small_->Remove(module);
  complete_.Remove(module);
}

}  // namespace firstcall
