#include "direct/data_choice.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "backend/baseline/constant_data.h"
#include "base/status.h"
#include "direct/reference_names.h"
#include "direct/symbol_numbers.h"
#include "ir/constant.h"
#include "ir/type.h"
#include "object/large_section.h"
#include "object/symbol_name.h"

namespace firstcall::direct {
namespace {

// As splitter/data_extractor.cc has it.
constexpr uint64_t kCacheLineBytes = 64;

// LLVM writes nothing for variables of this section.
constexpr absl::string_view kMetadataSection = "llvm.metadata";

absl::Status Refuse(absl::string_view name, absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat("variable '", name, "': ", what));
}

absl::Status RefuseVariable(const ir::Global& variable, const Symbol& symbol,
                            bool drops_debug_info) {
  if (symbol.is_computed) return Refuse(symbol.name, "an initializer that code computes");
  if (baseline::HasImplicitSection(variable)) {
    return Refuse(symbol.name, "a section by an attribute");
  }
  if (variable.address_space() != 0) return Refuse(symbol.name, "an address space of its own");
  if (variable.has_debug_information() && !drops_debug_info) {
    return Refuse(symbol.name, "debug information");
  }
  return absl::OkStatus();
}

class Chooser {
 public:
  Chooser(const ir::Module& module, const SymbolIndex& index)
      : module_(module), index_(index), numbers_(module) {}

  absl::StatusOr<std::vector<ChosenVariable>> Choose(IsReplaced is_replaced,
                                                     bool drops_debug_info) {
    drops_debug_info_ = drops_debug_info;
    FIRSTCALL_RETURN_IF_ERROR(RefuseModule());
    for (uint32_t number = 0; number < numbers_.variable_count(); ++number) {
      if (IsMoved(number)) FIRSTCALL_RETURN_IF_ERROR(AddMoved(number, is_replaced));
    }
    for (uint32_t number = 0; number < numbers_.variable_count(); ++number) {
      if (IsCopied(module_, index_, numbers_, number)) {
        FIRSTCALL_RETURN_IF_ERROR(Add(number, /*is_moved=*/false));
      }
    }
    return std::move(chosen_);
  }

  bool HasMoved() const {
    for (uint32_t number = 0; number < numbers_.variable_count(); ++number) {
      if (IsMoved(number)) return true;
    }
    return false;
  }

  bool HasPrefix() const {
    for (uint32_t i = 0; i < numbers_.function_count(); ++i) {
      const ir::Global& function = module_.globals()[numbers_.variable_count() + i];
      if (!function.prefix_data().IsNothing() && index_.at(OrdinalOf(function)).has_prefix) {
        return true;
      }
    }
    return false;
  }

 private:
  SymbolOrdinal OrdinalOf(const ir::Global& global) const {
    return numbers_.OrdinalOf(module_.NumberOf(global));
  }

  absl::Status RefuseModule() const {
    if (module_.has_assembly()) return absl::UnimplementedError("assembly of the module");
    if (module_.layout().symbol_prefix() != 0) return absl::UnimplementedError("objects of Mach-O");
    if (HasPrefix()) return absl::UnimplementedError("prefix data of a function");
    if (index_.needs_shadow_stack()) return absl::UnimplementedError("a list of garbage's roots");
    return absl::OkStatus();
  }

  bool IsMoved(uint32_t number) const {
    const SymbolOrdinal ordinal = numbers_.OrdinalOf(number);
    return index_.at(ordinal).is_definition && index_.GroupOf(ordinal).empty() &&
           !IsCopied(module_, index_, numbers_, number);
  }

  absl::Status AddMoved(uint32_t number, IsReplaced is_replaced) {
    const SymbolOrdinal ordinal = numbers_.OrdinalOf(number);
    const Symbol symbol = index_.at(ordinal);
    if (!symbol.is_weak || !is_replaced(ordinal)) return Add(number, /*is_moved=*/true);
    if (!index_.KeeperOf(ordinal, is_replaced)) return absl::OkStatus();
    return Refuse(symbol.name, "an alias keeps the definition, which is replaced");
  }

  absl::Status Add(uint32_t number, bool is_moved) {
    const ir::Global& original = module_.globals()[number];
    if (original.section() == kMetadataSection) return absl::OkStatus();
    const Symbol symbol = index_.at(numbers_.OrdinalOf(number));
    ChosenVariable chosen;
    chosen.global = number;
    chosen.name = symbol.name;
    const bool has_section = !original.section().empty();
    // As splitter/table_entries.cc: a section must keep the properties that its other variables
    // give it.
    chosen.is_table = original.is_constant() && !original.IsThreadLocal() && !has_section;
    FIRSTCALL_ASSIGN_OR_RETURN(chosen.definition,
                               DefinitionOf(module_, number, symbol, drops_debug_info_));
    ir::NewGlobal& definition = chosen.definition;
    if (!original.IsThreadLocal() && !has_section) {
      if (is_moved) AlignToCacheLine(definition.traits);
      if (symbol.size > index_.largest_near_variable()) {
        FIRSTCALL_RETURN_IF_ERROR(PlaceApart(symbol.name, definition));
      }
    }
    chosen_.push_back(std::move(chosen));
    return absl::OkStatus();
  }

  void AlignToCacheLine(ir::GlobalTraits& variable) const {
    const ir::Type& type = *variable.value_type;
    if (type.alloc_size < kCacheLineBytes) return;
    const uint64_t alignment =
        variable.alignment != 0 ? variable.alignment : module_.layout().PreferredAlignment(type);
    if (alignment < kCacheLineBytes) variable.alignment = kCacheLineBytes;
  }

  // A constant of nothing but zeros becomes a writable variable, so that no object has these zeros.
  absl::Status PlaceApart(absl::string_view name, ir::NewGlobal& variable) const {
    const ir::Constant& initializer = module_.constant(variable.initializer);
    if (!initializer.IsZero() && !initializer.IsUndefined()) {
      return Refuse(name, "it is large, and not zero");
    }
    variable.traits.is_constant = false;
    variable.traits.section = kLargeZeroSection;
    variable.traits.is_dso_local = false;
    return absl::OkStatus();
  }

  const ir::Module& module_;
  const SymbolIndex& index_;
  const SymbolNumbers numbers_;
  bool drops_debug_info_ = false;
  std::vector<ChosenVariable> chosen_;
};

}  // namespace

absl::StatusOr<std::vector<ChosenVariable>> ChooseData(const ir::Module& module,
                                                       const SymbolIndex& index,
                                                       IsReplaced is_replaced,
                                                       bool drops_debug_info) {
  return Chooser(module, index).Choose(is_replaced, drops_debug_info);
}

absl::StatusOr<ir::NewGlobal> DefinitionOf(const ir::Module& module, uint32_t global,
                                           const Symbol& symbol, bool drops_debug_info) {
  const ir::Global& original = module.globals()[global];
  FIRSTCALL_RETURN_IF_ERROR(RefuseVariable(original, symbol, drops_debug_info));
  ir::NewGlobal definition(original);
  definition.name = symbol.name;
  definition.comdat = ir::kNone;
  definition.traits.linkage = ir::Linkage::kExternal;
  definition.traits.visibility = ir::Visibility::kDefault;
  definition.traits.is_dso_local = true;
  if (drops_debug_info) definition.traits.has_debug_information = false;
  return definition;
}

bool HasData(const ir::Module& module, const SymbolIndex& index) {
  const Chooser chooser(module, index);
  return !index.assembly_symbols().empty() || index.needs_shadow_stack() || module.has_assembly() ||
         chooser.HasPrefix() || chooser.HasMoved();
}

}  // namespace firstcall::direct
