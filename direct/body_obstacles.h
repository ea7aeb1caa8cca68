// What a body must not have if it is to be compiled without LLVM: what LLVM would change when the
// body is read (splitter/body_reader.h), and what ties the body to other functions. What the code
// generator does not cover, it refuses itself.
//
// Thread-safe: pure functions. Tested in tests/direct/body_obstacles_test.cc.

#ifndef FIRSTCALL_DIRECT_BODY_OBSTACLES_H_
#define FIRSTCALL_DIRECT_BODY_OBSTACLES_H_

#include "ir/function.h"
#include "ir/global.h"

namespace firstcall::direct {

// A few words for the first obstacle that attributes of `function` are; null if there is none.
const char* ObstacleInAttributes(const ir::Global& function);

// The same for what is in the body of `function`, with its attributes.
const char* ObstacleIn(const ir::Function& function);

// Whether a call of `function` must be inlined.
bool MustBeInlined(const ir::Global& function);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_BODY_OBSTACLES_H_
