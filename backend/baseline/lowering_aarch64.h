// The lowering for AArch64.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LOWERING_AARCH64_H_
#define FIRSTCALL_BACKEND_BASELINE_LOWERING_AARCH64_H_

#include "backend/baseline/architecture.h"
#include "backend/baseline/assembler_aarch64.h"
#include "backend/baseline/floats_aarch64.h"
#include "backend/baseline/frame_aarch64.h"
#include "backend/baseline/function_facts.h"
#include "backend/baseline/integers_aarch64.h"
#include "backend/baseline/lowering.h"
#include "backend/baseline/memory_aarch64.h"
#include "backend/baseline/vectors_aarch64.h"

namespace firstcall::baseline::aarch64 {

// A separate base class, so that these are constructed before Lowering, which refers to them.
struct NativeParts {
  AssemblerAArch64 assembler;
  FrameAArch64 frame{assembler};
  IntegersAArch64 integers{assembler};
  FloatsAArch64 floats{assembler};
  VectorsAArch64 vectors{assembler};
  MemoryAArch64 memory{assembler};
};

class LoweringAArch64 final : private NativeParts, public Lowering {
 public:
  explicit LoweringAArch64(FunctionFacts& facts)
      : Lowering(ArchitectureAArch64(), facts, assembler,
                 {frame, integers, floats, vectors, memory}) {}
};

}  // namespace firstcall::baseline::aarch64

#endif  // FIRSTCALL_BACKEND_BASELINE_LOWERING_AARCH64_H_
