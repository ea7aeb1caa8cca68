// A symbol of a source module.
//
// A plain value.

#ifndef FIRSTCALL_SEAM_SYMBOL_H_
#define FIRSTCALL_SEAM_SYMBOL_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "base/ids.h"

namespace firstcall {

enum class SymbolKind : uint8_t { kFunction, kVariable, kAlias, kIFunc };

struct Symbol {
  // The name in objects; unique in its source module. Local symbols have their ordinal in it.
  absl::string_view name;
  SymbolKind kind = SymbolKind::kFunction;
  // The module defines the symbol. False if `available_externally`: another module must define it.
  bool is_definition = false;
  // Known by its name only within its source module (internal, private).
  bool is_local = false;
  // A definition that gives way to an earlier or a strong one; or a declaration that may stay
  // unresolved.
  bool is_weak = false;
  // A tentative definition in C (`common`): weak, but a definition of the process does not override
  // it.
  bool is_common = false;
  bool is_thread_local = false;
  // Has hidden visibility: other libraries cannot see it.
  bool is_hidden = false;
  // The module has an alias that stands for the symbol.
  bool has_aliases = false;
  // A function with prefix data: data before its first instruction, found through its address.
  bool has_prefix = false;
  // A variable that contains the distance from a function to something. No object can express that
  // without defining the function, so code has to compute it.
  bool is_computed = false;
  // The symbol's address is `offset` bytes from that of `base`, which is the symbol itself, or, for
  // an alias, its final target. For an ifunc, `base` is the function that returns its address.
  SymbolOrdinal base;
  int64_t offset = 0;
  // The size of a variable in bytes.
  uint64_t size = 0;
};

// The symbol's kind (8 bits) and, from bit 8 on, its properties. The highest bit is 0.
inline uint32_t SymbolFlagsOf(const Symbol& symbol) {
  auto flags = static_cast<uint32_t>(symbol.kind);
  uint32_t bit = 1 << 8;
  for (bool flag : {symbol.is_definition, symbol.is_local, symbol.is_weak, symbol.is_common,
                    symbol.is_thread_local, symbol.is_hidden, symbol.has_aliases, symbol.has_prefix,
                    symbol.is_computed}) {
    if (flag) flags |= bit;
    bit <<= 1;
  }
  return flags;
}

inline void SetSymbolFlags(uint32_t flags, Symbol& symbol) {
  symbol.kind = static_cast<SymbolKind>(flags & 0xff);
  uint32_t bit = 1 << 8;
  for (bool* flag : {&symbol.is_definition, &symbol.is_local, &symbol.is_weak, &symbol.is_common,
                     &symbol.is_thread_local, &symbol.is_hidden, &symbol.has_aliases,
                     &symbol.has_prefix, &symbol.is_computed}) {
    *flag = (flags & bit) != 0;
    bit <<= 1;
  }
}

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_SYMBOL_H_
