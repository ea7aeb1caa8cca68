// Moves what was chosen from a view into a function-module: bodies, imports, the variables of a
// group, and everything that these refer to. Bodies are spliced, not cloned, unless the view has to
// keep them.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_BODY_MOVER_H_
#define FIRSTCALL_SPLITTER_BODY_MOVER_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "seam/compile_questions.h"
#include "seam/symbol_index.h"
#include "splitter/extract_options.h"
#include "splitter/function_choice.h"
#include "splitter/module_view.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace firstcall {

struct MovedBodies {
  // For each of FunctionChoice::functions, in the same order; then the imports.
  std::vector<llvm::Function*> bodies;
  // Whether a body has inline assembly, which may name any symbol.
  bool has_inline_assembly = false;
  // Of how many functions that are named, facts were used, and the functions whose bodies these
  // facts rest on.
  size_t facts = 0;
  std::vector<SymbolOrdinal> grounds;
};

// Moves `choice`, which has no leader, into `target`, an empty module in the view's context. Error:
// that of ReferenceMapper::status, with the name of the first function. After an error, what was
// moved is no longer in the view.
absl::StatusOr<MovedBodies> MoveBodies(ModuleView& view, const SymbolIndex& index,
                                       const FunctionChoice& choice, const ExtractOptions& options,
                                       IsReplaced is_replaced, llvm::Module& target);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_BODY_MOVER_H_
