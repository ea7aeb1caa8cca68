// The attributes of a call: its own, and those of the function that it calls by name.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CALL_ATTRIBUTES_H_
#define FIRSTCALL_BACKEND_BASELINE_CALL_ATTRIBUTES_H_

#include <cstdint>

#include "ir/attributes.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

// The attributes of the function that is called by its name; null if there is no such function.
const ir::AttributeList* CalleeAttributes(const ir::Function& function,
                                          const ir::Instruction& call);

// The function whose address the call names, even if the call gives it another type than its own;
// null if there is none. The attributes of this function as a whole count for the call.
const ir::Global* NamedFunctionOf(const ir::Function& function, const ir::Instruction& call);

// Whether the call, or the function that it calls, has the attribute for an argument or a result.
bool HasSomewhere(const ir::Function& function, const ir::Instruction& call,
                  ir::Attribute attribute);

// Whether an argument may be passed by value. If false, ArgumentHas, which is slower, need not be
// asked for kByVal.
bool MayPassByValue(const ir::Function& function, const ir::Instruction& call);

// Whether argument number `index` of the call has the attribute: in the call itself, or in the
// parameters of the function that is called by its name.
bool ArgumentHas(const ir::Function& function, const ir::Instruction& call, unsigned index,
                 ir::Attribute attribute);

// The alignment, in bytes, of the memory that a parameter with these attributes passes by value.
// The attributes must have kByVal.
uint64_t ByValueAlignment(const ir::AttributeSet& attributes);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CALL_ATTRIBUTES_H_
