// Reads how a function is called from C, without LLVM.
//
// Thread-safe: a pure function. Tested in tests/direct/function_shape_reader_test.cc.

#ifndef FIRSTCALL_DIRECT_FUNCTION_SHAPE_READER_H_
#define FIRSTCALL_DIRECT_FUNCTION_SHAPE_READER_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "foreign/function_shape.h"
#include "ir/module.h"

namespace firstcall::direct {

// Reads the global number `global`: a function, or an alias or an ifunc of one. The same answer as
// that of compiler/function_shape_reader.h, but Unimplemented if the answer would have the name of
// a structure's type (`byval(%struct.S)`), which is not kept, or thousands of parts.
absl::StatusOr<FunctionShape> ReadFunctionShape(const ir::Module& module, uint32_t global);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_FUNCTION_SHAPE_READER_H_
