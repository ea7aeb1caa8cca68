// The data layouts of Linux on the processors that code is generated for without LLVM: a module of
// bitcode and the target must have the same one. Needs no other part of LLVM than its version.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_DATA_LAYOUT_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_DATA_LAYOUT_H_

#include "absl/strings/string_view.h"
#include "llvm/Config/llvm-config.h"

namespace firstcall::llvm_version {

constexpr absl::string_view kX8664Layout =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

// Whether all layouts have the address spaces of pointers of 32 and of 64 bits: those of AArch64,
// and unusual ones of x86-64.
constexpr bool kHasShortPointersEverywhere = LLVM_VERSION_MAJOR >= 20;
constexpr absl::string_view kAArch64Layout =
    kHasShortPointersEverywhere ? "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-"
                                  "i128:128-n32:64-S128-Fn32"
                                : "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32";

// Whether i1 has a rule of its own, whatever a layout says of i8. Otherwise i1 has the alignments
// of i8: in the layouts of AArch64, which prefer 4 bytes for i8, also for i1.
constexpr bool kHasRuleForI1 = LLVM_VERSION_MAJOR < 20;

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_DATA_LAYOUT_H_
