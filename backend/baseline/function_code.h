// The code of one function while it is made: everything that the functions which lower instructions
// share. They are grouped by subject, each in a file of its own (integers.h, memory.h, calls.h and
// so on), and all take the FunctionCode first. operands.h has what most of them need.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_BACKEND_BASELINE_FUNCTION_CODE_H_
#define FIRSTCALL_BACKEND_BASELINE_FUNCTION_CODE_H_

#include "backend/baseline/architecture.h"
#include "backend/baseline/assembler.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/exceptions.h"
#include "backend/baseline/frame.h"
#include "backend/baseline/function_facts.h"
#include "backend/baseline/labels.h"
#include "backend/baseline/lanes.h"
#include "backend/baseline/native_floats.h"
#include "backend/baseline/native_frame.h"
#include "backend/baseline/native_integers.h"
#include "backend/baseline/native_memory.h"
#include "backend/baseline/native_vectors.h"
#include "backend/baseline/parallel_moves.h"
#include "backend/baseline/parameters.h"
#include "backend/baseline/polls.h"
#include "backend/baseline/pool.h"
#include "backend/baseline/refusal.h"
#include "backend/baseline/registers.h"
#include "backend/baseline/stack_guard.h"
#include "backend/baseline/symbols.h"
#include "backend/baseline/value_locations.h"
#include "backend/text_assembler.h"
#include "ir/function.h"

namespace firstcall::baseline {

struct LoweringOptions {
  // dso_local symbols are within reach of a 32-bit distance from the code.
  bool is_near = true;
  // Objects are for any linker (BaselineOptions).
  bool is_for_any_linker = false;
  CoverageOptions coverage;  // The processor's features.
  // The code may be so long that short branches do not reach across it.
  bool is_large = false;
  // Assembles inline assembly. Null: functions with a text are not covered.
  TextAssembler* text_assembler = nullptr;
};

// What an architecture does in its own way. All must outlive the code.
struct Native {
  NativeFrame& frame;
  NativeIntegers& integers;
  NativeFloats& floats;
  NativeVectors& vectors;
  NativeMemory& memory;
};

struct FunctionCode {
  FunctionCode(const Architecture& architecture, FunctionFacts& facts, Assembler& assembler,
               const Native& native)
      : architecture(architecture),
        facts(facts),
        assembler(assembler),
        native(native),
        frame(architecture),
        locations(facts, frame, assembler),
        moves(architecture),
        labels(assembler),
        lanes(frame) {
    assembler.set_labels(&labels.offsets());
  }
  FunctionCode(const FunctionCode&) = delete;
  FunctionCode& operator=(const FunctionCode&) = delete;

  const Architecture& architecture;
  FunctionFacts& facts;
  Assembler& assembler;
  const Native native;
  const ir::Function* function = nullptr;
  LoweringOptions options;
  Frame frame;
  ValueLocations locations;
  ParallelMoves moves;
  Pool pool;
  Labels labels;
  Symbols symbols;
  LanePlaces lanes;
  Parameters parameters;
  ExceptionTable exceptions;
  StackGuard guard;
  PollCode polls;
  // Where FunctionFacts::keeps_stack_pointer keeps it; 0 if nowhere.
  int32_t stack_pointer_place = 0;
  bool probes_frame = false;  // The prologue must touch each page of the frame.
  // Why the code that has been made cannot be used. kNone if it can.
  Refusal refusal = Refusal::kNone;
};

// The distance of the incoming arguments from the frame pointer, if the frame grows up. Known when
// the body is complete.
inline int64_t IncomingDistance(const FunctionCode& code) {
  return (code.frame.used() + 15) & ~int64_t{15};
}

// The registers that the prologue saves.
inline RegisterSet SavedRegisters(const FunctionCode& code) {
  RegisterSet registers =
      code.facts.fixed_registers | code.facts.swift_registers | code.facts.claimed_registers;
  if (code.facts.returns_error) registers &= ~SetOf(code.architecture.swift.error);
  return registers & code.architecture.registers.callee_saved;
}

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_FUNCTION_CODE_H_
