// Moves one function out of a view into a function-module of its own, possibly with the rest of its
// inseparable group or with small functions that it is bound to call. The cost is proportional to
// what is moved: bodies are spliced, not cloned, and only what they name is declared.
//
// An extraction has three steps: function_choice.h chooses what goes into the function-module,
// body_mover.h moves it, and body_instrumentation.h adds polls or makes an OSR continuation.
//
// Thread-compatible: hold the view's mutex until the function-module is destroyed.

#ifndef FIRSTCALL_SPLITTER_FUNCTION_EXTRACTOR_H_
#define FIRSTCALL_SPLITTER_FUNCTION_EXTRACTOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "llvm/IR/Module.h"
#include "seam/hotness_signs.h"
#include "seam/symbol_index.h"
#include "splitter/extract_options.h"
#include "splitter/ir_polls.h"
#include "splitter/module_view.h"

namespace firstcall {

struct FunctionModule {
  std::unique_ptr<llvm::Module> module;
  // The functions that the module defines, each under its Symbol::name: first the requested one
  // with its group, then those that joined.
  std::vector<SymbolOrdinal> functions;
  // The variables of the group.
  std::vector<SymbolOrdinal> variables;
  // The functions whose bodies are in the module, be it under their own names, inlined, or for the
  // optimizer, and those whose bodies say what is known of callees. Sorted.
  std::vector<SymbolOrdinal> sources;
  // How many bodies of other functions are in the module.
  size_t imported = 0;
  // Of how many functions that the module names, facts are used (FunctionFacts).
  size_t facts = 0;
  // Other functions of the source module that the first one calls, the likeliest first.
  std::vector<SymbolOrdinal> callees;
  // For each of the functions; empty unless ExtractOptions::body is a ReplaceableBody.
  std::vector<HotnessSigns> hotness_signs;
  // The labels that inline assembly of the functions is likely to define.
  std::vector<std::string> labels;
  // Whether a body has inline assembly, which may name any symbol.
  bool has_inline_assembly = false;
  // The instructions that the functions' own size allows for polls, less those that polls use.
  int64_t poll_balance = 0;
  // If this is set, all other members are empty: the function can only be compiled together with
  // its leader, and the caller must extract the leader instead, which includes the function. (The
  // index of lazily read bitcode does not know whether a body refers to a block of another
  // function.)
  std::optional<SymbolOrdinal> leader;
  // With ReplaceableBody::polls_in_code: has to write the polls if LLVM compiles the module. Then
  // what it returns replaces hotness_signs and poll_balance.
  std::optional<IrPolls> ir_polls;
};

// Extracts `function`, which must be a definition whose body was not moved out of this view before.
// The function-module lives in the view's context. If `decisions` permit, small functions that
// `function` is bound to call join it, because making a function-module costs more than a small
// function does. Errors: InvalidArgument, with the function's name, if its bitcode is damaged or
// not valid IR; Unimplemented if it contains something that cannot be split, or if an optimized
// body is asked for and the function's first body cannot be replaced; NotFound if the function has
// no loop with the number of the OSR continuation that is asked for; FailedPrecondition if its
// loops are unknown because its body in this view was simplified in order to be imported. After an
// error, the functions that `may_join` has accepted are not in any module, and the caller has to
// release them.
absl::StatusOr<FunctionModule> ExtractFunction(ModuleView& view, const SymbolIndex& index,
                                               SymbolOrdinal function,
                                               const ExtractOptions& options,
                                               const ExtractDecisions& decisions);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_FUNCTION_EXTRACTOR_H_
