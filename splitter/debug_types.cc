#include "splitter/debug_types.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include "third_party/llvm/version/debug_metadata.h"

namespace firstcall {
namespace {

using Nodes = llvm::SmallSetVector<llvm::MDNode*, 16>;

// Distinct nodes (subprograms, scopes) keep their identity, which the bodies' locations refer to.
constexpr llvm::RemapFlags kFlags = llvm::RF_ReuseAndMutateDistinctMDs;

bool IsStructureDefinition(const llvm::MDNode& node) {
  const auto* type = llvm::dyn_cast<llvm::DICompositeType>(&node);
  if (type == nullptr || type->isForwardDecl()) return false;
  // A debugger could not find the definition of a structure without a name.
  if (type->getName().empty()) return false;
  switch (type->getTag()) {
    case llvm::dwarf::DW_TAG_structure_type:
    case llvm::dwarf::DW_TAG_class_type:
    case llvm::dwarf::DW_TAG_union_type:
      return true;
    default:
      return false;
  }
}

// The functions below are given what is not verified: an operand may be a node of any kind.

template <typename Node>
const Node* OperandAs(const llvm::Metadata* operand) {
  return llvm::dyn_cast_or_null<Node>(operand);
}

// The subprogram to which the scope of a location belongs, or null.
llvm::DISubprogram* SubprogramOf(llvm::Metadata* scope) {
  llvm::SmallPtrSet<const llvm::Metadata*, 8> seen;
  while (const auto* block = OperandAs<llvm::DILexicalBlockBase>(scope)) {
    if (!seen.insert(block).second) return nullptr;
    scope = block->getRawScope();
  }
  return llvm::dyn_cast_or_null<llvm::DISubprogram>(scope);
}

// The structure that the function returns, or null. A debugger that calls the function does not
// look for its definition elsewhere.
const llvm::DICompositeType* TypeReturnedBy(const llvm::DISubprogram& function) {
  const auto* signature = OperandAs<llvm::DISubroutineType>(function.getRawType());
  const auto* types =
      signature == nullptr ? nullptr : OperandAs<llvm::MDTuple>(signature->getRawTypeArray());
  if (types == nullptr || types->getNumOperands() == 0) return nullptr;
  const llvm::Metadata* type = types->getOperand(0);
  llvm::SmallPtrSet<const llvm::Metadata*, 8> seen;
  while (const auto* derived = OperandAs<llvm::DIDerivedType>(type)) {
    if (!seen.insert(derived).second) return nullptr;
    switch (derived->getTag()) {
      case llvm::dwarf::DW_TAG_typedef:
      case llvm::dwarf::DW_TAG_const_type:
      case llvm::dwarf::DW_TAG_volatile_type:
        type = derived->getRawBaseType();
        continue;
      default:
        return nullptr;
    }
  }
  return OperandAs<llvm::DICompositeType>(type);
}

// Replaces each variable that an instruction of `function` describes by `replacement(variable)`.
void ReplaceVariables(
    llvm::Function& function,
    llvm::function_ref<llvm::DILocalVariable*(llvm::DILocalVariable&)> replacement) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
      auto* variable = llvm::dyn_cast_or_null<llvm::DILocalVariable>(record.getRawVariable());
      if (variable != nullptr) record.setVariable(replacement(*variable));
    }
    auto* call = llvm::dyn_cast<llvm::DbgVariableIntrinsic>(&instruction);
    if (call == nullptr || call->arg_size() < 2) continue;
    auto* argument = llvm::dyn_cast<llvm::MetadataAsValue>(call->getArgOperand(1));
    if (argument == nullptr) continue;
    auto* variable = llvm::dyn_cast<llvm::DILocalVariable>(argument->getMetadata());
    if (variable != nullptr) call->setVariable(replacement(*variable));
  }
}

// The function's own subprogram, those inlined into it, and all their variables.
Nodes RootsOf(llvm::Function& function) {
  Nodes roots;
  const auto insert = [&roots](llvm::MDNode* node) {
    if (node != nullptr) roots.insert(node);
  };
  insert(function.getMetadata(llvm::LLVMContext::MD_dbg));
  ReplaceVariables(function, [&](llvm::DILocalVariable& variable) {
    roots.insert(&variable);
    return &variable;  // It stays.
  });
  llvm::SmallPtrSet<const llvm::Metadata*, 16> seen_calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::DILocation* call = instruction.getDebugLoc();
    while (call != nullptr && call->getRawInlinedAt() != nullptr &&
           seen_calls.insert(call->getRawScope()).second) {
      insert(SubprogramOf(call->getRawScope()));
      call = llvm::dyn_cast<llvm::DILocation>(call->getRawInlinedAt());
    }
  }
  return roots;
}

}  // namespace

// What the debug information of a function leads to, without what known structures lead to.
struct DebugTypes::Reached {
  Nodes roots;
  Units units;
  std::vector<llvm::DICompositeType*> defined;  // Not known yet.
  bool reaches_known = false;
  // What ends the walk: known structures become their declarations, and units stay.
  llvm::ValueToValueMapTy map;
};

void DebugTypes::Reach(llvm::Function& function, Reached& reached) const {
  reached.roots = RootsOf(function);
  llvm::SmallPtrSet<const llvm::MDNode*, 4> returned;
  for (const llvm::MDNode* root : reached.roots) {
    const auto* subprogram = llvm::dyn_cast<llvm::DISubprogram>(root);
    if (subprogram != nullptr) returned.insert(TypeReturnedBy(*subprogram));
  }
  Nodes pending = reached.roots;
  for (size_t i = 0; i < pending.size(); ++i) {
    llvm::MDNode* node = pending[i];
    if (auto* unit = llvm::dyn_cast<llvm::DICompileUnit>(node)) {
      reached.units.insert(unit);
      reached.map.MD()[node].reset(node);  // The unit leads to everything in the module.
      continue;
    }
    if (IsStructureDefinition(*node)) {
      const auto known = declarations_.find(node);
      if (known == declarations_.end()) {
        reached.defined.push_back(llvm::cast<llvm::DICompositeType>(node));
      } else if (!returned.contains(node)) {
        reached.map.MD()[node].reset(known->second);
        reached.reaches_known = true;
        continue;
      }
    }
    for (const llvm::MDOperand& operand : node->operands()) {
      if (auto* next = llvm::dyn_cast_or_null<llvm::MDNode>(operand.get())) pending.insert(next);
    }
  }
}

llvm::DICompositeType* DebugTypes::DeclarationOf(const llvm::DICompositeType& type) {
  if (auto found = declarations_.find(&type); found != declarations_.end()) return found->second;
  llvm::DIScope* scope = type.getScope();
  if (scope != nullptr && IsStructureDefinition(*scope)) {
    scope = DeclarationOf(*llvm::cast<llvm::DICompositeType>(scope));
  }
  llvm::DICompositeType* const declaration = llvm_version::Declare(type, scope);
  declarations_[&type] = declaration;
  return declaration;
}

DebugTypes::Units DebugTypes::DeclareKnown(llvm::Function& function) {
  Reached reached;
  Reach(function, reached);
  if (!reached.reaches_known) return std::move(reached.units);
  const auto rewritten = [&](llvm::MDNode& node) {
    return llvm::MapMetadata(&node, reached.map, kFlags);
  };
  for (llvm::MDNode* root : reached.roots) rewritten(*root);
  ReplaceVariables(function, [&](llvm::DILocalVariable& variable) {
    return llvm::cast<llvm::DILocalVariable>(rewritten(variable));
  });
  for (const llvm::DICompositeType* type : reached.defined) {
    const std::optional<llvm::Metadata*> now = reached.map.getMappedMD(type);
    if (!now || *now == type) continue;
    const llvm::DICompositeType* original = originals_.lookup(type);
    originals_[llvm::cast<llvm::MDNode>(*now)] = original != nullptr ? original : type;
  }
  return std::move(reached.units);
}

void DebugTypes::NoteDefined(llvm::Function& function) {
  Reached reached;
  Reach(function, reached);
  for (const llvm::DICompositeType* type : reached.defined) {
    const llvm::DICompositeType* original = originals_.lookup(type);
    llvm::DICompositeType* declaration = DeclarationOf(original != nullptr ? *original : *type);
    declarations_[type] = declaration;
  }
}

}  // namespace firstcall
