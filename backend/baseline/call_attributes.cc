#include "backend/baseline/call_attributes.h"

#include <algorithm>
#include <cstdint>

namespace firstcall::baseline {
namespace {

using ir::Attribute;

}  // namespace

const ir::AttributeList* CalleeAttributes(const ir::Function& function,
                                          const ir::Instruction& call) {
  const ir::Global* callee = function.CalledFunctionOf(call);
  return callee == nullptr ? nullptr : callee->attributes();
}

bool HasSomewhere(const ir::Function& function, const ir::Instruction& call, Attribute attribute) {
  if (function.CallOf(call).attributes->HasAnywhere(attribute)) return true;
  const ir::AttributeList* of_callee = CalleeAttributes(function, call);
  return of_callee != nullptr && of_callee->HasAnywhere(attribute);
}

const ir::Global* NamedFunctionOf(const ir::Function& function, const ir::Instruction& call) {
  const ir::Global* callee = function.GlobalOf(function.CalleeOf(call));
  return callee != nullptr && callee->IsFunction() ? callee : nullptr;
}

bool ArgumentHas(const ir::Function& function, const ir::Instruction& call, unsigned index,
                 Attribute attribute) {
  if (function.CallOf(call).attributes->OfParameter(index).Has(attribute)) return true;
  const ir::AttributeList* of_callee = CalleeAttributes(function, call);
  return of_callee != nullptr && of_callee->OfParameter(index).Has(attribute);
}

bool MayPassByValue(const ir::Function& function, const ir::Instruction& call) {
  return HasSomewhere(function, call, Attribute::kByVal);
}

uint64_t ByValueAlignment(const ir::AttributeSet& attributes) {
  uint64_t alignment = attributes.stack_alignment;
  if (alignment == 0) alignment = attributes.alignment;
  if (alignment == 0) alignment = attributes.type->alignment;
  return std::max<uint64_t>(alignment, 8);
}

}  // namespace firstcall::baseline
