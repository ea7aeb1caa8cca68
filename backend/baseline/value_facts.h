// What Analysis finds out of the values and blocks of a function, and where the code generator has
// put each part of a value.
//
// Plain values.

#ifndef FIRSTCALL_BACKEND_BASELINE_VALUE_FACTS_H_
#define FIRSTCALL_BACKEND_BASELINE_VALUE_FACTS_H_

#include <cstdint>

#include "backend/baseline/block_order.h"
#include "backend/baseline/registers.h"

namespace firstcall::baseline {

// The contents of a variable that may be kept in a register.
enum class Contents : uint8_t { kNone, kInt8, kInt16, kInt32, kInt64, kFloat, kDouble };

// A part of a value. A value's number is the number of its first part; the other parts follow.
struct ValuePart {
  // ---- Facts of the value, kept in its first part ----
  uint32_t uses = 0;             // Uses not compiled yet.
  uint32_t first_block = 0;      // The value's life, as an interval of the order of blocks. A phi's
  uint32_t last_block = 0;       // life includes the predecessors, which write the phi.
  uint32_t next_to_die = kNone;  // The next value in the last block's list (first_to_die).
  uint32_t position = 0;  // Where the value is computed, in instructions from the block's end. A
                          // value deferred to a user without a number (a store, a branch) has 0,
                          // except the operation of an update (memory_update.h).
  uint8_t parts = 1;
  // The value is computed at its first use. Its uses are in the same block: one use, or a store and
  // a comparison (memory_update.h).
  bool is_deferred = false;
  bool is_phi = false;
  // An alloca of static size, at `slot` in the frame, or a parameter with `byval` or `swifterror`.
  // The value is the address of the place `slot`. The life of an alloca is that of its contents.
  bool is_alloca = false;
  // What a register would hold of the alloca (register_variables.h). The allocas that have a fixed
  // register are register variables: the register holds their contents, and not their address.
  Contents contents = Contents::kNone;
  // ---- Facts of the part ----
  uint8_t index = 0;  // The part's position among the value's parts.
  bool is_vector = false;
  uint8_t bytes = 0;
  bool is_spilled = false;      // The slot holds the part.
  Register reg = kNoRegister;   // The register that holds the part.
  bool is_fixed = false;        // `reg` holds the part for the value's whole life.
  Register wish = kNoRegister;  // The best register to compute the part in: a user in the
                                // same block (a call, a return) wants it there.
  // The part's place in the frame; 0 if it has none. If `is_incoming`: its offset in the arguments
  // that the caller has put on the stack.
  int32_t slot = 0;
  // The part is an argument on the stack and stays in its place. Or the part is an alloca whose
  // place is relative to these arguments (Frame::AllocateOuter).
  bool is_incoming = false;
};

struct BlockFacts {
  uint32_t first_to_die = kNone;  // List of values that live in several blocks and die in this one.
  bool has_call = false;          // Calls change the caller-saved registers.
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_VALUE_FACTS_H_
