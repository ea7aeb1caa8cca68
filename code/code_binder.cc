#include "code/code_binder.h"

#include <cstddef>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"

namespace firstcall {
namespace {

size_t PlaceSize(RelocationKind kind) { return kind == RelocationKind::kRelative32 ? 4 : 8; }

absl::StatusOr<std::vector<ExecutorAddress>> SymbolAddresses(
    const CompiledCode& code, absl::Span<const SectionPlacement> placements, SymbolLookup lookup) {
  std::vector<ExecutorAddress> addresses;
  addresses.reserve(code.symbols.size());
  for (const CodeSymbol& symbol : code.symbols) {
    if (symbol.is_defined) {
      if (symbol.section >= placements.size()) {
        return absl::InvalidArgumentError("bind code: a symbol is in no section");
      }
      addresses.push_back(placements[symbol.section].address + symbol.offset);
      continue;
    }
    absl::StatusOr<ExecutorAddress> address = lookup(code.NameOf(symbol));
    if (!address.ok()) {
      if (!symbol.is_weak || !absl::IsNotFound(address.status())) return address.status();
      address = ExecutorAddress();
    }
    addresses.push_back(*address);
  }
  return addresses;
}

absl::Status Apply(const CompiledCode& code, const CodeRelocation& relocation,
                   const SectionPlacement& placement, ExecutorAddress target) {
  uint8_t* const place = placement.bytes + relocation.offset;
  uint64_t value = target.value() + static_cast<uint64_t>(relocation.addend);
  if (relocation.kind == RelocationKind::kAbsolute64) {
    std::memcpy(place, &value, 8);
    return absl::OkStatus();
  }
  value -= (placement.address + relocation.offset).value();
  if (relocation.kind == RelocationKind::kRelative64) {
    std::memcpy(place, &value, 8);
    return absl::OkStatus();
  }
  const int64_t distance = static_cast<int64_t>(value);
  if (distance != static_cast<int32_t>(distance)) {
    return absl::ResourceExhaustedError(absl::StrCat("bind code: '",
                                                     code.NameOf(code.symbols[relocation.symbol]),
                                                     "' is out of reach of a distance of 32 bits"));
  }
  const int32_t narrow = static_cast<int32_t>(distance);
  std::memcpy(place, &narrow, 4);
  return absl::OkStatus();
}

}  // namespace

absl::Status BindCode(const CompiledCode& code, absl::Span<const SectionPlacement> placements,
                      SymbolLookup lookup) {
  const absl::StatusOr<std::vector<ExecutorAddress>> addresses =
      SymbolAddresses(code, placements, lookup);
  if (!addresses.ok()) return addresses.status();
  for (const CodeRelocation& relocation : code.relocations) {
    if (relocation.section >= placements.size() || relocation.symbol >= addresses->size() ||
        relocation.offset + PlaceSize(relocation.kind) >
            code.sections[relocation.section].bytes.size()) {
      return absl::InvalidArgumentError("bind code: a relocation is out of bounds");
    }
    absl::Status applied =
        Apply(code, relocation, placements[relocation.section], (*addresses)[relocation.symbol]);
    if (!applied.ok()) return applied;
  }
  return absl::OkStatus();
}

}  // namespace firstcall
