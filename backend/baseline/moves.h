// Moves of parts of values to places where others expect them: those of arguments, of results, of
// phis. All moves that have been collected (parallel_moves.h) are emitted at once.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_MOVES_H_
#define FIRSTCALL_BACKEND_BASELINE_MOVES_H_

#include "backend/baseline/parallel_moves.h"
#include "backend/baseline/value_parts.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionCode;

// Returns a move whose source is the part's present place. The caller adds the destination.
Move SourceOf(const FunctionCode& code, ir::Operand value, unsigned part, const PartType& type);
// Emits the moves that were added to `code.moves`.
void EmitMoves(FunctionCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_MOVES_H_
