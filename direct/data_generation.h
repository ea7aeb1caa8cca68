// Makes the object of a source module's data without LLVM.
//
// Thread-compatible. Tested in tests/direct/direct_compiler_test.cc.

#ifndef FIRSTCALL_DIRECT_DATA_GENERATION_H_
#define FIRSTCALL_DIRECT_DATA_GENERATION_H_

#include "absl/status/statusor.h"
#include "direct/compile_context.h"
#include "direct/source_module.h"
#include "seam/compiler.h"

namespace firstcall::direct {

// Errors: as ChooseData; Unimplemented, with the reason, for what the code generator does not
// cover.
absl::StatusOr<CompiledObject> GenerateData(const DataOrder& order, const ReadModule& module,
                                            CompileContext& context);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_DATA_GENERATION_H_
