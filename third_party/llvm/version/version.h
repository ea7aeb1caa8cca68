// Which LLVM this is built with. Needs no other part of LLVM.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_VERSION_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_VERSION_H_

#include "llvm/Config/llvm-config.h"

#define FIRSTCALL_TEXT_OF(x) #x
#define FIRSTCALL_DIGITS_OF(x) FIRSTCALL_TEXT_OF(x)

namespace firstcall::llvm_version {

constexpr int kMajor = LLVM_VERSION_MAJOR;
constexpr char kVersion[] = LLVM_VERSION_STRING;  // "19.1.7"
// What Debian calls this version's lli.
constexpr char kLli[] = "lli-" FIRSTCALL_DIGITS_OF(LLVM_VERSION_MAJOR);
// The SONAME of LLVM's shared library.
constexpr char kSharedLibrary[] = "libLLVM.so." FIRSTCALL_DIGITS_OF(
    LLVM_VERSION_MAJOR) "." FIRSTCALL_DIGITS_OF(LLVM_VERSION_MINOR);

// The version of this library's symbols.
constexpr char kSymbolVersion[] =
    "LLVM_" FIRSTCALL_DIGITS_OF(LLVM_VERSION_MAJOR) "." FIRSTCALL_DIGITS_OF(LLVM_VERSION_MINOR);

}  // namespace firstcall::llvm_version

#undef FIRSTCALL_DIGITS_OF
#undef FIRSTCALL_TEXT_OF

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_VERSION_H_
