#include "splitter/debug_types.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace firstcall {
namespace {

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

// The structure that the function returns, or null. A debugger that calls the function does not
// look for its definition elsewhere.
const llvm::DICompositeType* TypeReturnedBy(const llvm::DISubprogram& function) {
  if (function.getType() == nullptr) return nullptr;
  const llvm::DITypeRefArray types = function.getType()->getTypeArray();
  const llvm::DIType* type = types.size() == 0 ? nullptr : types[0];
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case llvm::dwarf::DW_TAG_typedef:
      case llvm::dwarf::DW_TAG_const_type:
      case llvm::dwarf::DW_TAG_volatile_type:
        type = derived->getBaseType();
        continue;
      default:
        return nullptr;
    }
  }
  return llvm::dyn_cast_or_null<llvm::DICompositeType>(type);
}

}  // namespace

// The function's own subprogram, those inlined into it, and all their variables.
DebugTypes::Nodes DebugTypes::RootsOf(llvm::Function& function) {
  Nodes roots;
  roots.insert(function.getSubprogram());
  llvm::SmallPtrSet<const llvm::MDNode*, 16> seen_calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
      roots.insert(record.getVariable());
    }
    if (auto* intrinsic = llvm::dyn_cast<llvm::DbgVariableIntrinsic>(&instruction)) {
      roots.insert(intrinsic->getVariable());
    }
    for (const llvm::DILocation* call = instruction.getDebugLoc(); call != nullptr;
         call = call->getInlinedAt()) {
      if (call->getInlinedAt() == nullptr || !seen_calls.insert(call->getScope()).second) break;
      roots.insert(call->getScope()->getSubprogram());
    }
  }
  return roots;
}

void DebugTypes::ReplaceVariables(llvm::Function& function, llvm::ValueToValueMapTy& map) {
  const auto mapped = [&map](llvm::DILocalVariable* variable) {
    return llvm::cast<llvm::DILocalVariable>(llvm::MapMetadata(variable, map, kFlags));
  };
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
      record.setVariable(mapped(record.getVariable()));
    }
    if (auto* intrinsic = llvm::dyn_cast<llvm::DbgVariableIntrinsic>(&instruction)) {
      intrinsic->setVariable(mapped(intrinsic->getVariable()));
    }
  }
}

llvm::DICompositeType* DebugTypes::DeclarationOf(const llvm::DICompositeType& type) {
  if (auto found = declarations_.find(&type); found != declarations_.end()) return found->second;
  llvm::DIScope* scope = type.getScope();
  if (scope != nullptr && IsStructureDefinition(*scope)) {
    scope = DeclarationOf(*llvm::cast<llvm::DICompositeType>(scope));
  }
  auto* declaration = llvm::DICompositeType::get(
      type.getContext(), type.getTag(), type.getName(), type.getFile(), type.getLine(), scope,
      /*BaseType=*/nullptr, /*SizeInBits=*/0, /*AlignInBits=*/0, /*OffsetInBits=*/0,
      type.getFlags() | llvm::DINode::FlagFwdDecl, /*Elements=*/nullptr, type.getRuntimeLang(),
      /*VTableHolder=*/nullptr, /*TemplateParams=*/nullptr, type.getIdentifier());
  declarations_[&type] = declaration;
  return declaration;
}

void DebugTypes::DeclareKnown(llvm::Function& function, bool may_be_dropped) {
  if (function.getSubprogram() == nullptr) return;
  llvm::ValueToValueMapTy map;
  llvm::SmallVector<llvm::DICompositeType*, 16> defined;
  bool reaches_known = false;
  const Nodes roots = RootsOf(function);
  llvm::SmallPtrSet<const llvm::MDNode*, 4> returned;
  for (const llvm::MDNode* root : roots) {
    const auto* subprogram = llvm::dyn_cast<llvm::DISubprogram>(root);
    if (subprogram != nullptr) returned.insert(TypeReturnedBy(*subprogram));
  }
  Nodes pending = roots;
  for (size_t i = 0; i < pending.size(); ++i) {
    llvm::MDNode* node = pending[i];
    if (llvm::isa<llvm::DICompileUnit>(node)) {
      map.MD()[node].reset(node);  // The unit leads to everything in the module.
      continue;
    }
    if (IsStructureDefinition(*node)) {
      const auto known = declarations_.find(node);
      if (known != declarations_.end() && !returned.contains(node)) {
        map.MD()[node].reset(known->second);
        reaches_known = true;
        continue;
      }
      if (known == declarations_.end()) defined.push_back(llvm::cast<llvm::DICompositeType>(node));
    }
    for (const llvm::MDOperand& operand : node->operands()) {
      if (auto* next = llvm::dyn_cast_or_null<llvm::MDNode>(operand.get())) pending.insert(next);
    }
  }
  if (reaches_known) {
    for (llvm::MDNode* root : roots) llvm::MapMetadata(root, map, kFlags);
    ReplaceVariables(function, map);
  }
  if (may_be_dropped) return;
  for (llvm::DICompositeType* type : defined) {
    llvm::DICompositeType* declaration = DeclarationOf(*type);
    if (std::optional<llvm::Metadata*> rewritten = map.getMappedMD(type)) {
      declarations_[llvm::cast<llvm::MDNode>(*rewritten)] = declaration;
    }
  }
}

}  // namespace firstcall
