// Types that not every version has.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TYPES_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TYPES_H_

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Type.h"

namespace firstcall::llvm_version {

// Whether `type` is x86_mmx, which LLVM 20 and later read as <1 x i64>. Thread-safe.
inline bool IsX86Mmx([[maybe_unused]] const llvm::Type& type) {
#if LLVM_VERSION_MAJOR >= 20
  return false;
#else
  return type.isX86_MMXTy();
#endif
}

// x86_mmx, or what stands for it. Not thread-safe.
inline llvm::Type* X86Mmx(llvm::LLVMContext& context) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::FixedVectorType::get(llvm::Type::getInt64Ty(context), 1);
#else
  return llvm::Type::getX86_MMXTy(context);
#endif
}

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TYPES_H_
