// The facts (FunctionFacts) that one extraction gives to the callees in a function-module, and what
// these facts rest on.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/fact_finder_test.cc.

#ifndef FIRSTCALL_SPLITTER_FACT_USE_H_
#define FIRSTCALL_SPLITTER_FACT_USE_H_

#include <cstddef>
#include <vector>

#include "absl/container/btree_set.h"
#include "base/ids.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Function.h"
#include "seam/compile_questions.h"
#include "seam/symbol_index.h"
#include "splitter/function_facts.h"
#include "splitter/module_view.h"

namespace firstcall {

class FactUse {
 public:
  // All must outlive this object. `facts` may be null: then nothing is known.
  FactUse(const FunctionFacts* facts, const ModuleView& view, const SymbolIndex& index,
          IsReplaced is_replaced)
      : facts_(facts), view_(view), index_(index), is_replaced_(is_replaced) {}

  // Adds to `attributes` what is known of `original`, a function of the view. Asks whether the weak
  // definitions are replaced that the facts rest on, so that a cache notes the answers.
  llvm::AttributeList AddTo(llvm::AttributeList attributes, const llvm::Function& original);

  // Of how many functions facts were added.
  size_t count() const { return used_.size(); }

  // The functions from whose bodies these facts were inferred, in ascending order.
  std::vector<SymbolOrdinal> grounds() const { return {grounds_.begin(), grounds_.end()}; }

 private:
  void NoteGround(SymbolOrdinal ground);

  const FunctionFacts* const facts_;
  const ModuleView& view_;
  const SymbolIndex& index_;
  const IsReplaced is_replaced_;
  absl::btree_set<SymbolOrdinal> used_;
  absl::btree_set<SymbolOrdinal> grounds_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_FACT_USE_H_
