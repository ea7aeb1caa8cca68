// Vectors in memory, lane by lane. The lanes of a vector of i1 are masks (value_parts.h).
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LANES_H_
#define FIRSTCALL_BACKEND_BASELINE_LANES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/baseline/assembler.h"
#include "backend/baseline/frame.h"
#include "backend/baseline/registers.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::baseline {

struct FunctionCode;

// The number of lanes of a vector type, and the bits of each.
unsigned LaneCount(const ir::Type* type);
unsigned LaneBits(const ir::Type* type);

// A vector in memory.
struct Lanes {
  Mem mem;
  unsigned stride = 0;  // In bytes.

  Mem At(unsigned lane) const { return mem.Plus(static_cast<int32_t>(lane * stride)); }
};

// Places in the frame for vectors, for as long as one instruction is compiled.
class LanePlaces {
 public:
  explicit LanePlaces(Frame& frame) : frame_(frame) {}

  // Begins a function.
  void Clear() {
    wide_.places.clear();
    widest_.places.clear();
  }
  // Returns a place for a vector, valid until FreeAll.
  Mem Allocate(const ir::Type* type);
  void FreeAll();

 private:
  struct WidePlaces {
    std::vector<int32_t> places;  // The first `used` are in use.
    size_t used = 0;
  };

  Frame& frame_;
  std::vector<int32_t> slots_;  // Those in use.
  // For vectors of several parts: of up to 128 bytes, and of up to 256.
  WidePlaces wide_, widest_;
};

// Where the vector is in memory: in its slot, in the pool, or stored for this purpose.
Lanes LanesOf(FunctionCode& code, ir::Operand vector);
// Stores all parts of the vector to `mem`.
void StoreParts(FunctionCode& code, const Mem& mem, ir::Operand vector);
void LoadLane(FunctionCode& code, Register dst, const Lanes& lanes, unsigned lane, bool is_signed);
void StoreLane(FunctionCode& code, const Lanes& lanes, unsigned lane, Register value);
// The address of one of `count` lanes, whose number is only known when the code runs. `value` is a
// free register. The number is in the scratch register, so no register may be taken before the
// address was used.
Mem IndexedLane(FunctionCode& code, const Lanes& lanes, ir::Operand index, unsigned count,
                Register value);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_LANES_H_
