// Attributes that LLVM has got since LLVM 19.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_ATTRIBUTES_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_ATTRIBUTES_H_

#include <array>

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Attributes.h"

namespace firstcall::llvm_version {

// Those that the code of a function does not depend on.
#if LLVM_VERSION_MAJOR >= 22
constexpr std::array kLaterAttributesWithoutCode = {
    llvm::Attribute::CoroElideSafe,
    llvm::Attribute::DeadOnReturn,
    llvm::Attribute::NoCreateUndefOrPoison,
    llvm::Attribute::NoDivergenceSource,
    llvm::Attribute::NoExt,
};
#else
constexpr std::array<llvm::Attribute::AttrKind, 0> kLaterAttributesWithoutCode = {};
#endif

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_ATTRIBUTES_H_
