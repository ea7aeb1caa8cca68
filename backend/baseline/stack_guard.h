// The guard in the frames of protected functions (stack_protection.h): where it is, and the code
// that stores and checks it.
//
// The guard is the outermost place of the frame, so that an overflow of a variable changes the
// guard before it gets to the caller's frame. If the frame grows up (FrameStyle), dynamic allocas
// are on the other side of the saved frame pointer and return address; so a function that has any
// has a second guard between them.
//
// Thread-compatible: the functions use nothing but their arguments. Tested in
// tests/backend/baseline/stack_protection_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_STACK_GUARD_H_
#define FIRSTCALL_BACKEND_BASELINE_STACK_GUARD_H_

#include <cstdint>

#include "backend/baseline/block_order.h"

namespace firstcall::baseline {

struct FunctionCode;

struct StackGuard {
  int32_t place = 0;               // As Frame::AllocateOuter returns it.
  bool is_doubled = false;         // There is a second guard, just below the frame pointer.
  uint32_t failure_label = kNone;  // kNone if nothing has checked the guard yet.
};

// For functions whose facts have `has_guard`:
// Reserves the guard's place. Must be called before any other place is allocated.
void ReserveGuard(FunctionCode& code);
// Called at the beginning of the body.
void StoreGuard(FunctionCode& code);
// Emits a check: if the guard has changed, the program ends.
void EmitGuardCheck(FunctionCode& code);
// Emits where a failed check goes. Called behind the last instruction.
void EmitGuardFailure(FunctionCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_STACK_GUARD_H_
