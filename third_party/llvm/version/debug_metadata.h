// Modules' debug information.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_DEBUG_METADATA_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_DEBUG_METADATA_H_

#include <cstdint>
#include <optional>

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

namespace firstcall::llvm_version {

// Makes an empty module keep variables' places as another one does, so that functions can be moved
// from one to the other: as calls of intrinsics, or as records, which LLVM 21 and later always
// have. Not thread-safe: a module is for one thread at a time.
inline void KeepPlacesAs([[maybe_unused]] const llvm::Module& other,
                         [[maybe_unused]] llvm::Module& empty) {
#if LLVM_VERSION_MAJOR < 21
  empty.setIsNewDbgInfoFormat(other.IsNewDbgInfoFormat);
#endif
}

// Keeps the places of `module`'s variables as calls, which LLVM 18 writes, if this version can. Not
// thread-safe.
inline void KeepPlacesAsCalls([[maybe_unused]] llvm::Module& module) {
#if LLVM_VERSION_MAJOR < 21
  module.convertFromNewDbgValues();
#endif
}

// A declaration of `type` in `scope`: without its members. Not thread-safe.
inline llvm::DICompositeType* Declare(const llvm::DICompositeType& type, llvm::DIScope* scope) {
  return llvm::DICompositeType::get(
      type.getContext(), type.getTag(), type.getName(), type.getFile(), type.getLine(), scope,
      /*BaseType=*/nullptr, /*SizeInBits=*/uint64_t{0}, /*AlignInBits=*/0,
      /*OffsetInBits=*/uint64_t{0}, type.getFlags() | llvm::DINode::FlagFwdDecl,
      /*Elements=*/nullptr, type.getRuntimeLang(),
#if LLVM_VERSION_MAJOR >= 21
      /*EnumKind=*/std::nullopt,
#endif
      /*VTableHolder=*/nullptr, /*TemplateParams=*/nullptr, type.getIdentifier());
}

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_DEBUG_METADATA_H_
