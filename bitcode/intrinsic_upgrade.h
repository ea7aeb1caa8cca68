// Which intrinsics LLVM replaces by others, or by instructions, when it reads a file of an older
// LLVM ("auto-upgrade").
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_BITCODE_INTRINSIC_UPGRADE_H_
#define FIRSTCALL_BITCODE_INTRINSIC_UPGRADE_H_

#include "absl/strings/string_view.h"
#include "ir/type.h"

namespace firstcall::bitcode {

// Whether LLVM 19 replaces calls of the function `name`, a name that begins with "llvm.", of the
// type `type`, so that a reader must not take them as they are. Knows the intrinsics that LLVM 15
// and later had, for the machines that code is made for. Says yes to all of other machines. An
// intrinsic that has got another name, but means the same, is not replaced.
bool IsUpgradedIntrinsic(absl::string_view name, const ir::Type& type);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_INTRINSIC_UPGRADE_H_
