#include "splitter/symbol_index_builder.h"

#include <algorithm>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "object/symbol_name.h"
#include "splitter/assembly_reader.h"
#include "splitter/large_variables.h"
#include "splitter/lifecycle_reader.h"
#include "splitter/object_name.h"
#include "splitter/object_ties.h"
#include "splitter/section_names.h"

namespace firstcall {

namespace {

// Whether the definition is strong, and a static linker takes one of several all the same, because
// they are in COMDAT groups of the same name.
bool IsOneOfSeveral(const llvm::GlobalValue& value) {
  const llvm::Comdat* const group = value.getComdat();
  return group != nullptr && value.hasExternalLinkage() && !value.isDeclaration() &&
         group->getSelectionKind() != llvm::Comdat::NoDeduplicate;
}

}  // namespace

// Builds an index in steps; each step reads only the view and the results of earlier steps.
class SymbolIndexBuilder {
 public:
  explicit SymbolIndexBuilder(const ModuleView& view) : view_(view) {}

  absl::StatusOr<SymbolIndex> Build() {
    names_.resize(view_.symbol_count());
    symbols_.resize(view_.symbol_count());
    for (size_t i = 0; i < view_.symbol_count(); ++i) {
      if (absl::Status status = Describe(OrdinalAt(i)); !status.ok()) return status;
    }
    for (size_t i = 0; i < view_.symbol_count(); ++i) {
      if (absl::Status status = ResolveAlias(OrdinalAt(i)); !status.ok()) return status;
    }
    MakeNamesUnique();
    const auto roots = by_name_.find(kShadowStackRoots);
    const bool has_roots = roots != by_name_.end() && symbols_[roots->second.value].is_definition;
    index_.needs_shadow_stack_ = uses_shadow_stack_ && !has_roots;
    CollectLikelyLocals();
    FIRSTCALL_RETURN_IF_ERROR(FindGroups());
    if (absl::Status status = FindComputedVariables(); !status.ok()) return status;
    NameSectionBounds();
    if (uses_ocaml_collector_) NameCollectorTables();
    FIRSTCALL_ASSIGN_OR_RETURN(index_.constructors_, ReadConstructors(view_));
    FIRSTCALL_ASSIGN_OR_RETURN(index_.destructors_, ReadDestructors(view_));
    CollectAssemblySymbols();
    index_.largest_near_variable_ = LargestNearVariable(SizesOfVariables());
    index_.symbols_ = SymbolTable::Of(symbols_);
    return std::move(index_);
  }

 private:
  static SymbolOrdinal OrdinalAt(size_t i) { return SymbolOrdinal{static_cast<uint32_t>(i)}; }

  absl::Status Describe(SymbolOrdinal ordinal) {
    const llvm::GlobalValue& value = view_.symbol(ordinal);
    Symbol& symbol = symbols_[ordinal.value];
    std::string name = ObjectName(value);
    if (absl::StrContains(name, kReservedMark)) {
      return absl::UnimplementedError(
          absl::StrCat("symbol '", name, "': names with '", kReservedMark, "' are reserved"));
    }
    symbol.is_local = value.hasLocalLinkage() || name.empty();
    symbol.is_definition = !value.isDeclarationForLinker() && !value.hasAppendingLinkage() &&
                           !absl::StartsWith(name, "llvm.");
    SetName(ordinal, symbol.is_local ? LocalSymbolName(name, ordinal) : std::move(name));
    symbol.is_weak = value.isWeakForLinker() || IsOneOfSeveral(value);
    symbol.is_common = value.hasCommonLinkage();
    symbol.is_thread_local = value.isThreadLocal();
    symbol.is_hidden = value.hasHiddenVisibility();
    symbol.base = ordinal;
    if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value)) {
      symbol.kind = SymbolKind::kVariable;
      if (symbol.is_definition) {
        const llvm::Type* type = variable->getValueType();
        if (!type->isSized() || type->isScalableTy()) {
          return absl::InvalidArgumentError(
              absl::StrCat("variable '", symbol.name, "' is not valid IR: its type has no size"));
        }
        symbol.size = view_.module().getDataLayout().getTypeAllocSize(variable->getValueType());
      }
    } else if (llvm::isa<llvm::GlobalAlias>(value)) {
      symbol.kind = SymbolKind::kAlias;
    } else if (llvm::isa<llvm::GlobalIFunc>(value)) {
      symbol.kind = SymbolKind::kIFunc;
    } else {
      symbol.kind = SymbolKind::kFunction;
      if (!symbol.is_definition) return absl::OkStatus();
      const auto& function = llvm::cast<llvm::Function>(value);
      symbol.has_prefix = function.hasPrefixData();
      if (function.hasGC()) {
        if (function.getGC() == "shadow-stack") uses_shadow_stack_ = true;
        if (function.getGC() == "ocaml") uses_ocaml_collector_ = true;
      }
      ++index_.function_count_;
    }
    return absl::OkStatus();
  }

  std::vector<uint64_t> SizesOfVariables() const {
    std::vector<uint64_t> sizes;
    for (const Symbol& symbol : symbols_) {
      const bool is_variable = symbol.kind == SymbolKind::kVariable && symbol.is_definition;
      if (is_variable && !symbol.is_thread_local) sizes.push_back(symbol.size);
    }
    return sizes;
  }

  absl::Status ResolveIFunc(SymbolOrdinal ordinal, const llvm::GlobalIFunc& ifunc) {
    const llvm::Function* resolver = ifunc.getResolverFunction();
    Symbol& symbol = symbols_[ordinal.value];
    if (resolver == nullptr || !view_.ordinal_of(*resolver)) {
      return absl::UnimplementedError(
          absl::StrCat("ifunc '", symbol.name, "': a resolver other than a function"));
    }
    symbol.base = *view_.ordinal_of(*resolver);
    return absl::OkStatus();
  }

  absl::Status ResolveAlias(SymbolOrdinal ordinal) {
    if (const auto* ifunc = llvm::dyn_cast<llvm::GlobalIFunc>(&view_.symbol(ordinal))) {
      return ResolveIFunc(ordinal, *ifunc);
    }
    const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(&view_.symbol(ordinal));
    if (alias == nullptr) return absl::OkStatus();
    const llvm::DataLayout& layout = view_.module().getDataLayout();
    llvm::APInt offset(layout.getIndexTypeSizeInBits(alias->getType()), 0);
    const llvm::Value* target = alias->getAliasee()->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    Symbol& symbol = symbols_[ordinal.value];
    llvm::SmallPtrSet<const llvm::Value*, 4> seen;
    while (const auto* next = llvm::dyn_cast<llvm::GlobalAlias>(target)) {
      if (!seen.insert(next).second) {
        return absl::InvalidArgumentError(
            absl::StrCat("alias '", symbol.name, "' is not valid IR: it leads to itself"));
      }
      target = next->getAliasee()->stripAndAccumulateConstantOffsets(layout, offset,
                                                                     /*AllowNonInbounds=*/true);
    }
    const auto* base = llvm::dyn_cast<llvm::GlobalValue>(target);
    if (base == nullptr || !view_.ordinal_of(*base)) {
      return absl::UnimplementedError(absl::StrCat(
          "alias '", symbol.name, "': an aliasee other than a symbol plus a constant offset"));
    }
    symbol.base = *view_.ordinal_of(*base);
    symbol.offset = offset.getSExtValue();
    symbol.size = symbols_[symbol.base.value].size;
    symbols_[symbol.base.value].has_aliases = true;
    if (symbol.is_thread_local && symbol.offset != 0) {
      return absl::UnimplementedError(
          absl::StrCat("alias '", symbol.name, "': a part of a thread-local variable"));
    }
    return absl::OkStatus();
  }

  void SetName(SymbolOrdinal ordinal, std::string name) {
    names_[ordinal.value] = std::move(name);
    symbols_[ordinal.value].name = names_[ordinal.value];
  }

  // Global names are added first: if a local name equals one of them, the local name is changed.
  void MakeNamesUnique() {
    by_name_.reserve(symbols_.size());
    for (size_t i = 0; i < symbols_.size(); ++i) {
      if (!symbols_[i].is_local) by_name_.emplace(names_[i], OrdinalAt(i));
    }
    for (size_t i = 0; i < symbols_.size(); ++i) {
      if (!symbols_[i].is_local) continue;
      while (by_name_.contains(names_[i])) SetName(OrdinalAt(i), names_[i] + "$");
      by_name_.emplace(names_[i], OrdinalAt(i));
    }
  }

  void CollectAssemblySymbols() {
    const std::string& assembly = view_.module().getModuleInlineAsm();
    if (assembly.empty()) return;
    const ReadAssembly read = ReadSymbolsOf(assembly, view_.module());
    for (const SymbolInAssembly& symbol : read.symbols) {
      if (symbol.is_defined) {
        index_.assembly_symbols_.push_back({NameOfAssembly(symbol.name), symbol.is_global,
                                            symbol.is_weak, symbol.is_hidden, symbol.common_size,
                                            NameOfAssembly(symbol.target), symbol.offset});
      } else {
        ApplyDirectives(symbol, NameOfAssembly(symbol.name));
      }
    }
    for (const SymbolVersion& version : read.versions) AddVersion(version);
  }

  // Assembly names symbols as the target's objects do; the index has the names that all objects
  // have here.
  std::string NameOfAssembly(const std::string& name) const {
    return is_macho_ ? std::string(WithoutMachoPrefix(name)) : name;
  }

  // Directives for a symbol that the assembly does not define: for one of the IR.
  void ApplyDirectives(const SymbolInAssembly& symbol, const std::string& name) {
    const auto found = by_name_.find(name);
    if (found != by_name_.end() && symbols_[found->second.value].is_definition) {
      if (symbol.is_hidden) symbols_[found->second.value].is_hidden = true;
      return;
    }
    const std::optional<SymbolOrdinal> local = index_.FindLocal(name);
    if (local && symbol.is_global) {
      index_.assembly_symbols_.push_back({name, /*is_global=*/true, symbol.is_weak,
                                          symbol.is_hidden, /*common_size=*/0, names_[local->value],
                                          /*offset=*/0});
    } else if (symbol.is_weak) {
      index_.weak_in_assembly_.push_back(name);
    }
  }

  bool IsDefined(const std::string& name) const {
    const auto found = by_name_.find(name);
    return (found != by_name_.end() && symbols_[found->second.value].is_definition) ||
           index_.FindLocal(name) || index_.FindAssemblySymbol(name) != nullptr;
  }

  // A definition gets further names: the version's, which contains one `@`, and that without a
  // version if the version is the default one, which the assembly writes with two `@`. A reference
  // stands for the version's name.
  void AddVersion(const SymbolVersion& version) {
    const size_t end = version.versioned.find('@');
    const size_t begin = version.versioned.find_first_not_of('@', end);
    if (begin == std::string::npos) return;
    const std::string base = version.versioned.substr(0, end);
    const std::string name = absl::StrCat(base, "@", version.versioned.substr(begin));
    if (!IsDefined(version.name)) {
      index_.assembly_symbols_.push_back(TargetOf(version.name, name));
      return;
    }
    AssemblySymbol symbol = TargetOf(name, version.name);
    symbol.is_global = true;
    index_.assembly_symbols_.push_back(symbol);
    const bool is_default = begin - end > 1;
    if (!is_default || IsDefined(base)) return;
    symbol.name = base;
    index_.assembly_symbols_.push_back(symbol);
  }

  static AssemblySymbol TargetOf(const std::string& name, const std::string& target) {
    AssemblySymbol symbol;
    symbol.name = name;
    symbol.target = target;
    return symbol;
  }

  void CollectLikelyLocals() {
    const llvm::Module& module = view_.module();
    llvm::SmallVector<llvm::GlobalValue*, 8> likely;
    if (module.getModuleInlineAsm().empty()) {
      llvm::collectUsedGlobalVariables(module, likely, /*CompilerUsed=*/false);
      llvm::collectUsedGlobalVariables(module, likely, /*CompilerUsed=*/true);
    } else {
      for (size_t i = 0; i < view_.symbol_count(); ++i)
        likely.push_back(&view_.symbol(OrdinalAt(i)));
    }
    for (const llvm::GlobalValue* value : likely) {
      std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(*value);
      if (ordinal && symbols_[ordinal->value].is_local && value->hasName()) {
        index_.likely_locals_.emplace(ObjectName(*value), *ordinal);
      }
    }
  }

  // While groups are united, the smallest ordinal represents its group.
  SymbolOrdinal Leader(SymbolOrdinal ordinal) const {
    for (auto it = leader_.find(ordinal); it != leader_.end(); it = leader_.find(ordinal)) {
      ordinal = it->second;
    }
    return ordinal;
  }

  void Unite(SymbolOrdinal a, SymbolOrdinal b) {
    SymbolOrdinal leader_a = Leader(a), leader_b = Leader(b);
    grouped_.push_back(a);
    grouped_.push_back(b);
    if (leader_a != leader_b) leader_[std::max(leader_a, leader_b)] = std::min(leader_a, leader_b);
  }

  absl::Status FindGroups() {
    const auto unite = [&](const llvm::GlobalValue& a, const llvm::GlobalValue& b) {
      Unite(*view_.ordinal_of(a), *view_.ordinal_of(b));
    };
    FIRSTCALL_RETURN_IF_ERROR(FindObjectTies(view_, unite));
    UniteByBlockAddresses();
    for (const std::string& section : DividedSections()) {
      FIRSTCALL_RETURN_IF_ERROR(FindTiesOfSection(view_, section, unite));
    }
    NumberGroups();
    return absl::OkStatus();
  }

  // The sections with variables that belong to a group.
  absl::btree_set<std::string> DividedSections() const {
    absl::btree_set<std::string> sections;
    for (SymbolOrdinal ordinal : grouped_) {
      const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&view_.symbol(ordinal));
      if (variable == nullptr) continue;
      for (llvm::StringRef section : SectionNames(*variable)) {
        if (IsIdentifier(ToStringView(section))) sections.insert(section.str());
      }
    }
    return sections;
  }

  // Unites each function with the globals that hold the address of one of its blocks. It suffices
  // to look at bodies in memory: if an initializer contains the address of a function's block,
  // LLVM's reader materializes the function while it reads the module.
  void UniteByBlockAddresses() {
    for (const llvm::Function& function : view_.module()) {
      if (function.isDeclaration() || function.isMaterializable()) continue;
      for (const llvm::BasicBlock& block : function) {
        if (!block.hasAddressTaken()) continue;
        if (const auto* address = llvm::BlockAddress::lookup(&block))
          UniteUsers(function, *address);
      }
    }
  }

  void NumberGroups() {
    std::sort(grouped_.begin(), grouped_.end());
    grouped_.erase(std::unique(grouped_.begin(), grouped_.end()), grouped_.end());
    // A leader is the first one of its group.
    for (SymbolOrdinal ordinal : grouped_) {
      const SymbolOrdinal leader = Leader(ordinal);
      if (leader == ordinal) index_.groups_.emplace_back();
      const auto own = static_cast<uint32_t>(index_.groups_.size() - 1);
      const uint32_t group = leader == ordinal ? own : index_.group_numbers_.at(leader);
      index_.group_numbers_.emplace(ordinal, group);
      index_.groups_[group].push_back(ordinal);
    }
  }

  void UniteUsers(const llvm::Function& function, const llvm::Constant& address) {
    ForEachHolder(address, [&](const llvm::GlobalValue& holder) {
      if (&holder != &function) Unite(*view_.ordinal_of(function), *view_.ordinal_of(holder));
    });
  }

  // Calls `action` for each function whose body or prefix uses `constant`, and for each variable
  // whose initializer does, even if `constant` is a part of other constants.
  static void ForEachHolder(const llvm::Constant& constant,
                            absl::FunctionRef<void(const llvm::GlobalValue&)> action) {
    llvm::SmallVector<const llvm::User*, 8> pending(constant.user_begin(), constant.user_end());
    llvm::SmallPtrSet<const llvm::User*, 8> seen;
    while (!pending.empty()) {
      const llvm::User* user = pending.pop_back_val();
      if (!seen.insert(user).second) continue;
      if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        action(*instruction->getFunction());
      } else if (llvm::isa<llvm::GlobalVariable, llvm::Function>(user)) {
        action(*llvm::cast<llvm::GlobalValue>(user));
      } else if (!llvm::isa<llvm::GlobalValue>(user)) {
        pending.append(user->user_begin(), user->user_end());
      }
    }
  }

  // A relocation can express a distance *to* a function, but not one *from* a function, because the
  // function's address is a stub elsewhere. In Mach-O, LLVM writes only distances between what the
  // object defines.
  absl::Status FindComputedVariables() {
    for (size_t i = 0; i < view_.symbol_count(); ++i) {
      const Symbol& symbol = symbols_[i];
      const llvm::GlobalValue& value = view_.symbol(OrdinalAt(i));
      if (symbol.is_definition && symbol.kind != SymbolKind::kVariable) {
        MarkDistances(value, is_macho_);
      } else if (is_macho_ && (!symbol.is_definition || symbol.is_weak)) {
        MarkDistances(value, /*marks_distances_to=*/true);
      }
    }
    for (size_t i = 0; i < view_.symbol_count(); ++i) {
      const Symbol& symbol = symbols_[i];
      if (!symbol.is_computed || index_.GroupOf(OrdinalAt(i)).empty()) continue;
      return absl::UnimplementedError(
          absl::StrCat("variable '", symbol.name,
                       "': the address of a block together with the distance between functions"));
    }
    return absl::OkStatus();
  }

  void MarkDistances(const llvm::Constant& address, bool marks_distances_to) {
    for (const llvm::User* user : address.users()) {
      if (llvm::isa<llvm::DSOLocalEquivalent, llvm::NoCFIValue>(user)) {
        MarkDistances(*llvm::cast<llvm::Constant>(user), marks_distances_to);
      }
      const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(user);
      if (expression == nullptr) continue;
      const bool is_marked = expression->getOpcode() == llvm::Instruction::Sub &&
                             (marks_distances_to || expression->getOperand(1) == &address);
      if (!is_marked) {
        MarkDistances(*expression, marks_distances_to);
        continue;
      }
      ForEachHolder(*expression, [&](const llvm::GlobalValue& holder) {
        if (!llvm::isa<llvm::GlobalVariable>(holder)) return;  // A body computes it by code anyway.
        symbols_[view_.ordinal_of(holder)->value].is_computed = true;
      });
    }
  }

  void NameSectionBounds() {
    const absl::btree_set<std::string> divided = DividedSections();
    absl::flat_hash_set<std::string> named;
    for (size_t i = 0; i < view_.symbol_count(); ++i) {
      const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&view_.symbol(OrdinalAt(i)));
      if (variable == nullptr || !symbols_[i].is_definition) continue;
      for (llvm::StringRef section : SectionNames(*variable)) {
        const absl::string_view name = ToStringView(section);
        if (!IsIdentifier(name) || !named.insert(section.str()).second) continue;
        for (absl::string_view prefix : {kSectionStartPrefix, kSectionStopPrefix}) {
          index_.section_bounds_.push_back({absl::StrCat(prefix, name), divided.contains(name)});
        }
      }
    }
  }

  // The names that LLVM makes of the module's (OcamlGCPrinter): `camlName__frametable`.
  void NameCollectorTables() {
    const llvm::StringRef module = view_.module().getModuleIdentifier();
    std::string name = module.take_until([](char c) { return c == '.'; }).str();
    if (!name.empty()) name.front() = absl::ascii_toupper(static_cast<unsigned char>(name.front()));
    for (const char* table : {"code_begin", "code_end", "data_begin", "data_end", "frametable"}) {
      index_.collector_tables_.push_back(absl::StrCat("caml", name, "__", table));
    }
  }

  const ModuleView& view_;
  const bool is_macho_ = IsMacho(view_.module());
  SymbolIndex index_;
  std::vector<std::string> names_;
  std::vector<Symbol> symbols_;  // Their names are those in names_.
  absl::flat_hash_map<absl::string_view, SymbolOrdinal> by_name_;  // The same.
  bool uses_shadow_stack_ = false;
  bool uses_ocaml_collector_ = false;
  absl::flat_hash_map<SymbolOrdinal, SymbolOrdinal> leader_;
  std::vector<SymbolOrdinal> grouped_;
};

absl::StatusOr<SymbolIndex> BuildSymbolIndex(const ModuleView& view) {
  return SymbolIndexBuilder(view).Build();
}

}  // namespace firstcall
