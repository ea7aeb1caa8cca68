// What LLVM's assembler tells of an expression.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_ASSEMBLY_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_ASSEMBLY_H_

#include <cstdint>
#include <optional>

#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/MC/MCValue.h"

namespace firstcall::llvm_version {

// A place at some distance from a symbol.
struct PlaceAtSymbol {
  const llvm::MCSymbol* symbol = nullptr;  // Never null.
  int64_t offset = 0;
};

// The place that `expression` names, or nothing if the expression is anything else. Not
// thread-safe: an MCContext is for one thread at a time.
inline std::optional<PlaceAtSymbol> PlaceOf(const llvm::MCExpr& expression) {
  llvm::MCValue value;
#if LLVM_VERSION_MAJOR >= 21
  if (!expression.evaluateAsRelocatable(value, /*Asm=*/nullptr)) return std::nullopt;
  if (value.getAddSym() == nullptr || value.getSubSym() != nullptr) return std::nullopt;
  return PlaceAtSymbol{value.getAddSym(), value.getConstant()};
#else
  if (!expression.evaluateAsRelocatable(value, /*Asm=*/nullptr, /*Fixup=*/nullptr)) {
    return std::nullopt;
  }
  if (value.getSymA() == nullptr || value.getSymB() != nullptr) return std::nullopt;
  return PlaceAtSymbol{&value.getSymA()->getSymbol(), value.getConstant()};
#endif
}

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_ASSEMBLY_H_
