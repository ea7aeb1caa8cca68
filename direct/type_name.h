// Types as LLVM assembly writes them.
//
// Thread-safe: a pure function. Tested in tests/direct/function_shape_reader_test.cc.

#ifndef FIRSTCALL_DIRECT_TYPE_NAME_H_
#define FIRSTCALL_DIRECT_TYPE_NAME_H_

#include <optional>
#include <string>

#include "ir/type.h"

namespace firstcall::direct {

// Such as "i32" or "<2 x float>". Nothing if a name is needed that is not kept: that of a structure
// with a name of its own, or of a type of the target.
std::optional<std::string> TypeName(const ir::Type& type);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_TYPE_NAME_H_
