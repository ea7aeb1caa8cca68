#include "backend/baseline/refusal.h"

namespace firstcall::baseline {

absl::string_view RefusalName(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone:
      return "none";
    case Refusal::kFunctionAttribute:
      return "function attribute";
    case Refusal::kCallingConvention:
      return "calling convention";
    case Refusal::kDebugInformation:
      return "debug information";
    case Refusal::kType:
      return "type";
    case Refusal::kConstant:
      return "constant expression";
    case Refusal::kInlineAssembly:
      return "inline assembly";
    case Refusal::kMustTail:
      return "musttail";
    case Refusal::kOperandBundle:
      return "operand bundle";
    case Refusal::kReturnsTwice:
      return "returns twice";
    case Refusal::kArgumentPassing:
      return "argument passing";
    case Refusal::kIntrinsic:
      return "intrinsic";
    case Refusal::kInstruction:
      return "instruction";
    case Refusal::kAtomic:
      return "atomic operation";
    case Refusal::kVector:
      return "vector operation";
    case Refusal::kAggregate:
      return "aggregate";
    case Refusal::kBlockAddress:
      return "block address";
    case Refusal::kException:
      return "exception handling";
    case Refusal::kSize:
      return "size";
    case Refusal::kVariable:
      return "variable beside the function";
    case Refusal::kAlias:
      return "alias";
    case Refusal::kRegisters:
      return "too few registers";
    case Refusal::kReach:
      return "length of the code";
    case Refusal::kRepresentation:
      return "what firstcall's own representation lacks";
    case Refusal::kCount:
      break;
  }
  return "unknown";
}

}  // namespace firstcall::baseline
