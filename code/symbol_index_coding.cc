// The index as bytes. They contain no version of the format, because everything that depends on it
// does (see engine/signature).

#include <utility>

#include "base/coding.h"
#include "code/symbol_index.h"

namespace firstcall {
namespace {

// A symbol's kind (8 bits) and, from bit 8 on, its properties.
uint32_t FlagsOf(const Symbol& symbol) {
  uint32_t flags = static_cast<uint32_t>(symbol.kind);
  uint32_t bit = 1 << 8;
  for (bool flag : {symbol.is_definition, symbol.is_local, symbol.is_weak, symbol.is_common,
                    symbol.is_thread_local, symbol.is_hidden, symbol.has_aliases, symbol.has_prefix,
                    symbol.is_computed}) {
    if (flag) flags |= bit;
    bit <<= 1;
  }
  return flags;
}

void SetFlags(uint32_t flags, Symbol& symbol) {
  symbol.kind = static_cast<SymbolKind>(flags & 0xff);
  uint32_t bit = 1 << 8;
  for (bool* flag : {&symbol.is_definition, &symbol.is_local, &symbol.is_weak, &symbol.is_common,
                     &symbol.is_thread_local, &symbol.is_hidden, &symbol.has_aliases,
                     &symbol.has_prefix, &symbol.is_computed}) {
    *flag = (flags & bit) != 0;
    bit <<= 1;
  }
}

void EncodeLifecycle(absl::Span<const LifecycleFunction> list, Encoder& encoder) {
  encoder.U32(static_cast<uint32_t>(list.size()));
  for (const LifecycleFunction& entry : list) {
    encoder.U64(static_cast<uint64_t>(entry.priority));
    encoder.U32(entry.function.value);
  }
}

void DecodeLifecycle(Decoder& decoder, std::vector<LifecycleFunction>& list) {
  list.resize(decoder.Count(12));
  for (LifecycleFunction& entry : list) {
    entry.priority = static_cast<int64_t>(decoder.U64());
    entry.function.value = decoder.U32();
  }
}

}  // namespace

std::string SymbolIndex::Encode() const {
  Encoder encoder;
  encoder.U32(static_cast<uint32_t>(symbols_.size()));
  for (const Symbol& symbol : symbols_) {
    encoder.String(symbol.name);
    encoder.U32(FlagsOf(symbol));
    encoder.U32(symbol.base.value);
    encoder.U64(static_cast<uint64_t>(symbol.offset));
    encoder.U64(symbol.size);
  }
  encoder.U32(static_cast<uint32_t>(likely_locals_.size()));
  for (const auto& [name, ordinal] : likely_locals_) {
    encoder.String(name);
    encoder.U32(ordinal.value);
  }
  encoder.U32(static_cast<uint32_t>(groups_.size()));
  for (const auto& [ordinal, members] : groups_) {
    encoder.U32(ordinal.value);
    encoder.U32(static_cast<uint32_t>(members.size()));
    for (SymbolOrdinal member : members) encoder.U32(member.value);
  }
  EncodeLifecycle(constructors_, encoder);
  EncodeLifecycle(destructors_, encoder);
  encoder.U32(static_cast<uint32_t>(assembly_symbols_.size()));
  for (const AssemblySymbol& symbol : assembly_symbols_) {
    encoder.String(symbol.name);
    encoder.U8(symbol.is_global);
  }
  encoder.U32(static_cast<uint32_t>(section_bounds_.size()));
  for (const std::string& bound : section_bounds_) encoder.String(bound);
  encoder.U8(needs_shadow_stack_);
  encoder.U64(function_count_);
  return std::move(encoder).Take();
}

absl::StatusOr<SymbolIndex> SymbolIndex::Decode(absl::string_view bytes) {
  Decoder decoder(bytes);
  SymbolIndex index;
  index.symbols_.resize(decoder.Count(28));
  for (Symbol& symbol : index.symbols_) {
    symbol.name = std::string(decoder.String());
    SetFlags(decoder.U32(), symbol);
    symbol.base.value = decoder.U32();
    symbol.offset = static_cast<int64_t>(decoder.U64());
    symbol.size = decoder.U64();
    if (symbol.base.value >= index.symbols_.size()) return absl::DataLossError("symbol index");
  }
  index.by_name_.reserve(index.symbols_.size());
  for (uint32_t i = 0; i < index.symbols_.size(); ++i) {
    index.by_name_.emplace(index.symbols_[i].name, SymbolOrdinal{i});
  }
  for (uint32_t left = decoder.Count(8); left > 0; --left) {
    std::string name(decoder.String());
    index.likely_locals_.emplace(std::move(name), SymbolOrdinal{decoder.U32()});
  }
  for (uint32_t left = decoder.Count(8); left > 0; --left) {
    std::vector<SymbolOrdinal>& members = index.groups_[SymbolOrdinal{decoder.U32()}];
    members.resize(decoder.Count(4));
    for (SymbolOrdinal& member : members) member.value = decoder.U32();
  }
  DecodeLifecycle(decoder, index.constructors_);
  DecodeLifecycle(decoder, index.destructors_);
  index.assembly_symbols_.resize(decoder.Count(5));
  for (AssemblySymbol& symbol : index.assembly_symbols_) {
    symbol.name = std::string(decoder.String());
    symbol.is_global = decoder.U8() != 0;
  }
  index.section_bounds_.resize(decoder.Count(4));
  for (std::string& bound : index.section_bounds_) bound = std::string(decoder.String());
  index.needs_shadow_stack_ = decoder.U8() != 0;
  index.function_count_ = decoder.U64();
  if (!decoder.ok() || !decoder.rest().empty()) return absl::DataLossError("symbol index");
  return index;
}

}  // namespace firstcall
