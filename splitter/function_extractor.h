// Moves one function (or one inseparable group, or one with the small functions it is bound to
// call) out of a view into a function-module of its own, at a cost in proportion to what is moved:
// bodies are spliced, not cloned, and only what they name is declared.
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
#include "llvm/IR/Module.h"
#include "splitter/heat_signs.h"
#include "splitter/module_view.h"
#include "splitter/symbol_index.h"

namespace firstcall {

inline constexpr int64_t kUnlimitedPolls = INT64_MAX / 2;
inline constexpr int64_t kInstructionsPerPoll = 128;

struct ExtractOptions {
  // Ask LLVM's verifier about each body. Needed unless ModuleSource::is_verified().
  bool verify = true;
  // Leave out what only tells optimizations which memory accesses do not overlap. It makes up much
  // of optimized bitcode, and neither the verifier nor -O0 code generation has to look at it then.
  bool drop_alias_metadata = false;
  // Refer to everything through the offset table, because it may be out of reach of a distance.
  bool is_far = false;
  // Bring along what the optimizer can inline: simplified bodies of callees that nothing may
  // replace, `available_externally` or local, and without debug information. What is extracted
  // stays in the view as well, for others to import, unless it is inseparable from something.
  bool import_callees = false;
  // Tell FunctionModule::callees.
  bool list_callees = false;
  // Leave what is extracted in the view, as far as that can be done, to be extracted again.
  bool keep_in_view = false;
  // The functions are first bodies, for which better ones may come: where that is possible they
  // poll at their loops (see heat_polls.h), as far as `poll_allowance` goes.
  bool is_first_body = false;
  // In instructions: polls at loops that would take more are left out. A body with loops is allowed
  // one for each kInstructionsPerPoll of its own besides.
  int64_t poll_allowance = kUnlimitedPolls;
  // With is_first_body: poll at the beginning, too.
  bool asks_when_called = false;
  // The function is a better body: Unimplemented if there can be none.
  bool is_better_body = false;
  // In place of the function make its continuation at this one of its LoopEntries.
  std::optional<uint32_t> loop;
};

// Asked whether a function that is bound to be called may be compiled along; if so, the caller has
// taken on to publish it.
using MayJoin = absl::FunctionRef<bool(SymbolOrdinal)>;

// Asked whether a definition that is called is called often, as far as is known: if not, its body
// is imported only if it is very small, or must always be inlined.
using IsWarm = absl::FunctionRef<bool(SymbolOrdinal)>;

// Makes a body that will be imported smaller, in its place in the view and within the function.
using Simplify = absl::FunctionRef<void(llvm::Function&)>;

// What the engine decides while a function is extracted.
struct ExtractDecisions {
  IsReplaced is_replaced;
  MayJoin may_join;
  IsWarm is_warm;
  Simplify simplify;
};

struct FunctionModule {
  std::unique_ptr<llvm::Module> module;
  // The functions it defines, each under its Symbol::name: first the one that was asked for with
  // its group, then those that joined.
  std::vector<SymbolOrdinal> functions;
  // The variables of the group.
  std::vector<SymbolOrdinal> variables;
  // Other functions of the source module that the first one calls, the likeliest first.
  std::vector<SymbolOrdinal> callees;
  // Of each of the functions; empty unless they are first bodies.
  std::vector<HeatSigns> heat_signs;
  // Whether a body has inline assembly, which may name any symbol.
  bool has_inline_assembly = false;
  // What their polls are allowed for their instructions, less what they take.
  int64_t poll_balance = 0;
  // Set instead of all the above: the function can only be compiled together with this one, which
  // is to be extracted in its place and brings it along. (Where a body refers to a block of another
  // function, the index of lazily read bitcode does not know of it.)
  std::optional<SymbolOrdinal> leader;
};

// The function-module of `function`, which must be a definition whose body has not been moved out
// of this view before. It lives in the view's context. Small functions that `function` is bound to
// call join it if `decisions` let them, because making a function-module costs more than a small
// function does. InvalidArgument, naming the function, if its bitcode is damaged or not valid IR;
// Unimplemented if it holds what cannot be split, or shall be a better body and cannot; NotFound if
// it has no such loop, FailedPrecondition if its body in this view cannot tell, because it was
// simplified to be imported. None has joined then.
absl::StatusOr<FunctionModule> ExtractFunction(ModuleView& view, const SymbolIndex& index,
                                               SymbolOrdinal function,
                                               const ExtractOptions& options,
                                               const ExtractDecisions& decisions);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_FUNCTION_EXTRACTOR_H_
