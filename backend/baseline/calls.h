// Calls. What survives a call is stored before it; then all arguments are moved at once.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CALLS_H_
#define FIRSTCALL_BACKEND_BASELINE_CALLS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "backend/baseline/argument_places.h"
#include "backend/baseline/parallel_moves.h"
#include "backend/baseline/value_parts.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionCode;

struct Callee {
  const ir::Global* global = nullptr;
  const char* library_function = nullptr;
  ir::Operand pointer;  // Nothing, if one of the others is set.
  bool is_variadic = false;
};

// The extent of the call instruction in the code.
struct CallExtent {
  uint32_t begin, end;
};

CallExtent LowerCall(FunctionCode& code, const ir::Instruction& call);
// A call of inline assembly without text.
void LowerEmptyAssembly(FunctionCode& code, const ir::Instruction& call);
// Calls a function of the C library or of the compiler's library with operands of an instruction.
// With `test`, the function returns an int, and the result is whether this relates to zero so.
void CallLibrary(FunctionCode& code, const char* name, const ir::Instruction& result,
                 std::initializer_list<ir::Operand> arguments,
                 std::optional<Cond> test = std::nullopt);

// The move of a part of an argument of the call, extended as the call says; without its
// destination. `list`: the parts of the argument.
Move MoveOfArgument(FunctionCode& code, const ir::Instruction& call, unsigned index,
                    const PartList& list, unsigned part);

// ---- The steps of a call: PrepareCall, moves of the arguments, EmitCall, DefineResults ----
// Stores what is needed after `user`, the instruction that calls.
void PrepareCall(FunctionCode& code, const ir::Instruction& user);
CallExtent EmitCall(FunctionCode& code, const Callee& callee, const ArgumentPlaces& places);
void DefineResults(FunctionCode& code, const ir::Instruction& result);
// Says that a part of the result is in `reg`, any register, now.
void DefineResultIn(FunctionCode& code, const ir::Instruction& result, unsigned part, Register reg);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CALLS_H_
