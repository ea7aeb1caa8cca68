// Chooses what goes into a function-module: the requested function, and the functions that should
// be compiled together with it. The choice is that of splitter/function_choice for a first body,
// among what can be compiled without LLVM.
//
// Thread-compatible. Tested in tests/direct/function_choice_test.cc.

#ifndef FIRSTCALL_DIRECT_FUNCTION_CHOICE_H_
#define FIRSTCALL_DIRECT_FUNCTION_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ids.h"
#include "direct/compile_context.h"
#include "direct/source_module.h"
#include "seam/compiler.h"

namespace firstcall::direct {

struct FunctionChoice {
  struct ChosenFunction {
    uint32_t global;  // Its number in the source module.
    SymbolOrdinal ordinal;
  };
  struct ChosenVariable {
    uint32_t global;
    SymbolOrdinal ordinal;
  };

  // First the requested function, then those that joined. The body of functions[i] is
  // CompileContext::Body(i), with the numbers of the source module.
  std::vector<ChosenFunction> functions;
  // Those that are inseparable from the requested function: they hold addresses of its blocks. Then
  // no function joins.
  std::vector<ChosenVariable> variables;
  // See CompiledFunction::callees.
  std::vector<SymbolOrdinal> callees;
};

// Chooses for `order`. Errors: as FunctionReader::Read; Unimplemented, with the reason, for what
// only LLVM compiles. After an error, the functions that `may_join` has accepted are in no object.
absl::StatusOr<FunctionChoice> ChooseFunctions(const FunctionOrder& order,
                                               const std::shared_ptr<const ReadModule>& module,
                                               CompileContext& context);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_FUNCTION_CHOICE_H_
