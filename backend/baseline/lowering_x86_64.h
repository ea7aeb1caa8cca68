// The lowering for x86-64. Needs SSE2.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LOWERING_X86_64_H_
#define FIRSTCALL_BACKEND_BASELINE_LOWERING_X86_64_H_

#include "backend/baseline/architecture.h"
#include "backend/baseline/assembler_x86_64.h"
#include "backend/baseline/floats_x86_64.h"
#include "backend/baseline/frame_x86_64.h"
#include "backend/baseline/function_facts.h"
#include "backend/baseline/integers_x86_64.h"
#include "backend/baseline/lowering.h"
#include "backend/baseline/memory_x86_64.h"
#include "backend/baseline/vectors_x86_64.h"

namespace firstcall::baseline::x86_64 {

// A separate base class, so that these are constructed before Lowering, which refers to them.
struct NativeParts {
  AssemblerX86_64 assembler;
  FrameX86_64 frame{assembler};
  IntegersX86_64 integers{assembler};
  FloatsX86_64 floats{assembler};
  VectorsX86_64 vectors{assembler};
  MemoryX86_64 memory{assembler};
};

class LoweringX86_64 final : private NativeParts, public Lowering {
 public:
  explicit LoweringX86_64(FunctionFacts& facts)
      : Lowering(ArchitectureX86_64(), facts, assembler,
                 {frame, integers, floats, vectors, memory}) {}
};

}  // namespace firstcall::baseline::x86_64

#endif  // FIRSTCALL_BACKEND_BASELINE_LOWERING_X86_64_H_
