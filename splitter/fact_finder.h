// Infers what a function's callees do and do not do, from their bodies, from the bottom of the call
// graph up, before the function is optimized: which memory they access, whether they throw or
// always return, what they return, what becomes of their arguments.
//
// The bodies are copied into a module of their own, where they are definitive, and LLVM infers
// there. Facts come from bodies as they were read: what an optimization has made of a body does
// less, and another body of the same function may still do more.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_FACT_FINDER_H_
#define FIRSTCALL_SPLITTER_FACT_FINDER_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/ids.h"
#include "llvm/IR/Function.h"
#include "seam/compile_questions.h"
#include "seam/symbol_index.h"
#include "splitter/body_reader.h"
#include "splitter/extract_options.h"
#include "splitter/function_facts.h"
#include "splitter/module_view.h"

namespace firstcall {

class FactFinder {
 public:
  // All must outlive the finder. `options.facts` and `options.infer` must be set.
  FactFinder(ModuleView& view, const SymbolIndex& index, const ExtractOptions& options,
             IsReplaced is_replaced);

  // Notes in `options.facts` what can be inferred of `function` and of those that it calls,
  // directly or not, the nearest first, as far as nothing is noted of them, and the allowance goes.
  // Reads their bodies. A body that cannot be read, or was changed in the view, has no facts; nor
  // has a function that another definition may replace. On some damaged bitcode, LLVM reports a
  // fatal error (see base/fatal_error_guard.h).
  void Find(SymbolOrdinal function);

 private:
  struct Body {
    llvm::Function* function;
    SymbolOrdinal ordinal;
  };

  bool MayBeInferred(const llvm::Function& function, SymbolOrdinal ordinal) const;
  bool AsksForTheThread(const llvm::Function& function) const;
  bool Add(Body body);
  void AddCalleesOf(llvm::Function& function);
  void Infer();
  FunctionFacts::Facts FactsOf(const Body& body, const llvm::Function& copy) const;

  ModuleView& view_;
  const SymbolIndex& index_;
  const ExtractOptions& options_;
  const IsReplaced is_replaced_;
  FunctionFacts& facts_;
  BodyReader reader_;
  std::vector<llvm::Function*> left_;  // Whose callees are looked at next.
  std::vector<Body> inferred_;         // The functions to infer from.
  absl::flat_hash_set<const llvm::Function*> seen_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_FACT_FINDER_H_
