// Chooses what goes into a function-module: the requested function, what is inseparable from it,
// the functions that it is bound to call, and the callees to import. Everything stays in the view;
// its bodies are read, and those to import are simplified.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_FUNCTION_CHOICE_H_
#define FIRSTCALL_SPLITTER_FUNCTION_CHOICE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "seam/symbol_index.h"
#include "splitter/address_escape.h"
#include "splitter/callee_importer.h"
#include "splitter/extract_options.h"
#include "splitter/module_view.h"

namespace llvm {
class Function;
class GlobalVariable;
}  // namespace llvm

namespace firstcall {

struct FunctionChoice {
  struct ChosenFunction {
    llvm::Function* original;
    SymbolOrdinal ordinal;
    // What is moved or copied: the function itself, or its simplified body, which is copied.
    llvm::Function* body;
  };
  struct ChosenVariable {
    llvm::GlobalVariable* original;
    SymbolOrdinal ordinal;
  };

  // Whether functions[i] can only be compiled together with others and so cannot be replaced alone.
  bool IsInseparable(size_t i) const { return inseparable > 1 && i < inseparable; }

  // If this is set, the other members must not be used: see FunctionModule::leader.
  std::optional<SymbolOrdinal> leader;
  // First the requested function with those that are inseparable from it, then those that joined.
  std::vector<ChosenFunction> functions;
  size_t inseparable = 0;  // How many of `functions` are inseparable.
  // The variables of the group.
  std::vector<ChosenVariable> variables;
  // See FunctionModule::callees.
  std::vector<SymbolOrdinal> callees;
  // See FunctionModule::sources.
  std::vector<SymbolOrdinal> sources;
  // Empty unless callees are imported.
  Imports imports;
  // The constants whose addresses escape from what was chosen.
  Variables shared;
};

// Chooses for `function`, which must be a definition. `options` and `decisions` are those of
// ExtractFunction. Errors: as BodyReader::Read; Unimplemented if something cannot be split.
// After an error, the caller has to release the functions that `may_join` has accepted.
absl::StatusOr<FunctionChoice> ChooseFunctions(ModuleView& view, const SymbolIndex& index,
                                               SymbolOrdinal function,
                                               const ExtractOptions& options,
                                               const ExtractDecisions& decisions);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_FUNCTION_CHOICE_H_
