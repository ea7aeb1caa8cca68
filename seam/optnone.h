// What LLVM's attribute `optnone` means to an engine that optimizes functions while they run.
// Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SEAM_OPTNONE_H_
#define FIRSTCALL_SEAM_OPTNONE_H_

namespace firstcall {

// When a function with `optnone` may be optimized all the same. Only where functions are optimized
// at all: such a function starts with the same code as any other.
enum class OptNone {
  // If a compiler gave the attribute to all functions (every definition of the module is `noinline`
  // or `alwaysinline`, as clang -O0 makes them), and the function has no debug information, or its
  // code is to have none (seam/debug_info.h).
  kAuto,
  kKeep,    // Never.
  kIgnore,  // Always.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_OPTNONE_H_
