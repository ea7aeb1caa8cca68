#include "splitter/symbol_index_builder.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
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
#include "seam/symbol_index_builder.h"
#include "splitter/assembly_reader.h"
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

// Describes a view's symbols to a SymbolIndexBuilder in steps; each step reads only the view and
// the results of earlier steps.
class ViewIndexer {
 public:
  explicit ViewIndexer(const ModuleView& view) : view_(view), builder_(view.symbol_count()) {}

  absl::StatusOr<SymbolIndex> Build() {
    for (size_t i = 0; i < view_.symbol_count(); ++i) {
      FIRSTCALL_RETURN_IF_ERROR(Describe(OrdinalAt(i)));
    }
    for (size_t i = 0; i < view_.symbol_count(); ++i) {
      FIRSTCALL_RETURN_IF_ERROR(ResolveAlias(OrdinalAt(i)));
    }
    builder_.MakeNamesUnique();
    CollectLikelyLocals();
    FIRSTCALL_RETURN_IF_ERROR(FindGroups());
    FIRSTCALL_RETURN_IF_ERROR(FindComputedVariables());
    NameSections();
    if (uses_ocaml_collector_) NameCollectorTables();
    FIRSTCALL_ASSIGN_OR_RETURN(std::vector<LifecycleFunction> constructors,
                               ReadConstructors(view_));
    FIRSTCALL_ASSIGN_OR_RETURN(std::vector<LifecycleFunction> destructors, ReadDestructors(view_));
    builder_.SetLifecycle(std::move(constructors), std::move(destructors));
    CollectAssemblySymbols();
    return builder_.Finish();
  }

 private:
  static SymbolOrdinal OrdinalAt(size_t i) { return SymbolOrdinal{static_cast<uint32_t>(i)}; }

  // Lives until the index is finished.
  absl::string_view ObjectNameOf(const llvm::GlobalValue& value) {
    std::string name = ObjectName(value);
    const absl::string_view unchanged = ToStringView(value.getName());
    return name == unchanged ? unchanged : names_.emplace_back(std::move(name));
  }

  absl::Status Describe(SymbolOrdinal ordinal) {
    const llvm::GlobalValue& value = view_.symbol(ordinal);
    Symbol symbol;
    symbol.name = ObjectNameOf(value);
    symbol.is_local = value.hasLocalLinkage() || symbol.name.empty();
    symbol.is_definition = !value.isDeclarationForLinker() && !value.hasAppendingLinkage() &&
                           !absl::StartsWith(symbol.name, "llvm.");
    symbol.is_weak = value.isWeakForLinker() || IsOneOfSeveral(value);
    symbol.is_common = value.hasCommonLinkage();
    symbol.is_thread_local = value.isThreadLocal();
    symbol.is_hidden = value.hasHiddenVisibility();
    if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value)) {
      symbol.kind = SymbolKind::kVariable;
      return AddVariable(*variable, symbol);
    }
    if (const auto* function = llvm::dyn_cast<llvm::Function>(&value)) {
      symbol.kind = SymbolKind::kFunction;
      symbol.has_prefix = symbol.is_definition && function->hasPrefixData();
      if (symbol.is_definition) NoteCollector(*function);
    } else {
      symbol.kind = llvm::isa<llvm::GlobalAlias>(value) ? SymbolKind::kAlias : SymbolKind::kIFunc;
    }
    return builder_.Add(symbol);
  }

  absl::Status AddVariable(const llvm::GlobalVariable& variable, Symbol symbol) {
    if (!symbol.is_definition) return builder_.Add(symbol);
    llvm::Type* const type = variable.getValueType();
    const bool has_size = type->isSized() && !type->isScalableTy();
    if (has_size) symbol.size = view_.module().getDataLayout().getTypeAllocSize(type);
    FIRSTCALL_RETURN_IF_ERROR(builder_.Add(symbol));
    if (has_size) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("variable '",
                                                   builder_.at(OrdinalAt(builder_.size() - 1)).name,
                                                   "' is not valid IR: its type has no size"));
  }

  void NoteCollector(const llvm::Function& function) {
    if (!function.hasGC()) return;
    if (function.getGC() == "shadow-stack") builder_.NoteShadowStack();
    if (function.getGC() == "ocaml") uses_ocaml_collector_ = true;
  }

  absl::Status ResolveIFunc(SymbolOrdinal ordinal, const llvm::GlobalIFunc& ifunc) {
    const llvm::Function* resolver = ifunc.getResolverFunction();
    if (resolver == nullptr || !view_.ordinal_of(*resolver)) {
      return absl::UnimplementedError(absl::StrCat("ifunc '", builder_.at(ordinal).name,
                                                   "': a resolver other than a function"));
    }
    builder_.ResolveIFunc(ordinal, *view_.ordinal_of(*resolver));
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
    const absl::string_view name = builder_.at(ordinal).name;
    llvm::SmallPtrSet<const llvm::Value*, 4> seen;
    while (const auto* next = llvm::dyn_cast<llvm::GlobalAlias>(target)) {
      if (!seen.insert(next).second) {
        return absl::InvalidArgumentError(
            absl::StrCat("alias '", name, "' is not valid IR: it leads to itself"));
      }
      target = next->getAliasee()->stripAndAccumulateConstantOffsets(layout, offset,
                                                                     /*AllowNonInbounds=*/true);
    }
    const auto* base = llvm::dyn_cast<llvm::GlobalValue>(target);
    if (base == nullptr || !view_.ordinal_of(*base)) {
      return absl::UnimplementedError(absl::StrCat(
          "alias '", name, "': an aliasee other than a symbol plus a constant offset"));
    }
    return builder_.ResolveAlias(ordinal, *view_.ordinal_of(*base), offset.getSExtValue());
  }

  void CollectAssemblySymbols() {
    const std::string& assembly = view_.module().getModuleInlineAsm();
    if (assembly.empty()) return;
    for (size_t i = 0; i < builder_.size(); ++i) {
      by_name_.emplace(builder_.at(OrdinalAt(i)).name, OrdinalAt(i));
    }
    const ReadAssembly read = ReadSymbolsOf(assembly, view_.module());
    for (const SymbolInAssembly& symbol : read.symbols) {
      if (symbol.is_defined) {
        builder_.AddAssemblySymbol({NameOfAssembly(symbol.name), symbol.is_global, symbol.is_weak,
                                    symbol.is_hidden, symbol.common_size,
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
    if (found != by_name_.end() && builder_.at(found->second).is_definition) {
      if (symbol.is_hidden) builder_.Hide(found->second);
      return;
    }
    const std::optional<SymbolOrdinal> local = builder_.FindLikelyLocal(name);
    if (local && symbol.is_global) {
      builder_.AddAssemblySymbol({name, /*is_global=*/true, symbol.is_weak, symbol.is_hidden,
                                  /*common_size=*/0, std::string(builder_.at(*local).name),
                                  /*offset=*/0});
    } else if (symbol.is_weak) {
      builder_.AddWeakInAssembly(name);
    }
  }

  bool IsDefined(const std::string& name) const {
    const auto found = by_name_.find(name);
    return (found != by_name_.end() && builder_.at(found->second).is_definition) ||
           builder_.FindLikelyLocal(name) || builder_.FindAssemblySymbol(name) != nullptr;
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
      builder_.AddAssemblySymbol(TargetOf(version.name, name));
      return;
    }
    AssemblySymbol symbol = TargetOf(name, version.name);
    symbol.is_global = true;
    builder_.AddAssemblySymbol(symbol);
    const bool is_default = begin - end > 1;
    if (!is_default || IsDefined(base)) return;
    symbol.name = base;
    builder_.AddAssemblySymbol(symbol);
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
      const std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(*value);
      if (ordinal && value->hasName()) builder_.AddLikelyLocal(ObjectName(*value), *ordinal);
    }
  }

  absl::Status FindGroups() {
    const auto unite = [&](const llvm::GlobalValue& a, const llvm::GlobalValue& b) {
      builder_.Unite(*view_.ordinal_of(a), *view_.ordinal_of(b));
    };
    FIRSTCALL_RETURN_IF_ERROR(FindObjectTies(view_, unite));
    UniteByBlockAddresses();
    for (const std::string& section : DividedSections()) {
      FIRSTCALL_RETURN_IF_ERROR(FindTiesOfSection(view_, section, unite));
    }
    builder_.NumberGroups();
    return absl::OkStatus();
  }

  // The sections with variables that belong to a group.
  absl::btree_set<std::string> DividedSections() const {
    absl::btree_set<std::string> sections;
    for (SymbolOrdinal ordinal : builder_.grouped()) {
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

  void UniteUsers(const llvm::Function& function, const llvm::Constant& address) {
    ForEachHolder(address, [&](const llvm::GlobalValue& holder) {
      if (&holder != &function)
        builder_.Unite(*view_.ordinal_of(function), *view_.ordinal_of(holder));
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
      const Symbol& symbol = builder_.at(OrdinalAt(i));
      const llvm::GlobalValue& value = view_.symbol(OrdinalAt(i));
      if (symbol.is_definition && symbol.kind != SymbolKind::kVariable) {
        MarkDistances(value, is_macho_);
      } else if (is_macho_ && (!symbol.is_definition || symbol.is_weak)) {
        MarkDistances(value, /*marks_distances_to=*/true);
      }
    }
    return builder_.CheckComputed();
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
        builder_.MarkComputed(*view_.ordinal_of(holder));
      });
    }
  }

  void NameSections() {
    const absl::btree_set<std::string> divided = DividedSections();
    for (size_t i = 0; i < view_.symbol_count(); ++i) {
      const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&view_.symbol(OrdinalAt(i)));
      if (variable == nullptr || !builder_.at(OrdinalAt(i)).is_definition) continue;
      for (llvm::StringRef section : SectionNames(*variable)) {
        builder_.AddSection(ToStringView(section), divided.contains(ToStringView(section)));
      }
    }
  }

  // The names that LLVM makes of the module's (OcamlGCPrinter): `camlName__frametable`.
  void NameCollectorTables() {
    const llvm::StringRef module = view_.module().getModuleIdentifier();
    std::string name = module.take_until([](char c) { return c == '.'; }).str();
    if (!name.empty()) name.front() = absl::ascii_toupper(static_cast<unsigned char>(name.front()));
    for (const char* table : {"code_begin", "code_end", "data_begin", "data_end", "frametable"}) {
      builder_.AddCollectorTable(absl::StrCat("caml", name, "__", table));
    }
  }

  const ModuleView& view_;
  const bool is_macho_ = IsMacho(view_.module());
  SymbolIndexBuilder builder_;
  std::deque<std::string> names_;  // Those that the module itself does not keep.
  // Of a module with assembly.
  absl::flat_hash_map<absl::string_view, SymbolOrdinal> by_name_;
  bool uses_ocaml_collector_ = false;
};

}  // namespace

absl::StatusOr<SymbolIndex> BuildSymbolIndex(const ModuleView& view) {
  return ViewIndexer(view).Build();
}

}  // namespace firstcall
