// Whether a function's code works only in the function's own frame, so that no other body can go on
// in the middle of the function.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_DIRECT_OSR_FRAME_NEEDS_H_
#define FIRSTCALL_DIRECT_OSR_FRAME_NEEDS_H_

#include <cstdint>

#include "ir/function.h"

namespace firstcall::direct {

struct FrameNeeds {
  enum class Answer : uint8_t {
    kNo,
    kYes,
    kUnknown  // A call has operand bundles, whose operands are not in ir/.
  };
  Answer needs_its_frame = Answer::kNo;
  // Whether there are calls of intrinsics for debug information.
  bool has_debug_calls = false;
};

// Looks at each instruction, until one needs the frame.
FrameNeeds FindFrameNeeds(const ir::Function& function);

// Whether the instruction is a call of an intrinsic for debug information.
bool IsDebugCall(const ir::Function& function, const ir::Instruction& instruction);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_FRAME_NEEDS_H_
