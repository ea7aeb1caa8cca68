#include "splitter/fact_use.h"

#include <optional>

namespace firstcall {

llvm::AttributeList FactUse::AddTo(llvm::AttributeList attributes, const llvm::Function& original) {
  if (facts_ == nullptr) return attributes;
  const std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(original);
  const FunctionFacts::Facts* facts = ordinal ? facts_->Find(*ordinal) : nullptr;
  if (facts == nullptr || facts->inferred.empty()) return attributes;
  if (used_.insert(*ordinal).second) {
    facts_->VisitGrounds(*ordinal, [this](SymbolOrdinal ground) { NoteGround(ground); });
  }
  return WithInferred(attributes, facts->inferred, original.getContext());
}

void FactUse::NoteGround(SymbolOrdinal ground) {
  if (!grounds_.insert(ground).second) return;
  // What a weak definition means is decided once: the answer is that of the inference.
  if (index_.at(ground).is_weak) (void)is_replaced_(ground);
}

}  // namespace firstcall
