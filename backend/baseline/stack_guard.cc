#include "backend/baseline/stack_guard.h"

#include "backend/baseline/argument_places.h"
#include "backend/baseline/calls.h"
#include "backend/baseline/function_code.h"

namespace firstcall::baseline {
namespace {

constexpr int32_t kGuardBytes = 8;
// The bytes below the frame pointer that hold the second guard.
constexpr int32_t kInnerBytes = 16;

Mem OuterGuard(const FunctionCode& code) {
  return code.frame.OuterIsIncoming() ? code.frame.Incoming(code.guard.place)
                                      : code.frame.At(code.guard.place);
}

Mem InnerGuard(const FunctionCode& code) {
  return Mem::At(code.architecture.frame_pointer, -kGuardBytes);
}

}  // namespace

void ReserveGuard(FunctionCode& code) {
  code.guard = StackGuard();
  code.guard.place = code.frame.AllocateOuter(kGuardBytes, kGuardBytes);
  code.guard.is_doubled = code.frame.OuterIsIncoming() && code.facts.has_dynamic_alloca;
  // Calls in a function with dynamic allocas put no arguments there.
  if (code.guard.is_doubled) code.frame.NeedOutgoing(kInnerBytes);
}

void StoreGuard(FunctionCode& code) {
  code.native.frame.StoreGuard(code, OuterGuard(code));
  if (code.guard.is_doubled) code.native.frame.StoreGuard(code, InnerGuard(code));
}

void EmitGuardCheck(FunctionCode& code) {
  if (code.guard.failure_label == kNone) code.guard.failure_label = code.labels.New();
  code.native.frame.CompareGuard(code, OuterGuard(code));
  code.assembler.Jcc(Cond::kNe, code.guard.failure_label);
  if (!code.guard.is_doubled) return;
  code.native.frame.CompareGuard(code, InnerGuard(code));
  code.assembler.Jcc(Cond::kNe, code.guard.failure_label);
}

void EmitGuardFailure(FunctionCode& code) {
  if (code.guard.failure_label == kNone) return;
  code.labels.Bind(code.guard.failure_label);
  Callee callee;
  callee.library_function = "__stack_chk_fail";
  EmitCall(code, callee, ArgumentPlaces(code.architecture.convention));
  code.assembler.Trap();
}

}  // namespace firstcall::baseline
