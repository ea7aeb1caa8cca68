#include "splitter/function_facts.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "llvm/IR/Function.h"

namespace firstcall {
namespace {

// A parameter has at most one of these, and inference may replace one by another.
constexpr llvm::Attribute::AttrKind kAccesses[] = {
    llvm::Attribute::ReadNone, llvm::Attribute::ReadOnly, llvm::Attribute::WriteOnly};

llvm::Attribute InContext(const InferredAttribute& inferred, llvm::LLVMContext& context) {
  if (llvm::Attribute::isConstantRangeAttrKind(inferred.kind)) {
    return llvm::Attribute::get(context, inferred.kind, inferred.ranges.front());
  }
  if (llvm::Attribute::isConstantRangeListAttrKind(inferred.kind)) {
    return llvm::Attribute::get(context, inferred.kind, inferred.ranges);
  }
  return llvm::Attribute::get(context, inferred.kind, inferred.value);
}

}  // namespace

void FunctionFacts::Note(SymbolOrdinal function, Facts facts) {
  auto noted = std::make_unique<const Facts>(std::move(facts));
  absl::MutexLock lock(&mutex_);
  facts_.try_emplace(function, std::move(noted));
}

const FunctionFacts::Facts* FunctionFacts::Find(SymbolOrdinal function) const {
  absl::MutexLock lock(&mutex_);
  const auto found = facts_.find(function);
  return found == facts_.end() ? nullptr : found->second.get();
}

void FunctionFacts::VisitGrounds(SymbolOrdinal function,
                                 absl::FunctionRef<void(SymbolOrdinal)> visit) const {
  absl::flat_hash_set<SymbolOrdinal> seen = {function};
  std::vector<SymbolOrdinal> left = {function};
  while (!left.empty()) {
    const SymbolOrdinal ground = left.back();
    left.pop_back();
    visit(ground);
    const Facts* facts = Find(ground);
    if (facts == nullptr) continue;
    for (SymbolOrdinal next : facts->grounds) {
      if (seen.insert(next).second) left.push_back(next);
    }
  }
}

size_t FunctionFacts::AddAllowance(size_t instructions) {
  absl::MutexLock lock(&mutex_);
  return allowance_ += instructions;
}

size_t FunctionFacts::TakeAllowance(size_t instructions) {
  absl::MutexLock lock(&mutex_);
  return allowance_ -= std::min(allowance_, instructions);
}

std::vector<InferredAttribute> InferredSince(const llvm::AttributeList& before,
                                             const llvm::Function& function) {
  const llvm::AttributeList after = function.getAttributes();
  std::vector<InferredAttribute> inferred;
  for (const unsigned index : after.indexes()) {
    for (const llvm::Attribute attribute : after.getAttributes(index)) {
      if (attribute.isStringAttribute() || attribute.isTypeAttribute()) continue;
      const llvm::Attribute::AttrKind kind = attribute.getKindAsEnum();
      if (before.getAttributeAtIndex(index, kind) == attribute) continue;
      InferredAttribute& added = inferred.emplace_back();
      added.index = index;
      added.kind = kind;
      if (attribute.isIntAttribute()) added.value = attribute.getValueAsInt();
      if (attribute.isConstantRangeAttribute()) {
        added.ranges = {attribute.getValueAsConstantRange()};
      } else if (attribute.isConstantRangeListAttribute()) {
        added.ranges = attribute.getValueAsConstantRangeList().vec();
      }
    }
  }
  return inferred;
}

llvm::AttributeList WithInferred(llvm::AttributeList attributes,
                                 const std::vector<InferredAttribute>& inferred,
                                 llvm::LLVMContext& context) {
  for (const InferredAttribute& added : inferred) {
    if (llvm::is_contained(kAccesses, added.kind)) {
      for (const llvm::Attribute::AttrKind other : kAccesses) {
        attributes = attributes.removeAttributeAtIndex(context, added.index, other);
      }
    }
    attributes = attributes.removeAttributeAtIndex(context, added.index, added.kind);
    attributes = attributes.addAttributeAtIndex(context, added.index, InContext(added, context));
  }
  return attributes;
}

}  // namespace firstcall
