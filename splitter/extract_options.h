// What the user of ExtractFunction decides: before an extraction, and while it is in progress.
//
// Thread-compatible. Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_EXTRACT_OPTIONS_H_
#define FIRSTCALL_SPLITTER_EXTRACT_OPTIONS_H_

#include <cstddef>
#include <functional>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "llvm/IR/Function.h"
#include "seam/compile_questions.h"
#include "seam/optnone.h"
#include "splitter/body_kind.h"
#include "splitter/body_sizes.h"
#include "splitter/function_facts.h"
#include "splitter/simplified_bodies.h"

namespace firstcall {

// What is kept of the debug information that functions have.
enum class KeptDebugInfo {
  kAll,
  kLines,  // The lines of instructions, but neither variables nor types.
  kNone,
};

struct ExtractOptions {
  // The kind of body that is made of the requested function, and of the functions that are
  // extracted together with it.
  BodyKind body = PlainBody{};
  // Run LLVM's verifier on each body. Necessary unless ModuleSource::is_verified().
  bool verify = true;
  // Whether the attribute `optnone` is removed from functions when their bodies are read.
  OptNone optnone = OptNone::kAuto;
  // When a body is read, the rest is dropped (ReduceToLines, DropDebugInfo); and unless all is
  // kept, that of a group's variables, too. What was dropped is missing in the view afterwards.
  KeptDebugInfo debug_info = KeptDebugInfo::kAll;
  // `optnone` means for a function with debug information what it means for one without.
  bool optnone_ignores_debug_info = false;
  // Drop the metadata that only tells optimizations which memory accesses do not overlap. Such
  // metadata makes up much of optimized bitcode. If it is dropped, the verifier and -O0 code
  // generation need not read it.
  bool drop_alias_metadata = false;
  // Reach everything through the offset table, so the object may lie anywhere.
  bool is_far = false;
  // Include what the optimizer can inline: simplified bodies of callees that cannot be overridden,
  // `available_externally` or local, without debug information. The extracted functions also stay
  // in the view, for others to import, unless they are inseparable from something.
  bool import_callees = false;
  // If the requested function has debug information: the most of its callees that should join it.
  size_t callees_along = 0;
  // How many functions should join it, including these callees. If there are fewer callees,
  // functions behind the requested one in the module join, called or not.
  size_t companions = 0;
  // Fill in FunctionModule::callees.
  bool list_callees = false;
  // Leave the extracted functions in the view where possible, so that they can be extracted again.
  bool keep_in_view = false;
  // Copy the simplified body of the requested function, as if it was imported, unless the function
  // has loops: polls and OSR continuations are made from what was read.
  bool simplify_without_loops = false;
  // Return Unimplemented if the requested function has debug information. Then nothing is taken out
  // of the view.
  bool refuse_debug_info = false;
  // What is known of the source module's functions, for the declarations and copies of callees.
  // Null: nothing.
  FunctionFacts* facts = nullptr;
  // The sizes of the source module's functions, to know which ones are too large to be imported.
  // Null: nothing is known or noted.
  BodySizes* sizes = nullptr;
  // If this is not empty, what can be inferred of the requested function and its callees is added
  // to `facts` first (FactFinder). Called with a module of copies: has LLVM infer attributes of the
  // functions that the module defines, which hold for all bodies made from the same IR.
  std::function<void(llvm::Module&)> infer;
  // Called with the requested function in the function-module, where it may add code and split
  // edges. Before this call, the loops for polls or for the OSR entry are found; so they are the
  // loops of the function as it was read. May be empty.
  std::function<void(llvm::Function&)> annotate;
  // The functions of the module that indirect calls of a function are likely to call, and should be
  // guarded for: these are imported as if they were called directly. May be empty.
  std::function<absl::Span<const SymbolOrdinal>(SymbolOrdinal caller)> likely_targets;
};

// What the engine decides during an extraction.
struct ExtractDecisions {
  IsReplaced is_replaced;
  MayJoin may_join;
  IsWarm is_warm;
  Simplify simplify;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_EXTRACT_OPTIONS_H_
