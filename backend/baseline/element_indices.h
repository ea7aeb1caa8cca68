// The indices of a getelementptr: each selects a member of a structure, or counts elements.
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_ELEMENT_INDICES_H_
#define FIRSTCALL_BACKEND_BASELINE_ELEMENT_INDICES_H_

#include <cstdint>

#include "ir/constant.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::baseline {

// For each index of `element`, a getelementptr that is covered, calls `on_member(offset)` or
// `on_elements(index, stride)`. The address is the base, plus each offset, plus each index times
// its stride. All are in bytes.
template <typename OnMember, typename OnElements>
void ForEachIndex(const ir::Function& function, const ir::Instruction& element,
                  const OnMember& on_member, const OnElements& on_elements) {
  const ir::Type* type = element.source_type;
  for (unsigned i = 1; i < element.operand_count; ++i) {
    const ir::Operand index = function.OperandOf(element, i);
    if (i == 1) {  // Counts elements of the indexed type.
      on_elements(index, type->alloc_size);
    } else if (type->IsStruct()) {
      const uint64_t member = function.constant(index).unsigned_bits();
      on_member(type->offsets[member]);
      type = type->members()[member];
    } else {
      on_elements(index, type->element_stride());
      type = type->element();
    }
  }
}

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_ELEMENT_INDICES_H_
