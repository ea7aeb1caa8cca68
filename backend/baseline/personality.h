// The personality routines of functions: the unwinder calls them for frames with an exception
// table.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_PERSONALITY_H_
#define FIRSTCALL_BACKEND_BASELINE_PERSONALITY_H_

#include "ir/function.h"
#include "ir/global.h"

namespace firstcall::baseline {

// The personality routine of `function`. Null if there is none, or none that has a name.
const ir::Global* PersonalityOf(const ir::Function& function);

// Whether the function has a personality routine that LLVM does not know. Such a routine must be
// called for each frame, even if the frame catches and cleans up nothing.
bool HasUnknownPersonality(const ir::Function& function);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_PERSONALITY_H_
