// What a target triple, such as "x86_64-pc-linux-gnu", says of machine code and objects, as
// llvm::Triple reads it.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/triple_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_TRIPLE_H_
#define FIRSTCALL_BACKEND_BASELINE_TRIPLE_H_

#include "absl/strings/string_view.h"
#include "object/machine.h"

namespace firstcall::baseline {

// kOther for machines that are neither x86-64 nor (little-endian) AArch64.
Machine MachineOf(absl::string_view triple);

// Whether the target's objects are ELF or Mach-O. `triple` must be of one of these two machines.
bool HasElfOrMacho(absl::string_view triple);

// Whether the target is Linux, but not Android. `triple` must have all its parts, such as
// "x86_64-pc-linux-gnu".
bool IsLinux(absl::string_view triple);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_TRIPLE_H_
