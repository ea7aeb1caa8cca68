// Whether functions are valid IR.
//
// Thread-compatible: a pure function of what it is given.

#ifndef FIRSTCALL_SPLITTER_FUNCTION_VERIFIER_H_
#define FIRSTCALL_SPLITTER_FUNCTION_VERIFIER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "llvm/IR/Function.h"

namespace firstcall {

// If `function`, whose body is in memory, is not valid IR: InvalidArgument, with the verifier's
// reason and with `name`, the function's name for messages.
absl::Status VerifyFunction(const llvm::Function& function, absl::string_view name);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_FUNCTION_VERIFIER_H_
