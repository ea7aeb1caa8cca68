// Compiles one analysed function to machine code, in one pass over its blocks: the pass itself,
// which all architectures share.
//
// Each subject has a file for its instructions: integers, wide_integers, floats, comparisons,
// memory, vectors, aggregates, control_flow, calls, intrinsics, exceptions; instructions.h chooses
// among them. What an architecture does in its own way is behind an interface for each subject
// (native_integers.h and so on), which files named after the architecture implement. All of them
// work on the FunctionCode (function_code.h).
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LOWERING_H_
#define FIRSTCALL_BACKEND_BASELINE_LOWERING_H_

#include "backend/baseline/architecture.h"
#include "backend/baseline/assembler.h"
#include "backend/baseline/code_map.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/function_facts.h"
#include "backend/baseline/refusal.h"
#include "ir/function.h"
#include "object/compiled_code.h"

namespace firstcall::baseline {

class Lowering {
 public:
  // All arguments must outlive the Lowering.
  Lowering(const Architecture& architecture, FunctionFacts& facts, Assembler& assembler,
           const Native& native)
      : code_(architecture, facts, assembler, native) {}
  virtual ~Lowering() = default;

  // Writes the code of `function`, the function that was analysed, to `compiled` and returns kNone.
  // On any other result, the contents of `compiled` are unspecified: kRegisters if an instruction
  // needs more registers at once than there are; kSize if the frame is too large;
  // kFunctionAttribute if the stack must be probed in an unusual way; kInlineAssembly if the
  // assembler does not take a text; kReach if the code
  // is so long that it needs LoweringOptions::is_large or, with is_large, too long for any form.
  // Fills in `map`, unless it is null.
  Refusal Run(const ir::Function& function, const LoweringOptions& options, CompiledCode& compiled,
              CodeMap* map);

 private:
  FunctionCode code_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_LOWERING_H_
