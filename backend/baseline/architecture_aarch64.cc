#include "backend/baseline/architecture.h"
#include "backend/baseline/registers_aarch64.h"

namespace firstcall::baseline {
namespace aarch64 {
namespace {

constexpr Register kGeneral[] = {X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)};
constexpr Register kVectors[] = {V(0), V(1), V(2), V(3), V(4), V(5), V(6), V(7)};
constexpr Register kAcrossCalls[] = {X(19), X(20), X(21), X(22), X(23),
                                     X(24), X(25), X(26), X(27), X(28)};
constexpr Register kBetweenCalls[] = {X(10), X(11), X(12), X(13), X(14)};
constexpr Register kVectorBetweenCalls[] = {V(16), V(17), V(18), V(19), V(20), V(21), V(22), V(23)};
constexpr Register kVectorAcrossCalls[] = {V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15)};

// The AAPCS64, as LLVM reads it: structures are passed member by member, because compilers of C
// have decided before how to pass them.
CallingConvention Convention() {
  CallingConvention convention;
  convention.general = kGeneral;
  convention.vectors = kVectors;
  convention.general_results = kGeneral;
  convention.vector_results = kVectors;
  convention.small_vector_results = 8;
  convention.result_address = X(8);
  convention.has_even_pairs = true;
  convention.has_array_blocks = true;
  convention.least_vector_bytes = 8;
  convention.passes_words_as_vectors = true;
  convention.has_wide_members = true;
  convention.has_streaming_mode = true;
  convention.extends_bits = true;
  convention.variadic_list_bytes = 32;
  return convention;
}

Architecture Describe() {
  Architecture machine = {};
  machine.scratch = kScratch;
  machine.vector_scratch = kVectorScratch;
  machine.cycle_scratch = kCycleScratch;
  machine.stack_pointer = kStackPointer;
  machine.frame_pointer = kFramePointer;
  machine.first_dwarf_vector = 64;  // AADWARF64, 4.1.
  machine.shift_count = kNoRegister;
  machine.vector_count = kNoRegister;
  machine.wide_exchange = kNoRegister;
  machine.callee = X(9);
  machine.exception[0] = X(0);
  machine.exception[1] = X(1);
  machine.swift.self = X(20);
  machine.swift.error = X(21);
  // Not x18, which some systems keep for themselves.
  machine.registers.allocatable = SetOf(X(0), X(14)) | SetOf(V(0), V(7)) | SetOf(V(16), V(28));
  machine.registers.few_allocatable = SetOf(X(0), X(2)) | SetOf(V(0), V(2));
  machine.registers.callee_saved = SetOf(X(19), X(28)) | SetOf(V(8), V(15));
  // x18 may belong to the system. Then nobody but the system may change x18.
  machine.registers.cleared = SetOf(X(0), X(17)) | SetOf(V(0), V(7)) | SetOf(V(16), V(31));
  machine.registers.across_calls = kAcrossCalls;
  machine.registers.between_calls = kBetweenCalls;
  machine.registers.vector_between_calls = kVectorBetweenCalls;
  machine.registers.vector_across_calls = kVectorAcrossCalls;
  machine.frame.grows_up = true;
  machine.frame.least_probed = 1024;
  machine.frame.record_bytes = 16;  // The caller's frame pointer and the return address.
  machine.convention = machine.swift.convention = Convention();
  machine.frame.unwind = {31, 30, 0, false};
  machine.frame.prologue_room = 128;
  machine.has_narrow_operations = false;
  machine.bitwise_sets_flags = false;
  return machine;
}

}  // namespace
}  // namespace aarch64

const Architecture& ArchitectureAArch64() {
  static const Architecture kArchitecture = aarch64::Describe();
  return kArchitecture;
}

}  // namespace firstcall::baseline
