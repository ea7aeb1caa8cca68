#include "direct/reference_names.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "direct/constant_address.h"
#include "direct/section_names.h"
#include "ir/global.h"
#include "ir/type.h"
#include "object/large_section.h"
#include "object/symbol_name.h"

namespace firstcall::direct {
namespace {

// Copying a constant up to this size is cheaper than linking to it (splitter/reference_mapper.cc).
constexpr uint64_t kMaxCopiedBytes = 1024;

bool IsOfFunctionType(const ir::Global& global) { return global.value_type()->IsFunction(); }

// What cannot be read of the definition through its name alone: no other definition takes its
// place, and nobody else sets its value.
bool HasDefinitiveInitializer(const ir::Global& variable) {
  return !variable.initializer.IsNothing() && !variable.is_externally_initialized();
}

}  // namespace

bool IsCopied(const ir::Module& module, const SymbolIndex& index, const SymbolNumbers& numbers,
              uint32_t variable) {
  const ir::Global& global = module.globals()[variable];
  if (!global.IsVariable() || !global.HasLocalLinkage() || !global.is_constant() ||
      global.unnamed_address() != ir::UnnamedAddress::kGlobal ||
      !HasDefinitiveInitializer(global) || global.IsThreadLocal() || HasSectionName(global)) {
    return false;
  }
  const SymbolOrdinal ordinal = numbers.OrdinalOf(variable);
  const Symbol symbol = index.at(ordinal);
  return symbol.is_definition && !symbol.has_aliases && !symbol.is_computed &&
         symbol.size <= kMaxCopiedBytes && index.GroupOf(ordinal).empty();
}

Reference SymbolReferences::OfAddress(uint32_t global) {
  if (const std::optional<uint32_t> base = AliasedBy(global)) {
    Reference reference = Declare(*base);
    reference.offset = SymbolOf(global).offset;
    return reference;
  }
  const bool is_shared = shared_ != nullptr && shared_->contains(global);
  if (!is_shared && IsCopied(module_, index_, numbers_, global)) {
    Reference reference;
    reference.base = global;
    reference.is_copied = true;
    return reference;
  }
  return Declare(global);
}

Reference SymbolReferences::OfCall(uint32_t global) {
  if (const std::optional<uint32_t> base = AliasedBy(global)) {
    if (SymbolOf(global).offset != 0) return Reference();
    global = *base;
  }
  if (!IsOfFunctionType(module_.globals()[global]) || !SymbolOf(global).is_definition) {
    return Reference();
  }
  return Declare(global, kCallSuffix);
}

Reference SymbolReferences::OfTableEntry(uint32_t global) {
  if (const std::optional<uint32_t> base = AliasedBy(global)) {
    if (SymbolOf(global).offset != 0) return Reference();
    global = *base;
  }
  const ir::Global& function = module_.globals()[global];
  // A function with prefix data has it in front of its address.
  if (!function.IsFunction() || function.unnamed_address() != ir::UnnamedAddress::kGlobal ||
      !function.prefix_data().IsNothing() || !SymbolOf(global).is_definition) {
    return Reference();
  }
  return Declare(global, kTableSuffix);
}

// Separate declarations of an alias and its target would be two objects, of which one could be near
// and the other one not.
std::optional<uint32_t> SymbolReferences::AliasedBy(uint32_t global) const {
  if (module_.globals()[global].kind() != ir::GlobalKind::kAlias) return std::nullopt;
  const SymbolOrdinal ordinal = numbers_.OrdinalOf(global);
  const Symbol symbol = index_.at(ordinal);
  if (!symbol.is_definition || (symbol.is_weak && is_replaced_(ordinal))) return std::nullopt;
  SymbolOrdinal base = symbol.base;
  if (index_.at(base).is_weak && is_replaced_(base)) {
    // The name of the base means another definition.
    base = index_.KeeperOf(base, is_replaced_).value_or(base);
  }
  if (base == ordinal) return std::nullopt;
  return numbers_.GlobalOf(base);
}

Reference SymbolReferences::Declare(uint32_t global) const {
  return Declare(global, IsOfFunctionType(module_.globals()[global]) ? kStubSuffix : "");
}

// What the module does not define has its plain name in any case.
Reference SymbolReferences::Declare(uint32_t global, absl::string_view suffix) const {
  const ir::Global& original = module_.globals()[global];
  const Symbol symbol = SymbolOf(global);
  Reference reference;
  reference.base = global;
  reference.name =
      symbol.is_definition ? absl::StrCat(symbol.name, suffix) : std::string(original.name);
  reference.is_near =
      IsWithinReach(symbol) && (IsOfFunctionType(original) || !IsDeclaredLarge(global));
  return reference;
}

// Whether the definition of `symbol` is certain to be within PC-relative reach: it is the module's
// own and not too large, and no other definition (such as the process's) can override it.
bool SymbolReferences::IsWithinReach(const Symbol& symbol) const {
  if (is_far_ || !symbol.is_definition || symbol.is_weak) return false;
  const Symbol base = index_.at(symbol.base);
  return base.is_definition && !base.is_weak && base.size <= index_.largest_near_variable();
}

// Whether the source itself says that a variable may be out of reach of code: by the section or the
// code model that it gives to the variable.
bool SymbolReferences::IsDeclaredLarge(uint32_t global) const {
  if (module_.globals()[global].kind() == ir::GlobalKind::kAlias) {
    const std::optional<ConstantAddress> base =
        AddressOf(module_, module_.globals()[global].initializer);
    if (!base) return true;
    global = base->global;
  }
  const ir::Global& variable = module_.globals()[global];
  return variable.IsVariable() &&
         (variable.has_large_code_model() || IsLargeSectionName(variable.section()));
}

}  // namespace firstcall::direct
