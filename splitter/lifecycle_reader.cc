#include "splitter/lifecycle_reader.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "object/lifecycle.h"
#include "seam/lifecycle_list.h"

namespace firstcall {
namespace {

absl::Status ReadList(const ModuleView& view, llvm::StringRef name, LifecycleList& list) {
  const llvm::GlobalVariable* variable = view.module().getGlobalVariable(name);
  if (variable == nullptr || !variable->hasInitializer()) return absl::OkStatus();
  const auto* entries = llvm::dyn_cast<llvm::ConstantArray>(variable->getInitializer());
  if (entries == nullptr) return absl::OkStatus();
  for (const llvm::Use& use : entries->operands()) {
    const auto* entry = llvm::dyn_cast<llvm::ConstantStruct>(use.get());
    if (entry == nullptr) continue;
    const auto* priority = llvm::dyn_cast<llvm::ConstantInt>(entry->getOperand(0));
    if (entry->getNumOperands() < 2 || priority == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "variable '", name.str(), "' is not valid IR: not a list of priorities and functions"));
    }
    const auto* function =
        llvm::dyn_cast<llvm::GlobalValue>(entry->getOperand(1)->stripPointerCasts());
    if (function == nullptr || !view.ordinal_of(*function)) continue;  // A null entry ends a list.
    list.Add(static_cast<int64_t>(priority->getLimitedValue(INT64_MAX)),
             *view.ordinal_of(*function));
  }
  return absl::OkStatus();
}

// False if `pointers` contains anything but functions and zeros.
bool ReadPointers(const ModuleView& view, const llvm::Constant& pointers,
                  std::vector<SymbolOrdinal>& functions) {
  if (pointers.isNullValue()) return true;
  if (const auto* aggregate = llvm::dyn_cast<llvm::ConstantAggregate>(&pointers)) {
    return std::all_of(aggregate->op_begin(), aggregate->op_end(), [&](const llvm::Use& element) {
      return ReadPointers(view, *llvm::cast<llvm::Constant>(element.get()), functions);
    });
  }
  const auto* function = llvm::dyn_cast<llvm::GlobalValue>(pointers.stripPointerCasts());
  if (function == nullptr || !llvm::isa<llvm::FunctionType>(function->getValueType())) return false;
  functions.push_back(*view.ordinal_of(*function));
  return true;
}

absl::Status ReadSections(const ModuleView& view, LifecycleList& list) {
  llvm::SmallVector<llvm::GlobalValue*, 8> used;
  llvm::collectUsedGlobalVariables(view.module(), used, /*CompilerUsed=*/false);
  for (const llvm::GlobalVariable& variable : view.module().globals()) {
    if (!variable.hasSection() || !variable.hasInitializer()) continue;
    std::optional<SymbolOrdinal> own;
    if (llvm::is_contained(used, &variable)) own = view.ordinal_of(variable);
    std::vector<SymbolOrdinal>* const functions =
        list.FunctionsOf(ToStringView(variable.getSection()), own);
    if (functions == nullptr) continue;
    if (!ReadPointers(view, *variable.getInitializer(), *functions)) {
      return absl::UnimplementedError(absl::StrCat("variable '", variable.getName().str(),
                                                   "': something other than functions in section '",
                                                   variable.getSection().str(), "'"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<LifecycleFunction>> Read(const ModuleView& view, LifecyclePhase phase,
                                                    llvm::StringRef list_name) {
  LifecycleList list(phase);
  FIRSTCALL_RETURN_IF_ERROR(ReadSections(view, list));
  FIRSTCALL_RETURN_IF_ERROR(ReadList(view, list_name, list));
  return std::move(list).Take();
}

}  // namespace

absl::StatusOr<std::vector<LifecycleFunction>> ReadConstructors(const ModuleView& view) {
  return Read(view, LifecyclePhase::kStart, "llvm.global_ctors");
}

absl::StatusOr<std::vector<LifecycleFunction>> ReadDestructors(const ModuleView& view) {
  return Read(view, LifecyclePhase::kEnd, "llvm.global_dtors");
}

}  // namespace firstcall
