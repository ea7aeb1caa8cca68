// What the shared part of the code generator has to know of an architecture: the registers' roles,
// how arguments are passed, how the frame lies.
//
// Thread-safe: constants. Tested in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_ARCHITECTURE_H_
#define FIRSTCALL_BASELINE_ARCHITECTURE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "baseline/registers.h"
#include "baseline/unwind_rows.h"
#include "llvm/IR/CallingConv.h"

namespace firstcall::baseline {

// Which registers arguments and results are passed in, as LLVM reads the architecture's ABI.
struct CallingConvention {
  absl::Span<const Register> general;
  absl::Span<const Register> vectors;
  absl::Span<const Register> general_results;
  absl::Span<const Register> vector_results;
  // Of those, for values of fewer than 16 bytes.
  unsigned small_vector_results = 0;
  // Where the address of a result in memory (sret) is passed, if it is not an argument like others.
  Register result_address = kNoRegister;
  // The callee returns that address as its first general result.
  bool returns_result_address = false;
  // An integer of more than 64 bits begins in a register of even number; if two are not left, all
  // are used up.
  bool has_even_pairs = false;
  // The members of an array are passed in registers all, or none.
  bool has_array_blocks = false;
  // A small vector takes 16 bytes on the stack.
  bool widens_vectors = false;
  // The least size of vectors that are passed as they lie in memory.
  unsigned least_vector_bytes = 0;
  // A member of an aggregate that is an integer of more than 64 bits is passed as the member of a
  // structure that it is, not as two parts.
  bool has_wide_members = false;
  // Functions may run in a mode that calls have to change.
  bool has_streaming_mode = false;
  // A caller extends an i1 to 8 bits, and a callee its result.
  bool extends_bits = false;
};

struct FrameStyle {
  // Whether places are above the frame pointer, between it and the incoming arguments, so that only
  // the finished frame knows how far away those are; or below it.
  bool grows_up = false;
  // What the frame pointer points at belongs to the prologue, and is not for places.
  int32_t record_bytes = 0;
  // The code generator of LLVM calls or inlines no probe ("probe-stack") for smaller frames.
  int64_t least_probed = 4096;
};

struct Architecture {
  // ---- Registers that are never allocated ----
  // The code generator needs a general and two vector registers between any two instructions: to
  // move from memory to memory, to break cycles of moves, to reach far symbols.
  Register scratch, vector_scratch, cycle_scratch;
  Register stack_pointer, frame_pointer;

  // ---- Registers with a task ----
  Register shift_count;   // That a count must be in; if none, any.
  Register vector_count;  // Told to variadic functions: how many vector registers; none if not.
  Register callee;        // Of the address of an indirect callee. No argument is passed in it.
  Register exception[2];  // Where a landing pad finds the exception and its selector.
  // Those of arguments with Swift's attributes `swiftself` and `swifterror`, whatever the calling
  // convention. The callee preserves the first, and returns an argument's new value in the second.
  Register swift_self, swift_error;

  // ---- Registers for values ----
  RegisterSet allocatable;
  RegisterSet few_allocatable;  // For tests: three of each kind.
  RegisterSet callee_saved;
  // Those that a value may have for life: if the callee preserves them; if it does not.
  absl::Span<const Register> across_calls, between_calls;
  absl::Span<const Register> vector_between_calls;
  // The callee preserves their lowest 8 bytes.
  absl::Span<const Register> vector_across_calls;

  FrameStyle frame;
  CallingConvention convention;        // Of C.
  CallingConvention swift_convention;  // Of `swiftcc`.
  UnwindConvention unwind;
  uint8_t variadic_list_bytes;  // Of a va_list.
  // Room in front of the body for the longest prologue, in bytes.
  uint32_t prologue_room;
  // Operations on 1 and 2 bytes, whose flags are those of the narrow result.
  bool has_narrow_operations;
  // Alu::kOr and kXor set the flags.
  bool bitwise_sets_flags;

  // Of functions and calls that are covered.
  const CallingConvention& ConventionOf(llvm::CallingConv::ID id) const {
    return id == llvm::CallingConv::Swift ? swift_convention : convention;
  }
};

const Architecture& ArchitectureX86_64();
const Architecture& ArchitectureAArch64();

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_ARCHITECTURE_H_
