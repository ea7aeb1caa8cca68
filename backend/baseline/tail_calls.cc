#include "backend/baseline/tail_calls.h"

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "backend/baseline/argument_places.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/moves.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/own_registers.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline {
namespace {

// An argument on the stack, which waits in the frame until all arguments have been read: the place
// that it goes to may be another argument's.
struct Waiting {
  int32_t place;
  int32_t offset;
  unsigned bytes;
};

void MoveArgument(FunctionCode& code, const Waiting& argument) {
  const Mem from = code.frame.At(argument.place), to = code.frame.Incoming(argument.offset);
  if (argument.bytes > 8) {
    code.assembler.VectorLoad(argument.bytes, code.architecture.vector_scratch, from);
    code.assembler.VectorStore(argument.bytes, to, code.architecture.vector_scratch);
  } else {
    code.assembler.Load(argument.bytes, code.architecture.scratch, from);
    code.assembler.Store(argument.bytes, to, code.architecture.scratch);
  }
}

}  // namespace

CallExtent LowerTailCall(FunctionCode& code, const ir::Instruction& call) {
  const CallingConvention& convention =
      code.architecture.ConventionOf(code.function->CallOf(call).convention);
  PrepareCall(code, call);
  absl::InlinedVector<Waiting, 8> on_stack;
  ArgumentPlaces places(convention);
  const OwnRegisters own_registers(*code.function, call, code.architecture, 0);
  for (unsigned i = 0; i < code.function->CallOf(call).argument_count; ++i) {
    const ir::Operand value = OperandAt(code, call, i);
    const PartList list = PartsOf(TypeOf(code, value));
    const auto move_to = [&](unsigned part, const ArgumentPlace& place) {
      Move move = MoveOfArgument(code, call, i, list, part);
      move.to = place.reg;
      if (place.reg == kNoRegister) {
        const int32_t waits_at = code.frame.AllocateSlot(move.bytes);
        move.to_memory = code.frame.At(waits_at);
        on_stack.push_back({waits_at, place.offset, move.bytes});
      }
      code.moves.Add(move);
    };
    if (const Register own = own_registers.Of(i); own != kNoRegister) {
      move_to(0, ArgumentPlace{own, 0});
    } else {
      places.ForEachPart(*TypeOf(code, value), list, move_to);
    }
  }
  const ir::Operand callee = code.function->CalleeOf(call);
  Move target = SourceOf(code, callee, 0, {false, 8, 64, false});
  target.to = code.architecture.callee;
  code.moves.Add(target);
  EmitMoves(code);
  for (const Waiting& argument : on_stack) {
    MoveArgument(code, argument);
    code.frame.FreeSlot(argument.place, argument.bytes);
  }
  if (code.function->global().value_type()->is_variadic) {
    code.native.frame.RestoreArgumentRegisters(code);
  }
  CallExtent extent;
  extent.begin = code.assembler.size();
  code.native.frame.EmitTailJump(code);
  extent.end = code.assembler.size();
  code.locations.registers().UnpinAll();
  code.locations.ForgetRegisters();
  DefineResults(code, call);
  return extent;
}

}  // namespace firstcall::baseline
