// What the baseline code generator may use of the target, and what it has to keep out of code: the
// options that decide which code is covered (coverage.h).
//
// Thread-safe: a plain value.

#ifndef FIRSTCALL_BACKEND_BASELINE_COVERAGE_OPTIONS_H_
#define FIRSTCALL_BACKEND_BASELINE_COVERAGE_OPTIONS_H_

namespace firstcall::baseline {

struct CoverageOptions {
  bool has_rounding = false;  // Has instructions that round to integral values.
  bool has_popcnt = false;
  bool has_avx = false;     // x86-64 has vector registers of more than 16 bytes.
  bool has_fusion = false;  // x86-64 has fused multiply-add instructions (not supported here).
  // x86-64 converts between half and float by instructions; otherwise functions of a library do.
  bool has_half_conversions = false;
  // LLVM converts to bfloat by instructions that take denormal numbers for zero.
  bool flushes_bfloat = false;
  // Atomic comparisons and exchanges of 128 bits; atomic loads and stores of 128 aligned bits.
  bool has_wide_exchange = false;
  bool has_wide_accesses = false;
  bool has_atomic_updates = false;  // AArch64 has atomic update instructions (LSE).
  // The target keeps the guard of stack protection where Linux keeps it.
  bool has_stack_guard = false;
  bool has_assembler = false;      // There is an assembler for the text of inline assembly.
  bool has_few_registers = false;  // For tests: no value gets a fixed register.
  // Addresses of thread-local variables are computed by calls (BaselineOptions).
  bool emulates_thread_locals = false;
  bool refuses_thread_locals = false;
  // Debug information is left out, and no reason to refuse a function.
  bool ignores_debug_information = false;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_COVERAGE_OPTIONS_H_
