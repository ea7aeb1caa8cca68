#include "splitter/lifecycle_reader.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "object/lifecycle.h"

namespace firstcall {
namespace {

// Keeps the order of equal priorities.
using ByPriority = std::multimap<int64_t, SymbolOrdinal>;

absl::Status ReadList(const ModuleView& view, llvm::StringRef name, ByPriority& functions) {
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
    functions.emplace(priority->getLimitedValue(INT64_MAX), *view.ordinal_of(*function));
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

absl::Status ReadSections(const ModuleView& view, LifecyclePhase phase, ByPriority& functions) {
  // What has one name is one section, but LLVM gives each variable of llvm.used one of its own.
  llvm::SmallVector<llvm::GlobalValue*, 8> used;
  llvm::collectUsedGlobalVariables(view.module(), used, /*CompilerUsed=*/false);
  llvm::MapVector<std::pair<llvm::StringRef, const llvm::GlobalVariable*>,
                  std::vector<SymbolOrdinal>>
      sections;
  for (const llvm::GlobalVariable& variable : view.module().globals()) {
    if (!variable.hasSection() || !variable.hasInitializer()) continue;
    if (!FindLifecycleSection(ToStringView(variable.getSection()), phase)) continue;
    const llvm::GlobalVariable* const own =
        llvm::is_contained(used, &variable) ? &variable : nullptr;
    if (!ReadPointers(view, *variable.getInitializer(), sections[{variable.getSection(), own}])) {
      return absl::UnimplementedError(absl::StrCat("variable '", variable.getName().str(),
                                                   "': something other than functions in section '",
                                                   variable.getSection().str(), "'"));
    }
  }
  for (auto& [key, pointers] : sections) {
    const LifecycleSection section = *FindLifecycleSection(ToStringView(key.first), phase);
    if (section.is_reversed) std::reverse(pointers.begin(), pointers.end());
    for (SymbolOrdinal function : pointers) functions.emplace(section.priority, function);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<LifecycleFunction>> Read(const ModuleView& view, LifecyclePhase phase,
                                                    llvm::StringRef list_name) {
  ByPriority functions;
  FIRSTCALL_RETURN_IF_ERROR(ReadSections(view, phase, functions));
  FIRSTCALL_RETURN_IF_ERROR(ReadList(view, list_name, functions));
  std::vector<LifecycleFunction> list;
  for (auto [priority, function] : functions) list.push_back({priority, function});
  return list;
}

}  // namespace

absl::StatusOr<std::vector<LifecycleFunction>> ReadConstructors(const ModuleView& view) {
  return Read(view, LifecyclePhase::kStart, "llvm.global_ctors");
}

absl::StatusOr<std::vector<LifecycleFunction>> ReadDestructors(const ModuleView& view) {
  absl::StatusOr<std::vector<LifecycleFunction>> list =
      Read(view, LifecyclePhase::kEnd, "llvm.global_dtors");
  if (list.ok()) std::reverse(list->begin(), list->end());
  return list;
}

}  // namespace firstcall
