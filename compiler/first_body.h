// Extracts a function as it was extracted for its first body, so that the baseline code generator,
// which is deterministic, makes the same code of it once more, and tells what it knows of the code
// (backend/baseline/code_map.h).
//
// Thread-compatible: hold the view's mutex until the module is destroyed. Tested in
// tests/debugger/attach_test.cc and tests/api/loops_test.cc.

#ifndef FIRSTCALL_COMPILER_FIRST_BODY_H_
#define FIRSTCALL_COMPILER_FIRST_BODY_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "compiler/compile_context.h"
#include "compiler/loaded_module.h"
#include "llvm/IR/Module.h"
#include "seam/compile_questions.h"
#include "splitter/extract_options.h"
#include "splitter/module_view.h"

namespace firstcall {

struct FirstBodyOrder {
  IsReplaced is_replaced;
  bool is_far = false;
  // Set if another body may replace the first one: whether it polls when it is called.
  std::optional<bool> asks_when_called;
  // What the function keeps of its debug information. Unset: what it had in its first compile.
  std::optional<KeptDebugInfo> debug_info;
};

// A function-module in the view's context with `function` alone, under its Symbol::name. `view` is
// the module's, in `context`, and keeps the function. Unimplemented if the function is inseparable
// from others; NotFound if its module has to be lowered first, so that it has other loops;
// otherwise errors as ExtractFunction.
absl::StatusOr<std::unique_ptr<llvm::Module>> ExtractFirstBody(ModuleView& view,
                                                               LoadedModule& module,
                                                               SymbolOrdinal function,
                                                               const FirstBodyOrder& order,
                                                               const CompileContext& context);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_FIRST_BODY_H_
