// Fields of llvm::TargetOptions that not every version has.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TARGET_OPTIONS_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TARGET_OPTIONS_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Target/TargetOptions.h"

namespace firstcall::llvm_version {

// Text that differs if two options differ in a field that only some versions have and that can
// change code. Thread-safe.
inline std::string DescribeOwnFields(const llvm::TargetOptions& options) {
#if LLVM_VERSION_MAJOR >= 22
  return absl::StrCat(options.EnableStaticDataPartitioning, ".", options.EmitCallGraphSection, ".",
                      options.VerifyArgABICompliance, ".", options.MCOptions.ImplicitMapSyms, ".",
                      options.MCOptions.EmitSFrameUnwind, ".", static_cast<int>(options.VecLib));
#else
  const llvm::DenormalMode all = options.getRawFPDenormalMode();
  const llvm::DenormalMode single = options.getRawFP32DenormalMode();
  return absl::StrCat(options.UnsafeFPMath, ".", options.ApproxFuncFPMath, ".",
                      static_cast<int>(all.Output), ".", static_cast<int>(all.Input), ".",
                      static_cast<int>(single.Output), ".", static_cast<int>(single.Input));
#endif
}

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TARGET_OPTIONS_H_
