// Reads from IR how a function is called.
//
// Thread-compatible: hold the mutex of the symbol's view. Tested in tests/api/arguments_test.cc.

#ifndef FIRSTCALL_COMPILER_FUNCTION_SHAPE_READER_H_
#define FIRSTCALL_COMPILER_FUNCTION_SHAPE_READER_H_

#include "absl/status/statusor.h"
#include "foreign/function_shape.h"

namespace llvm {
class GlobalValue;
}  // namespace llvm

namespace firstcall {

// Reads a function, or an alias or an ifunc of one. InvalidArgument if `symbol` is none of these;
// Unimplemented, with the reason, if it cannot be called from C.
absl::StatusOr<FunctionShape> ReadFunctionShape(const llvm::GlobalValue& symbol);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_FUNCTION_SHAPE_READER_H_
