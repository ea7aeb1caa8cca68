// Moves one function out of a view into a function-module of its own, possibly with the rest of its
// inseparable group or with small functions that it is bound to call. The cost is proportional to
// what is moved: bodies are spliced, not cloned, and only what they name is declared.
//
// Thread-compatible: hold the view's mutex until the function-module is destroyed.

#ifndef FIRSTCALL_SPLITTER_FUNCTION_EXTRACTOR_H_
#define FIRSTCALL_SPLITTER_FUNCTION_EXTRACTOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/ids.h"
#include "code/compile_questions.h"
#include "code/heat_signs.h"
#include "code/poll_allowance.h"
#include "code/symbol_index.h"
#include "llvm/IR/Module.h"
#include "splitter/module_view.h"

namespace firstcall {

struct ExtractOptions {
  // Run LLVM's verifier on each body. Necessary unless ModuleSource::is_verified().
  bool verify = true;
  // Drop the metadata that only tells optimizations which memory accesses do not overlap. It makes
  // up much of optimized bitcode, and then neither the verifier nor -O0 code generation reads it.
  bool drop_alias_metadata = false;
  // Reach everything through the offset table, so the object may lie anywhere.
  bool is_far = false;
  // Include what the optimizer can inline: simplified bodies of callees that cannot be overridden,
  // `available_externally` or local, without debug information. The extracted functions also stay
  // in the view, for others to import, unless they are inseparable from something.
  bool import_callees = false;
  // Fill in FunctionModule::callees.
  bool list_callees = false;
  // Leave the extracted functions in the view where possible, so that they can be extracted again.
  bool keep_in_view = false;
  // The functions are first bodies, which optimized bodies may replace. Where possible they poll at
  // their loops (see heat_polls.h), within `poll_allowance`.
  bool is_first_body = false;
  // In instructions. Polls at loops that would exceed it are left out. A body with loops may use
  // one more for each kInstructionsPerPoll instructions of its own.
  int64_t poll_allowance = kUnlimitedPolls;
  // With is_first_body: poll at the beginning, too.
  bool asks_when_called = false;
  // The function is an optimized body: Unimplemented if its first body cannot be replaced.
  bool is_better_body = false;
  // Make, instead of the function, its OSR continuation at this one of its LoopEntries.
  std::optional<uint32_t> loop;
};

// Simplifies a body that will be imported, in place in the view, without inlining anything.
using Simplify = absl::FunctionRef<void(llvm::Function&)>;

// What the engine decides during an extraction.
struct ExtractDecisions {
  IsReplaced is_replaced;
  MayJoin may_join;
  IsWarm is_warm;
  Simplify simplify;
};

struct FunctionModule {
  std::unique_ptr<llvm::Module> module;
  // The functions that the module defines, each under its Symbol::name: first the requested one
  // with its group, then those that joined.
  std::vector<SymbolOrdinal> functions;
  // The variables of the group.
  std::vector<SymbolOrdinal> variables;
  // Other functions of the source module that the first one calls, the likeliest first.
  std::vector<SymbolOrdinal> callees;
  // For each of the functions; empty unless they are first bodies.
  std::vector<HeatSigns> heat_signs;
  // Whether a body has inline assembly, which may name any symbol.
  bool has_inline_assembly = false;
  // The instructions that the functions' own size allows for polls, less those that polls use.
  int64_t poll_balance = 0;
  // If this is set, nothing else is: the function can only be compiled together with this one,
  // which the caller must extract instead, and which includes the function. (If a body refers to a
  // block of another function, the index of lazily read bitcode does not know that.)
  std::optional<SymbolOrdinal> leader;
};

// Extracts `function`, which must be a definition whose body was not moved out of this view before.
// The function-module lives in the view's context. If `decisions` permit, small functions that
// `function` is bound to call join it, because making a function-module costs more than a small
// function does. Errors: InvalidArgument, with the function's name, if its bitcode is damaged or
// not valid IR; Unimplemented if it contains something that cannot be split, or shall be an
// optimized body and cannot; NotFound if it has no such loop; FailedPrecondition if that is unknown
// because its body in this view was simplified in order to be imported. After an error, the
// functions that `may_join` has accepted are not in any module, and the caller has to release them.
absl::StatusOr<FunctionModule> ExtractFunction(ModuleView& view, const SymbolIndex& index,
                                               SymbolOrdinal function,
                                               const ExtractOptions& options,
                                               const ExtractDecisions& decisions);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_FUNCTION_EXTRACTOR_H_
