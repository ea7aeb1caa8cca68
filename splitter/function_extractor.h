// Moves one function (or one inseparable group) out of a view into a function-module of its own, at
// a cost in proportion to the function: its body is spliced, not cloned, and only what it names is
// declared.
//
// Thread-compatible: hold the view's mutex until the function-module is destroyed.

#ifndef FIRSTCALL_SPLITTER_FUNCTION_EXTRACTOR_H_
#define FIRSTCALL_SPLITTER_FUNCTION_EXTRACTOR_H_

#include <memory>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "llvm/IR/Module.h"
#include "splitter/module_view.h"
#include "splitter/symbol_index.h"

namespace firstcall {

struct ExtractOptions {
  // Ask LLVM's verifier about each body. Needed unless ModuleSource::is_verified().
  bool verify = true;
  // Leave out what only tells optimizations which memory accesses do not overlap. It makes up much of
  // optimized bitcode, and neither the verifier nor -O0 code generation has to look at it then.
  bool drop_alias_metadata = false;
};

// The function-module of `function`, which must be a definition whose body has not been moved out of
// this view before. It lives in the view's context and defines each function of the group under
// Symbol::name. InvalidArgument, naming the function, if its bitcode is damaged or not valid IR; the
// body is lost then. Unimplemented if it holds what cannot be split.
absl::StatusOr<std::unique_ptr<llvm::Module>> ExtractFunction(ModuleView& view,
                                                              const SymbolIndex& index,
                                                              SymbolOrdinal function,
                                                              const ExtractOptions& options);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_FUNCTION_EXTRACTOR_H_
