#include "backend/baseline/architecture.h"
#include "backend/baseline/registers_x86_64.h"
#include "third_party/llvm/version/calling_convention.h"

namespace firstcall::baseline {
namespace x86_64 {
namespace {

constexpr Register kGeneral[] = {kRdi, kRsi, kRdx, kRcx, kR8, kR9};
constexpr Register kVectors[] = {kXmm0, kXmm1, kXmm2, kXmm3, kXmm4, kXmm5, kXmm6, kXmm7};
constexpr Register kGeneralResults[] = {kRax, kRdx, kRcx};
constexpr Register kSwiftResults[] = {kRax, kRdx, kRcx, kR8};
constexpr Register kVectorResults[] = {kXmm0, kXmm1, kXmm2, kXmm3};
constexpr Register kAcrossCalls[] = {kRbx, kR12, kR13, kR14, kR15};
constexpr Register kBetweenCalls[] = {kR8, kR9};
constexpr Register kVectorBetweenCalls[] = {kXmm8, kXmm9, kXmm10, kXmm11, kXmm12, kXmm13};

// The System V psABI, 3.2.3, as LLVM reads it.
CallingConvention Convention() {
  CallingConvention convention;
  convention.general = kGeneral;
  convention.vectors = kVectors;
  convention.general_results = kGeneralResults;
  convention.vector_results = kVectorResults;
  convention.small_vector_results = 2;
  convention.widens_vectors = true;
  convention.has_whole_i128 = llvm_version::kLaterArgumentsGetRegisters;
  convention.returns_result_address = true;
  convention.variadic_list_bytes = 24;
  convention.has_long_doubles = true;
  return convention;
}

// It has more registers for results. The address of a result in memory is passed in one of them,
// and not returned.
CallingConvention SwiftConvention() {
  CallingConvention convention = Convention();
  convention.general_results = kSwiftResults;
  convention.small_vector_results = 4;
  convention.result_address = kRax;
  convention.returns_result_address = false;
  return convention;
}

Architecture Describe() {
  Architecture machine = {};
  machine.scratch = kScratch;
  machine.vector_scratch = kVectorScratch;
  machine.cycle_scratch = kCycleScratch;
  machine.stack_pointer = kRsp;
  machine.frame_pointer = kRbp;
  machine.dwarf_numbers = kDwarfNumbers;
  machine.first_dwarf_vector = kFirstDwarfVector;
  machine.shift_count = kRcx;
  machine.vector_count = kRax;
  machine.wide_exchange = kRbx;
  machine.callee = kR10;
  machine.exception[0] = kRax;
  machine.exception[1] = kRdx;
  machine.swift.self = kR13;
  machine.swift.error = kR12;
  machine.registers.allocatable = SetOf(kRax, kRdx) | SetOf(kRsi, kR10) | SetOf(kXmm0, kXmm13);
  // Those that divisions and shifts need.
  machine.registers.few_allocatable = SetOf(kRax, kRdx) | SetOf(kXmm0, kXmm2);
  // psABI, 3.2.1.
  machine.registers.callee_saved = SetOf(kRbx, kRbp) | SetOf(kR12, kR15);
  machine.registers.cleared = SetOf(kRax, kRdx) | SetOf(kRsi, kR11) | SetOf(kXmm0, kXmm15);
  machine.registers.clears_all_general = true;
  machine.registers.across_calls = kAcrossCalls;
  machine.registers.between_calls = kBetweenCalls;
  machine.registers.vector_between_calls = kVectorBetweenCalls;
  machine.convention = Convention();
  machine.swift.convention = SwiftConvention();
  machine.frame.unwind = {7, 16, 8, true};  // psABI, figure 3.36.
  machine.frame.prologue_room = 48;
  machine.frame.loop_alignment = 32;  // What Intel's and AMD's processors fetch at a time, or more.
  machine.has_narrow_operations = true;
  machine.has_sse = true;
  machine.bitwise_sets_flags = true;
  return machine;
}

}  // namespace
}  // namespace x86_64

const Architecture& ArchitectureX86_64() {
  static const Architecture kArchitecture = x86_64::Describe();
  return kArchitecture;
}

}  // namespace firstcall::baseline
