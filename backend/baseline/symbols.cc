#include "backend/baseline/symbols.h"

#include <algorithm>
#include <cstdint>

#include "backend/baseline/constant_data.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/edges.h"
#include "backend/baseline/function_code.h"

namespace firstcall::baseline {
namespace {

// `label_owner`: the number of this function, if the data is a table of its labels.
uint32_t AppendData(FunctionCode& code, const ir::Global& variable,
                    uint32_t label_owner = ir::kNone) {
  ConstantData data;
  WriteData(variable, code.function->module(), data, label_owner);
  code.pool.Align(std::max<uint64_t>({variable.alignment(), variable.value_type()->alignment,
                                      label_owner == ir::kNone ? 1u : 8u}));
  CodeBuffer& bytes = code.pool.bytes();
  const uint32_t place = bytes.size();
  bytes.Bytes(data.bytes.data(), data.bytes.size());
  for (const ConstantData::Reference& reference : data.references) {
    code.pool.AddAddress(place + reference.offset, code.symbols.NumberOf(reference.global),
                         reference.addend);
  }
  for (const ConstantData::Label& label : data.labels) {
    code.pool.AddLabelAddress(place + label.offset, AddressLabelOf(code, label.block));
  }
  return place;
}

// Whether every reference goes to the definition that the module has.
bool IsOwn(const ir::Global& global) {
  return !global.is_declaration() && !global.IsWeakForLinker() &&
         global.linkage() != ir::Linkage::kAvailableExternally;
}

}  // namespace

uint32_t Symbols::NumberOf(const void* key, const Symbol& symbol) {
  if (const uint32_t* number = numbers_.Find(key)) return *number;
  const uint32_t number = symbols_.size();
  numbers_.Insert(key, number);
  symbols_.push_back(symbol);
  return number;
}

uint32_t Symbols::NumberOf(const ir::Global* global) { return NumberOf(global, {global}); }

// Names are literals, so that their addresses tell them apart well enough.
uint32_t Symbols::NumberOf(const char* library_function) {
  return NumberOf(library_function, {nullptr, library_function});
}

uint32_t Symbols::NumberOfControl(const ir::Global* variable) {
  // An address inside of the variable's object, where no other object begins.
  const void* key = reinterpret_cast<const char*>(variable) + 8;
  return NumberOf(key, {variable, nullptr, /*is_control=*/true});
}

bool IsNear(const FunctionCode& code, const ir::Global* global) {
  if (!code.options.is_near || !global->is_dso_local() ||
      global->linkage() == ir::Linkage::kExternalWeak) {
    return false;
  }
  return !code.options.is_for_any_linker || IsOwn(*global);
}

uint32_t PoolPlaceOf(FunctionCode& code, const ir::Global* global) {
  if (const Symbols::Symbol* symbol = code.symbols.Find(global)) {
    return symbol->place;  // Decided when the symbol was first seen.
  }
  if (!global->IsVariable() || !global->is_constant() || global->is_declaration()) return kNone;
  uint32_t place = kNone;
  if (!code.options.is_for_any_linker && IsCopied(*global, code.function->module())) {
    place = AppendData(code, *global);
  } else if (IsLabelTable(*global, code.function->module(), code.function->global_number())) {
    place = AppendData(code, *global, code.function->global_number());
  }
  code.symbols[code.symbols.NumberOf(global)].place = place;
  return place;
}

Mem LiteralOf(FunctionCode& code, uint32_t symbol) {
  uint32_t& literal = code.symbols[symbol].literal;
  if (literal == kNone) literal = code.pool.AddressOf(symbol);
  return Mem::Relative(RelativeTo::kPool, literal);
}

}  // namespace firstcall::baseline
