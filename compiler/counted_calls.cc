#include "compiler/counted_calls.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/llvm/branch_profile.h"
#include "backend/llvm/call_guards.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "object/symbol_name.h"
#include "splitter/object_name.h"

namespace firstcall {

CountedCalls::CountedCalls(const ModuleView& view, const SymbolIndex& index,
                           absl::Span<const BranchCounts> counts)
    : view_(view), index_(index) {
  for (const BranchCounts& of_function : counts) {
    if (!AreEnough(of_function)) continue;  // Its calls will not be annotated.
    std::vector<SymbolOrdinal> targets;
    for (const CallCounts& call : of_function.calls) {
      for (const CallTarget& target : LikelyTargets(of_function, call)) {
        if (IsOwn(target.function)) targets.push_back(target.function);
      }
    }
    if (targets.empty()) continue;
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    targets_[of_function.function] = std::move(targets);
  }
}

absl::Span<const SymbolOrdinal> CountedCalls::TargetsOf(SymbolOrdinal caller) const {
  const auto found = targets_.find(caller);
  if (found == targets_.end()) return {};
  return found->second;
}

bool CountedCalls::IsOwn(SymbolOrdinal target) const {
  return target.value < index_.size() && index_.at(target).kind == SymbolKind::kFunction &&
         index_.at(target).is_definition;
}

void CountedCalls::Guard(llvm::Module& module, const SymbolOrdinal* root) const {
  if (targets_.empty()) return;
  GuardCalls(module, [&](const CallTarget& target) -> std::optional<firstcall::Guard> {
    llvm::Function* const body = FindBody(module, target.function, root);
    if (body == nullptr) return std::nullopt;
    return firstcall::Guard{body, &AddressOf(module, *body, target)};
  });
}

// Null if the module does not have the body.
llvm::Function* CountedCalls::FindBody(llvm::Module& module, SymbolOrdinal function,
                                       const SymbolOrdinal* root) const {
  if (!IsOwn(function)) return nullptr;
  const bool is_root = root != nullptr && *root == function;
  const std::string name = IrName(
      absl::StrCat(index_.at(function).name, is_root ? "" : kCallSuffix), view_.symbol(function));
  llvm::Function* const body = module.getFunction(name);
  return body == nullptr || body->isDeclaration() ? nullptr : body;
}

// The variable is not constant, so that LLVM does not take its first value for the only one.
llvm::GlobalVariable& CountedCalls::AddressOf(llvm::Module& module, const llvm::Function& body,
                                              const CallTarget& target) const {
  const absl::string_view function = index_.at(target.function).name;
  const std::string name = absl::StrCat(function, kGuardSuffix);
  if (llvm::GlobalVariable* known = module.getNamedGlobal(name)) return *known;
  const std::string identity =
      IrName(absl::StrCat(function, target.is_in_table ? kTableSuffix : kStubSuffix),
             view_.symbol(target.function));
  auto* const address = llvm::cast<llvm::Constant>(
      module.getOrInsertFunction(identity, body.getFunctionType()).getCallee());
  auto* variable = new llvm::GlobalVariable(module, address->getType(), /*isConstant=*/false,
                                            llvm::GlobalValue::ExternalLinkage, address, name);
  variable->setAlignment(llvm::Align(sizeof(uint64_t)));
  variable->setDSOLocal(true);
  return *variable;
}

}  // namespace firstcall
