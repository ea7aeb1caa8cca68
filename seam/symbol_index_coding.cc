// The index as bytes, of which the symbols come last. They contain no version of the format,
// because everything that depends on it does (see engine/signature).

#include <utility>

#include "base/coding.h"
#include "base/status.h"
#include "seam/symbol_index.h"

namespace firstcall {
namespace {

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
  encoder.U32(static_cast<uint32_t>(likely_locals_.size()));
  for (const auto& [name, ordinal] : likely_locals_) {
    encoder.String(name);
    encoder.U32(ordinal.value);
  }
  encoder.U32(static_cast<uint32_t>(groups_.size()));
  for (const std::vector<SymbolOrdinal>& members : groups_) {
    encoder.U32(static_cast<uint32_t>(members.size()));
    for (SymbolOrdinal member : members) encoder.U32(member.value);
  }
  EncodeLifecycle(constructors_, encoder);
  EncodeLifecycle(destructors_, encoder);
  encoder.U32(static_cast<uint32_t>(assembly_symbols_.size()));
  for (const AssemblySymbol& symbol : assembly_symbols_) {
    encoder.String(symbol.name);
    encoder.U8(symbol.is_global);
    encoder.U8(symbol.is_weak);
    encoder.U8(symbol.is_hidden);
    encoder.U64(symbol.common_size);
    encoder.String(symbol.target);
    encoder.U64(static_cast<uint64_t>(symbol.offset));
  }
  encoder.U32(static_cast<uint32_t>(weak_in_assembly_.size()));
  for (const std::string& name : weak_in_assembly_) encoder.String(name);
  encoder.U32(static_cast<uint32_t>(section_bounds_.size()));
  for (const SectionBound& bound : section_bounds_) {
    encoder.String(bound.name);
    encoder.U8(bound.is_divided);
  }
  encoder.U32(static_cast<uint32_t>(collector_tables_.size()));
  for (const std::string& name : collector_tables_) encoder.String(name);
  encoder.U8(needs_shadow_stack_);
  encoder.U64(largest_near_variable_);
  encoder.U64(function_count_);
  encoder.Raw(symbols_.bytes());
  return std::move(encoder).Take();
}

absl::StatusOr<SymbolIndex> SymbolIndex::Decode(ByteBuffer bytes) {
  Decoder decoder(bytes);
  SymbolIndex index;
  for (uint32_t left = decoder.Count(8); left > 0; --left) {
    std::string name(decoder.String());
    index.likely_locals_.emplace_hint(index.likely_locals_.end(), std::move(name),
                                      SymbolOrdinal{decoder.U32()});
  }
  index.groups_.resize(decoder.Count(4));
  for (uint32_t i = 0; i < index.groups_.size(); ++i) {
    std::vector<SymbolOrdinal>& members = index.groups_[i];
    members.resize(decoder.Count(4));
    for (SymbolOrdinal& member : members) {
      member.value = decoder.U32();
      index.group_numbers_.emplace(member, i);
    }
  }
  DecodeLifecycle(decoder, index.constructors_);
  DecodeLifecycle(decoder, index.destructors_);
  index.assembly_symbols_.resize(decoder.Count(27));
  for (AssemblySymbol& symbol : index.assembly_symbols_) {
    symbol.name = std::string(decoder.String());
    symbol.is_global = decoder.U8() != 0;
    symbol.is_weak = decoder.U8() != 0;
    symbol.is_hidden = decoder.U8() != 0;
    symbol.common_size = decoder.U64();
    symbol.target = std::string(decoder.String());
    symbol.offset = static_cast<int64_t>(decoder.U64());
  }
  index.weak_in_assembly_.resize(decoder.Count(4));
  for (std::string& name : index.weak_in_assembly_) name = std::string(decoder.String());
  index.section_bounds_.resize(decoder.Count(5));
  for (SectionBound& bound : index.section_bounds_) {
    bound.name = std::string(decoder.String());
    bound.is_divided = decoder.U8() != 0;
  }
  index.collector_tables_.resize(decoder.Count(4));
  for (std::string& name : index.collector_tables_) name = std::string(decoder.String());
  index.needs_shadow_stack_ = decoder.U8() != 0;
  index.largest_near_variable_ = decoder.U64();
  index.function_count_ = decoder.U64();
  if (!decoder.ok()) return absl::DataLossError("symbol index");
  const size_t table = bytes.size() - decoder.rest().size();
  FIRSTCALL_ASSIGN_OR_RETURN(index.symbols_, SymbolTable::Decode(std::move(bytes), table));
  return index;
}

}  // namespace firstcall
