// What the compiler half without LLVM has to know of its settings in each compile.
//
// Plain values; copyable. Tested in tests/direct/direct_compiler_test.cc.

#ifndef FIRSTCALL_DIRECT_COMPILE_SETTINGS_H_
#define FIRSTCALL_DIRECT_COMPILE_SETTINGS_H_

#include "seam/optnone.h"

namespace firstcall::direct {

struct CompileSettings {
  OptNone optnone = OptNone::kAuto;
  // Debug information is skipped. Otherwise what has any is refused, because LLVM writes it.
  bool drops_debug_info = true;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_COMPILE_SETTINGS_H_
