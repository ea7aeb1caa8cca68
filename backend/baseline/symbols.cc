// Symbols, the addresses of far ones, and constants that come along with the function.

#include "backend/baseline/constant_data.h"
#include "backend/baseline/lowering.h"
#include "llvm/IR/GlobalVariable.h"

namespace firstcall::baseline {

uint32_t Lowering::SymbolOf(const llvm::GlobalValue* global) {
  uint32_t number = symbol_numbers_.Find(global);
  if (number == PointerMap::kMissing) {
    number = symbols_.size();
    symbol_numbers_.Insert(global, number);
    symbols_.push_back({global, nullptr, kNone, false});
  }
  return number;
}

// Names are literals, so that their addresses tell them apart well enough.
uint32_t Lowering::SymbolOf(const char* library_function) {
  uint32_t number = symbol_numbers_.Find(library_function);
  if (number == PointerMap::kMissing) {
    number = symbols_.size();
    symbol_numbers_.Insert(library_function, number);
    symbols_.push_back({nullptr, library_function, kNone, false});
  }
  return number;
}

uint32_t Lowering::ControlSymbolOf(const llvm::GlobalValue* variable) {
  // An address inside of the variable's object, where no other object begins.
  const void* key = reinterpret_cast<const char*>(variable) + 8;
  uint32_t number = symbol_numbers_.Find(key);
  if (number == PointerMap::kMissing) {
    number = symbols_.size();
    symbol_numbers_.Insert(key, number);
    symbols_.push_back({variable, nullptr, kNone, true});
  }
  return number;
}

uint32_t Lowering::PoolPlaceOf(const llvm::GlobalValue* global) {
  if (const uint32_t number = symbol_numbers_.Find(global); number != PointerMap::kMissing) {
    return symbols_[number].place;  // Decided when the symbol was first seen.
  }
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(global);
  if (variable == nullptr || !variable->isConstant() || !variable->hasInitializer()) return kNone;
  uint32_t place = kNone;
  if (IsCopied(*variable)) {
    place = AppendData(*variable);
  } else if (IsLabelTable(*variable, *function_)) {
    place = AppendLabelTable(*variable);
  }
  symbols_[SymbolOf(global)].place = place;
  return place;
}

uint32_t Lowering::AppendLabelTable(const llvm::GlobalVariable& variable) {
  const auto* table = llvm::cast<llvm::ConstantArray>(variable.getInitializer());
  uint32_t first = kNone;
  for (const llvm::Use& entry : table->operands()) {
    const auto* address = llvm::cast<llvm::BlockAddress>(entry.get());
    const uint32_t at = pool_.AddressOfLabel(AddressLabelOf(address->getBasicBlock()));
    if (first == kNone) first = at;
  }
  return first;
}

uint32_t Lowering::AppendData(const llvm::GlobalVariable& variable) {
  ConstantData data;
  WriteData(variable, data);
  CodeBuffer& bytes = pool_.bytes();
  const llvm::Align alignment =
      std::max(variable.getAlign().valueOrOne(), layout_->getABITypeAlign(variable.getValueType()));
  bytes.Align(std::min<uint64_t>(alignment.value(), 16), 0);
  const uint32_t place = bytes.size();
  bytes.Bytes(data.bytes.data(), data.bytes.size());
  for (const ConstantData::Reference& reference : data.references) {
    pool_.AddAddress(place + reference.offset, SymbolOf(reference.global), reference.addend);
  }
  return place;
}

bool Lowering::IsNear(const llvm::GlobalValue* global) const {
  return options_.is_near && global->isDSOLocal() && !global->hasExternalWeakLinkage();
}

Mem Lowering::LiteralOf(uint32_t symbol) {
  uint32_t& literal = symbols_[symbol].literal;
  if (literal == kNone) literal = pool_.AddressOf(symbol);
  return Mem::Relative(RelativeTo::kPool, literal);
}

}  // namespace firstcall::baseline
