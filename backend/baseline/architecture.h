// Describes an architecture to the architecture-independent part of the code generator: the roles
// of registers, the calling conventions, the layout of the frame.
//
// Thread-safe: constants. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_ARCHITECTURE_H_
#define FIRSTCALL_BACKEND_BASELINE_ARCHITECTURE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "backend/baseline/registers.h"
#include "backend/baseline/unwind_rows.h"
#include "ir/opcode.h"

namespace firstcall::baseline {

// The registers that pass arguments and results, as LLVM reads the architecture's ABI.
struct CallingConvention {
  absl::Span<const Register> general;
  absl::Span<const Register> vectors;
  absl::Span<const Register> general_results;
  absl::Span<const Register> vector_results;
  // The number of vector_results that may return values of fewer than 16 bytes.
  unsigned small_vector_results = 0;
  // The register that passes the address of a result in memory (sret). kNoRegister if the address
  // is passed as an ordinary argument.
  Register result_address = kNoRegister;
  // The callee returns the sret address as its first general result.
  bool returns_result_address = false;
  // An integer of more than 64 bits begins in a register of even number. If two registers are not
  // left, the rest stay unused.
  bool has_even_pairs = false;
  // An i128 for which fewer than two registers are left goes to the stack, and later arguments get
  // the register that is left.
  bool has_whole_i128 = false;
  // The members of an array are passed either all in registers or all on the stack.
  bool has_array_blocks = false;
  // A small vector takes 16 bytes on the stack.
  bool widens_vectors = false;
  // The smallest size in bytes of vector registers, as the convention sees them. 0: all have 16.
  unsigned least_vector_bytes = 0;
  // Where a vector is passed lane by lane, integers of 64 bits and pointers are passed in vector
  // registers.
  bool passes_words_as_vectors = false;
  // If a member of an aggregate is an integer of more than 64 bits, it is passed as one member, not
  // as two parts.
  bool has_wide_members = false;
  // Functions may run in streaming mode (AArch64 SME), which calls have to change.
  bool has_streaming_mode = false;
  // A caller extends an i1 argument to 8 bits, and a callee extends an i1 result.
  bool extends_bits = false;
  // Numbers of type x86_fp80 are passed in 16 bytes on the stack, and returned in an x87 register.
  bool has_long_doubles = false;
  uint8_t variadic_list_bytes = 0;  // The size of a va_list.
};

// How Swift passes arguments. The registers are those of arguments with the attributes `swiftself`
// and `swifterror`, in every calling convention. The callee preserves `self`, and returns the
// argument's new value in `error`.
struct SwiftStyle {
  Register self = kNoRegister, error = kNoRegister;
  CallingConvention convention;  // The `swiftcc` calling convention.
};

// The registers for values.
struct ValueRegisters {
  RegisterSet allocatable = 0;
  RegisterSet few_allocatable = 0;  // For tests: three of each kind.
  RegisterSet callee_saved = 0;
  // Those that a function may have to set to zero before it returns (cleared_registers.h): what
  // calls change. The scratch registers are among them.
  RegisterSet cleared = 0;
  bool clears_all_general = false;  // `cleared` has all general registers that calls change.
  // The registers that may be fixed (belong to a value for its whole life): across_calls are
  // preserved by callees, between_calls are not.
  absl::Span<const Register> across_calls, between_calls;
  absl::Span<const Register> vector_between_calls;
  // Vector registers whose lowest 8 bytes callees preserve.
  absl::Span<const Register> vector_across_calls;
};

struct FrameStyle {
  // True: places are between the frame pointer and the incoming arguments above it, so the distance
  // to these arguments is known only when the frame is complete. False: places are below the frame
  // pointer.
  bool grows_up = false;
  // The bytes at the frame pointer that belong to the prologue and hold no places.
  int32_t record_bytes = 0;
  // LLVM's code generator emits no stack probe ("probe-stack") for frames of fewer bytes.
  int64_t least_probed = 4096;
  // The bytes to reserve in front of the body: the size of the longest prologue, and what fills it
  // up (NativeFrame::AlignLoop).
  uint32_t prologue_room = 0;
  // The headers of innermost loops begin at multiples of this many bytes: a power of two.
  uint32_t loop_alignment = 16;
  UnwindConvention unwind = {};
};

struct Architecture {
  // ---- Registers that are never allocated ----
  // A general and two vector registers that the code generator may clobber between any two
  // instructions: to move from memory to memory, to break cycles of moves, to reach far symbols.
  Register scratch, vector_scratch, cycle_scratch;
  Register stack_pointer, frame_pointer;

  // ---- Registers with a task ----
  Register shift_count;   // Must hold a shift's count. kNoRegister: any register may.
  Register vector_count;  // Number of vector registers, for variadic callees. May be kNoRegister.
  // Holds the lower half of what atomic instructions write if that is 128 bits. A register that
  // callees preserve, and that is not allocated. May be kNoRegister.
  Register wide_exchange = kNoRegister;
  Register callee;        // Holds the address of an indirect callee. Passes no argument.
  Register exception[2];  // Hold the exception and its selector on entry to a landing pad.

  ValueRegisters registers;
  FrameStyle frame;
  CallingConvention convention;  // The C calling convention.
  SwiftStyle swift;
  // Has operations on 1 and 2 bytes, which set the flags for the narrow result.
  bool has_narrow_operations;
  bool has_sse;  // Is x86-64, which has SSE and SSE2.
  // Alu::kOr and kXor set the flags.
  bool bitwise_sets_flags;

  // DWARF's numbers of the general registers, in their order here; empty if they are the same. And
  // that of the first vector register.
  absl::Span<const uint8_t> dwarf_numbers;
  uint8_t first_dwarf_vector;

  uint8_t DwarfNumberOf(Register reg) const {
    if (IsVector(reg)) return static_cast<uint8_t>(first_dwarf_vector + (reg - kFirstVector));
    return dwarf_numbers.empty() ? static_cast<uint8_t>(reg) : dwarf_numbers[reg];
  }

  // The convention of a covered function or call.
  const CallingConvention& ConventionOf(ir::CallingConvention id) const {
    return id == ir::kConventionSwift ? swift.convention : convention;
  }
};

const Architecture& ArchitectureX86_64();
const Architecture& ArchitectureAArch64();

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_ARCHITECTURE_H_
