// Symbols, the addresses of far ones, and constants that come along with the function.

#include <algorithm>

#include "backend/baseline/constant_data.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/lowering.h"

namespace firstcall::baseline {

uint32_t Lowering::NumberOfSymbol(const void* key, const Symbol& symbol) {
  if (const uint32_t* number = symbol_numbers_.Find(key)) return *number;
  const uint32_t number = symbols_.size();
  symbol_numbers_.Insert(key, number);
  symbols_.push_back(symbol);
  return number;
}

uint32_t Lowering::SymbolOf(const ir::Global* global) {
  return NumberOfSymbol(global, {global, nullptr, kNone, false});
}

// Names are literals, so that their addresses tell them apart well enough.
uint32_t Lowering::SymbolOf(const char* library_function) {
  return NumberOfSymbol(library_function, {nullptr, library_function, kNone, false});
}

uint32_t Lowering::ControlSymbolOf(const ir::Global* variable) {
  // An address inside of the variable's object, where no other object begins.
  const void* key = reinterpret_cast<const char*>(variable) + 8;
  return NumberOfSymbol(key, {variable, nullptr, kNone, true});
}

uint32_t Lowering::PoolPlaceOf(const ir::Global* global) {
  if (const uint32_t* number = symbol_numbers_.Find(global)) {
    return symbols_[*number].place;  // Decided when the symbol was first seen.
  }
  if (!global->IsVariable() || !global->is_constant || global->is_declaration) return kNone;
  uint32_t place = kNone;
  if (IsCopied(*global, function_->module())) {
    place = AppendData(*global);
  } else if (IsLabelTable(*global, function_->module(), function_->global_number())) {
    place = AppendLabelTable(*global);
  }
  symbols_[SymbolOf(global)].place = place;
  return place;
}

uint32_t Lowering::AppendLabelTable(const ir::Global& variable) {
  const ir::Module& module = function_->module();
  uint32_t first = kNone;
  for (ir::Operand entry : module.constant(variable.initializer).operands()) {
    const uint32_t at = pool_.AddressOfLabel(AddressLabelOf(module.constant(entry).block()));
    if (first == kNone) first = at;
  }
  return first;
}

uint32_t Lowering::AppendData(const ir::Global& variable) {
  ConstantData data;
  WriteData(variable, function_->module(), data);
  CodeBuffer& bytes = pool_.bytes();
  const uint64_t alignment = std::max<uint64_t>(variable.alignment, variable.value_type->alignment);
  bytes.Align(std::min<uint64_t>(alignment, 16), 0);
  const uint32_t place = bytes.size();
  bytes.Bytes(data.bytes.data(), data.bytes.size());
  for (const ConstantData::Reference& reference : data.references) {
    pool_.AddAddress(place + reference.offset, SymbolOf(reference.global), reference.addend);
  }
  return place;
}

bool Lowering::IsNear(const ir::Global* global) const {
  return options_.is_near && global->is_dso_local && global->linkage != ir::Linkage::kExternalWeak;
}

Mem Lowering::LiteralOf(uint32_t symbol) {
  uint32_t& literal = symbols_[symbol].literal;
  if (literal == kNone) literal = pool_.AddressOf(symbol);
  return Mem::Relative(RelativeTo::kPool, literal);
}

}  // namespace firstcall::baseline
