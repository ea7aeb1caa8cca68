#include "backend/baseline/tail_call_coverage.h"

#include <cstdint>

#include "backend/baseline/call_attributes.h"
#include "ir/attributes.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::baseline {

using ir::Attribute;

bool IsCoveredTailCall(const ir::Function& function, const ir::Instruction& call) {
  const ir::Call& properties = function.CallOf(call);
  const ir::Type& own = *function.global().value_type();
  const ir::Type& other = *properties.function_type;
  const ir::Instruction& behind = (&call)[1];
  if (call.opcode != ir::Opcode::kCall || behind.opcode != ir::Opcode::kRet ||
      properties.convention != function.global().convention() ||
      own.is_variadic != other.is_variadic || own.contained != other.contained ||
      properties.argument_count != function.argument_count()) {
    return false;
  }
  for (uint32_t i = 0; i < properties.argument_count; ++i) {
    const ir::AttributeSet& parameter = function.attributes().OfParameter(i);
    for (Attribute attribute : {Attribute::kByVal, Attribute::kSwiftError, Attribute::kSwiftSelf}) {
      if (parameter.Has(attribute) || ArgumentHas(function, call, i, attribute)) return false;
    }
    if (parameter.Has(Attribute::kStructRet) !=
        ArgumentHas(function, call, i, Attribute::kStructRet)) {
      return false;
    }
  }
  // The jump is an indirect one, which may only lead to a landing mark.
  const bool is_protected = function.module().FlagOf("cf-protection-branch") != 0 ||
                            function.attributes().function.HasString("branch-target-enforcement");
  if (is_protected && function.CalleeOf(call).IsConstant()) return false;
  // These registers would be cleared with arguments in them.
  return !function.attributes().function.HasString("zero-call-used-regs");
}

}  // namespace firstcall::baseline
