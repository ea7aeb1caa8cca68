#include "direct/symbol_index_reader.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "backend/baseline/symbol_name.h"
#include "base/status.h"
#include "bitcode/intrinsic_upgrade.h"
#include "direct/computed_variables.h"
#include "direct/constant_address.h"
#include "direct/label_finder.h"
#include "direct/lifecycle_reader.h"
#include "direct/section_names.h"
#include "direct/symbol_numbers.h"
#include "ir/constant.h"
#include "ir/global.h"
#include "seam/symbol_index_builder.h"

namespace firstcall::direct {
namespace {

// The number of llvm::CallingConv. The name of such a function depends on its parameters.
constexpr ir::CallingConvention kVectorCall = 80;
// The number of bitcode (ir::Comdat).
constexpr uint8_t kNoDuplicates = 4;

constexpr absl::string_view kReservedPrefix = "llvm.";

// What a name has behind "llvm." if the intrinsic's name depends on types since a later LLVM.
constexpr absl::string_view kWithoutTypes[] = {
    "eh.typeid.for", "va_start",     "va_copy",        "va_end",
    "stacksave",     "stackrestore", "var.annotation", "threadlocal.address",
    "prefetch",      "frameaddress", "sponentry",      "addressofreturnaddress",
};

// Whether LLVM 19 calls the intrinsic `name` by a name with more types.
bool LacksTypes(absl::string_view name) {
  absl::ConsumePrefix(&name, kReservedPrefix);
  if (std::find(std::begin(kWithoutTypes), std::end(kWithoutTypes), name) !=
      std::end(kWithoutTypes)) {
    return true;
  }
  // These two have had the type of a pointer, too, since LLVM 16.
  if (!absl::ConsumePrefix(&name, "ptr.annotation.") && !absl::ConsumePrefix(&name, "annotation."))
    return false;
  return !absl::StrContains(name, '.');
}

// Whether the constant's meaning for data is known.
bool IsKnown(const ir::Constant& constant) {
  return constant.kind != ir::ConstantKind::kOther || constant.operands().empty();
}

class IndexReader {
 public:
  explicit IndexReader(const ir::Module& module)
      : module_(module),
        globals_(module.globals()),
        numbers_(module),
        is_macho_(module.layout().symbol_prefix() == '_'),
        builder_(globals_.size()) {}

  absl::StatusOr<SymbolIndex> Read() {
    FIRSTCALL_RETURN_IF_ERROR(RefuseModule());
    FIRSTCALL_RETURN_IF_ERROR(DescribeAll());
    FIRSTCALL_RETURN_IF_ERROR(ResolveAll());
    builder_.MakeNamesUnique();
    FIRSTCALL_RETURN_IF_ERROR(CollectLikelyLocals());
    FIRSTCALL_RETURN_IF_ERROR(FindGroups());
    MarkComputed();
    FIRSTCALL_RETURN_IF_ERROR(builder_.CheckComputed());
    NameSections();
    FIRSTCALL_RETURN_IF_ERROR(ReadLifecycles());
    return builder_.Finish();
  }

 private:
  absl::Status RefuseModule() const {
    if (module_.has_assembly()) return absl::UnimplementedError("assembly of the module");
    if (module_.FlagOf("kcfi") != 0) {
      return absl::UnimplementedError("hashes of types in front of functions");
    }
    for (const ir::Constant& constant : module_.constants().subspan(globals_.size())) {
      if (!IsKnown(constant)) return absl::UnimplementedError("a constant that only LLVM knows");
    }
    return absl::OkStatus();
  }

  // In the order of the ordinals.
  absl::Status DescribeAll() {
    for (uint32_t i = 0; i < globals_.size(); ++i) {
      const uint32_t number = numbers_.GlobalOf(SymbolOrdinal{i});
      const ir::Global& global = globals_[number];
      if (!numbers_.IsInOrder(number, global.kind())) {
        return absl::UnimplementedError("functions before variables, or behind aliases");
      }
      FIRSTCALL_RETURN_IF_ERROR(Describe(global));
    }
    return absl::OkStatus();
  }

  absl::Status Describe(const ir::Global& global) {
    Symbol symbol;
    symbol.name = baseline::SymbolNameOf(global, module_.layout());
    const bool is_reserved = absl::StartsWith(symbol.name, kReservedPrefix);
    symbol.is_local = global.HasLocalLinkage() || symbol.name.empty();
    symbol.is_definition = !global.is_declaration() &&
                           global.linkage() != ir::Linkage::kAvailableExternally &&
                           global.linkage() != ir::Linkage::kAppending && !is_reserved;
    symbol.is_weak = global.IsWeakForLinker() || IsOneOfSeveral(global);
    symbol.is_common = global.linkage() == ir::Linkage::kCommon;
    symbol.is_thread_local = global.IsThreadLocal();
    symbol.is_hidden = global.visibility() == ir::Visibility::kHidden;
    if (is_reserved) FIRSTCALL_RETURN_IF_ERROR(NoteReserved(global));
    switch (global.kind()) {
      case ir::GlobalKind::kVariable:
        return AddVariable(global, symbol);
      case ir::GlobalKind::kFunction:
        return AddFunction(global, symbol);
      case ir::GlobalKind::kAlias:
        symbol.kind = SymbolKind::kAlias;
        break;
      case ir::GlobalKind::kIfunc:
        symbol.kind = SymbolKind::kIFunc;
        break;
    }
    return builder_.Add(symbol);
  }

  // Whether the definition is strong, and a static linker takes one of several all the same,
  // because they are in COMDAT groups of the same name.
  bool IsOneOfSeveral(const ir::Global& global) const {
    if (global.linkage() != ir::Linkage::kExternal || global.is_declaration()) return false;
    uint32_t comdat = global.comdat;
    if (global.kind() == ir::GlobalKind::kAlias && !module_.comdats().empty()) {
      const std::optional<ConstantAddress> base = AddressOf(module_, global.initializer);
      if (base) comdat = globals_[base->global].comdat;
    }
    return comdat != ir::kNone && module_.comdats()[comdat].selection != kNoDuplicates;
  }

  // The names are IR's: a name with a mark is none of them.
  absl::Status NoteReserved(const ir::Global& global) {
    if (global.IsFunction()) return CheckIntrinsic(global);
    if (!global.IsVariable() || global.HasLocalLinkage()) return absl::OkStatus();
    const uint32_t number = module_.NumberOf(global);
    if (global.name == "llvm.used") special_.used = number;
    if (global.name == "llvm.compiler.used") special_.compiler_used = number;
    if (global.name == "llvm.global_ctors") special_.constructors = number;
    if (global.name == "llvm.global_dtors") special_.destructors = number;
    return absl::OkStatus();
  }

  static absl::Status CheckIntrinsic(const ir::Global& global) {
    if (global.intrinsic() == ir::IntrinsicId::kLocalrecover) {
      return absl::UnimplementedError("a function that reaches another function's frame");
    }
    // LLVM adds a function of another name to the module.
    if (bitcode::IsUpgradedIntrinsic(global.name, *global.value_type()) ||
        LacksTypes(global.name)) {
      return absl::UnimplementedError(
          absl::StrCat("function '", global.name, "': an intrinsic of another version of LLVM"));
    }
    return absl::OkStatus();
  }

  absl::Status AddVariable(const ir::Global& variable, Symbol& symbol) {
    symbol.kind = SymbolKind::kVariable;
    if (symbol.is_definition) symbol.size = variable.value_type()->alloc_size;
    if (!variable.is_declaration() && HasSectionName(variable)) has_sections_ = true;
    FIRSTCALL_RETURN_IF_ERROR(builder_.Add(symbol));
    if (!symbol.is_definition || variable.value_type()->is_sized) return absl::OkStatus();
    return absl::UnimplementedError(
        absl::StrCat("variable '", symbol.name, "': a type whose size only LLVM knows"));
  }

  absl::Status AddFunction(const ir::Global& function, Symbol& symbol) {
    symbol.kind = SymbolKind::kFunction;
    if (function.convention() == kVectorCall) {
      return absl::UnimplementedError(
          absl::StrCat("function '", symbol.name, "': a calling convention that changes the name"));
    }
    if (symbol.is_definition) {
      symbol.has_prefix = !function.prefix_data().IsNothing();
      if (function.collector() == "shadow-stack") builder_.NoteShadowStack();
      if (function.collector() == "ocaml") {
        return absl::UnimplementedError(
            absl::StrCat("function '", symbol.name, "': the garbage collector of OCaml"));
      }
    }
    return builder_.Add(symbol);
  }

  absl::Status ResolveAll() {
    const uint32_t first = numbers_.variable_count();
    const uint32_t end = numbers_.count() - numbers_.function_count();
    for (uint32_t i = first; i < end; ++i) FIRSTCALL_RETURN_IF_ERROR(Resolve(SymbolOrdinal{i}));
    return absl::OkStatus();
  }

  absl::Status Resolve(SymbolOrdinal ordinal) {
    const ir::Global& global = globals_[numbers_.GlobalOf(ordinal)];
    const std::optional<ConstantAddress> target = AddressOf(module_, global.initializer);
    if (global.kind() == ir::GlobalKind::kIfunc) {
      if (!target || target->offset != 0 || !globals_[target->global].IsFunction()) {
        return absl::UnimplementedError(absl::StrCat("ifunc '", builder_.at(ordinal).name,
                                                     "': a resolver other than a function"));
      }
      builder_.ResolveIFunc(ordinal, numbers_.OrdinalOf(target->global));
      return absl::OkStatus();
    }
    if (!target) {
      return absl::UnimplementedError(
          absl::StrCat("alias '", builder_.at(ordinal).name,
                       "': an aliasee other than a symbol plus a constant offset"));
    }
    return builder_.ResolveAlias(ordinal, numbers_.OrdinalOf(target->global), target->offset);
  }

  absl::Status CollectLikelyLocals() {
    FIRSTCALL_RETURN_IF_ERROR(AppendUsed(module_, special_.used, used_));
    std::vector<uint32_t> likely = used_;
    FIRSTCALL_RETURN_IF_ERROR(AppendUsed(module_, special_.compiler_used, likely));
    for (uint32_t number : likely) {
      const absl::string_view name = baseline::SymbolNameOf(globals_[number], module_.layout());
      if (globals_[number].name.empty()) continue;
      builder_.AddLikelyLocal(name, numbers_.OrdinalOf(number));
    }
    std::sort(used_.begin(), used_.end());
    return absl::OkStatus();
  }

  // Unites each function with the variables that hold the address of one of its blocks.
  absl::Status FindGroups() {
    if (module_.block_addresses().empty()) return absl::OkStatus();
    LabelFinder labels(module_);
    for (uint32_t number = 0; number < globals_.size(); ++number) {
      const ir::Global& global = globals_[number];
      for (ir::Operand other :
           {global.personality(), global.prefix_data(), global.prologue_data()}) {
        if (!labels.OwnersIn(other).empty()) {
          return absl::UnimplementedError("the address of a block in the data of a function");
        }
      }
      for (uint32_t owner : labels.OwnersIn(global.initializer)) {
        FIRSTCALL_RETURN_IF_ERROR(Unite(owner, number));
      }
    }
    builder_.NumberGroups();
    return absl::OkStatus();
  }

  // Which of them may be compiled apart from other variables of a section, bodies tell.
  absl::Status Unite(uint32_t owner, uint32_t holder) {
    const SymbolOrdinal function = numbers_.OrdinalOf(owner);
    const SymbolOrdinal variable = numbers_.OrdinalOf(holder);
    if (!builder_.at(function).is_definition || !builder_.at(variable).is_definition ||
        builder_.at(variable).kind != SymbolKind::kVariable || HasSectionName(globals_[holder])) {
      return absl::UnimplementedError(
          absl::StrCat("variable '", builder_.at(variable).name, "': an unusual place of labels"));
    }
    builder_.Unite(function, variable);
    return absl::OkStatus();
  }

  void MarkComputed() {
    if (!HasDifferences(module_)) return;
    const auto is_elsewhere = [&](uint32_t global) {
      const Symbol& symbol = builder_.at(numbers_.OrdinalOf(global));
      if (symbol.is_definition && symbol.kind != SymbolKind::kVariable) return true;
      return is_macho_ && (!symbol.is_definition || symbol.is_weak);
    };
    for (uint32_t variable : ComputedVariables(module_, is_elsewhere, is_macho_)) {
      builder_.MarkComputed(numbers_.OrdinalOf(variable));
    }
  }

  void NameSections() {
    if (!has_sections_) return;
    for (uint32_t number = 0; number < numbers_.variable_count(); ++number) {
      if (!builder_.at(numbers_.OrdinalOf(number)).is_definition) continue;
      for (absl::string_view section : SectionNames(module_, globals_[number])) {
        builder_.AddSection(section, /*is_divided=*/false);
      }
    }
  }

  absl::Status ReadLifecycles() {
    FIRSTCALL_ASSIGN_OR_RETURN(
        std::vector<LifecycleFunction> constructors,
        ReadLifecycle(module_, numbers_, LifecyclePhase::kStart, special_.constructors, used_));
    FIRSTCALL_ASSIGN_OR_RETURN(
        std::vector<LifecycleFunction> destructors,
        ReadLifecycle(module_, numbers_, LifecyclePhase::kEnd, special_.destructors, used_));
    builder_.SetLifecycle(std::move(constructors), std::move(destructors));
    return absl::OkStatus();
  }

  const ir::Module& module_;
  const absl::Span<const ir::Global> globals_;
  const SymbolNumbers numbers_;
  const bool is_macho_;
  SymbolIndexBuilder builder_;
  SpecialVariables special_;
  std::vector<uint32_t> used_;  // What llvm.used names; sorted.
  bool has_sections_ = false;   // A variable has a section.
};

}  // namespace

absl::StatusOr<SymbolIndex> ReadSymbolIndex(const ir::Module& module) {
  return IndexReader(module).Read();
}

}  // namespace firstcall::direct
