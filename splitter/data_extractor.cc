#include "splitter/data_extractor.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "code/symbol_name.h"
#include "splitter/computed_initializer.h"
#include "splitter/debug_info.h"
#include "splitter/module_atexit.h"
#include "splitter/module_skeleton.h"
#include "splitter/object_name.h"
#include "splitter/prefix_thunk.h"
#include "splitter/reference_mapper.h"
#include "splitter/table_entries.h"

namespace firstcall {
namespace {

struct Thunk {
  const llvm::Function* original;
  llvm::Function* thunk;
};

// Adds thunks without their prefix data, which may refer to variables that are not moved yet.
absl::StatusOr<std::vector<Thunk>> AddPrefixThunks(const ModuleView& view, const SymbolIndex& index,
                                                   IsReplaced is_replaced, ReferenceMapper& mapper,
                                                   llvm::Module& target) {
  std::vector<Thunk> thunks;
  for (uint32_t i = 0; i < index.size(); ++i) {
    const Symbol& symbol = index.at(SymbolOrdinal{i});
    if (!symbol.has_prefix || (symbol.is_weak && is_replaced(SymbolOrdinal{i}))) continue;
    auto& original = llvm::cast<llvm::Function>(view.symbol(SymbolOrdinal{i}));
    FIRSTCALL_ASSIGN_OR_RETURN(llvm::Function * thunk,
                               AddPrefixThunk(original, symbol.name, target));
    mapper.Define(original, *thunk);
    thunks.push_back({&original, thunk});
  }
  return thunks;
}

// The size of a cache line of today's processors. A variable that spans more lines than necessary
// is slower to access; GCC aligns large variables in the same way (ix86_data_alignment).
constexpr uint64_t kCacheLineBytes = 64;

void AlignToCacheLine(llvm::GlobalVariable& variable) {
  if (variable.hasSection() || variable.isThreadLocal()) return;
  const llvm::DataLayout& layout = variable.getDataLayout();
  const llvm::Align line(kCacheLineBytes);
  if (layout.getTypeAllocSize(variable.getValueType()) < kCacheLineBytes) return;
  if (variable.getPointerAlignment(layout) < line) variable.setAlignment(line);
}

// The directive of assembly that makes a symbol global.
std::string GlobalDirective(absl::string_view name) {
  return absl::StrCat(".globl \"", absl::StrReplaceAll(name, {{"\\", "\\\\"}, {"\"", "\\\""}}),
                      "\"");
}

bool IsMoved(const llvm::GlobalVariable& variable, const ModuleView& view,
             const SymbolIndex& index) {
  std::optional<SymbolOrdinal> ordinal = view.ordinal_of(variable);
  return ordinal && index.at(*ordinal).is_definition && index.GroupOf(*ordinal).empty() &&
         !ReferenceMapper::IsCopied(variable, view, index);
}

}  // namespace

bool HasData(const ModuleView& view, const SymbolIndex& index) {
  if (!index.assembly_symbols().empty() || index.needs_shadow_stack() ||
      !view.module().getModuleInlineAsm().empty()) {
    return true;
  }
  for (uint32_t i = 0; i < index.size(); ++i) {
    if (index.at(SymbolOrdinal{i}).has_prefix) return true;
  }
  return llvm::any_of(view.module().globals(), [&](const llvm::GlobalVariable& variable) {
    return IsMoved(variable, view, index);
  });
}

absl::StatusOr<std::unique_ptr<llvm::Module>> ExtractData(ModuleView& view,
                                                          const SymbolIndex& index,
                                                          IsReplaced is_replaced, bool is_far) {
  std::unique_ptr<llvm::Module> target = MakeModuleLike(view, view.module().getModuleIdentifier());
  target->setModuleInlineAsm(view.module().getModuleInlineAsm());
  const bool is_macho = IsMacho(*target);
  for (const AssemblySymbol& symbol : index.assembly_symbols()) {
    // A function-module that names the symbol is another object, which cannot refer to a local one.
    if (symbol.is_global) continue;
    target->appendModuleInlineAsm(GlobalDirective(symbol.name));
    // The assembly may have given it Mach-O's prefix, which the name is without here.
    if (is_macho) target->appendModuleInlineAsm(GlobalDirective("_" + symbol.name));
  }
  if (index.needs_shadow_stack()) {
    llvm::Type* pointer = llvm::PointerType::getUnqual(target->getContext());
    new llvm::GlobalVariable(*target, pointer, /*isConstant=*/false,
                             llvm::GlobalValue::ExternalLinkage,
                             llvm::Constant::getNullValue(pointer), ToStringRef(kShadowStackRoots));
  }
  if (index.Find(kAtexit) && !index.at(*index.Find(kAtexit)).is_definition) DefineAtexit(*target);
  FIRSTCALL_RETURN_IF_ERROR(view.ReadMetadata());
  CarryDebugInfoOfVariables(view, *target);
  ReferenceMapper mapper(view, index, is_replaced, is_far, *target);
  FIRSTCALL_ASSIGN_OR_RETURN(std::vector<Thunk> thunks,
                             AddPrefixThunks(view, index, is_replaced, mapper, *target));
  struct Moving {
    llvm::GlobalVariable* original;
    llvm::GlobalVariable* moved;
    SymbolOrdinal ordinal;
  };
  std::vector<Moving> moving;
  for (llvm::GlobalVariable& variable : view.module().globals()) {
    if (!IsMoved(variable, view, index)) continue;
    const SymbolOrdinal ordinal = *view.ordinal_of(variable);
    std::optional<SymbolOrdinal> name = ordinal;
    // An alias may keep what another definition replaces.
    if (index.at(ordinal).is_weak && is_replaced(ordinal)) {
      name = index.KeeperOf(ordinal, is_replaced);
    }
    if (!name) continue;
    llvm::GlobalVariable& moved =
        DeclareMoved(variable, ToStringRef(index.at(*name).name), *target);
    mapper.Define(view.symbol(*name), moved);
    moving.push_back({&variable, &moved, ordinal});
  }
  // Constants that are copied into some functions are defined here for all others. The view keeps
  // them.
  std::vector<std::pair<llvm::GlobalVariable*, llvm::GlobalVariable*>> shared;
  for (llvm::GlobalVariable& variable : view.module().globals()) {
    std::optional<SymbolOrdinal> ordinal = view.ordinal_of(variable);
    if (!ordinal || !ReferenceMapper::IsCopied(variable, view, index)) continue;
    llvm::GlobalVariable& moved =
        DeclareMoved(variable, ToStringRef(index.at(*ordinal).name), *target);
    mapper.Define(variable, moved);
    shared.push_back({&variable, &moved});
  }
  TableEntries entries(view, index);
  for (auto [original, moved] : shared) {
    moved->setInitializer(mapper.Map(*original->getInitializer()));
    entries.Name(*moved);
  }
  ComputedInitializers computed(*target);
  for (auto [original, moved, ordinal] : moving) {
    MoveInitializer(*original, *moved, mapper);
    AlignToCacheLine(*moved);
    if (!index.at(ordinal).is_computed) {
      entries.Name(*moved);
      continue;
    }
    if (is_far) {
      return absl::UnimplementedError(
          absl::StrCat("variable '", index.at(ordinal).name,
                       "' holds the distance to a function, out of whose reach it may lie"));
    }
    computed.Compute(*moved);
  }
  computed.UniteSections();
  for (auto [original, thunk] : thunks) {
    thunk->setPrefixData(mapper.Map(*original->getPrefixData()));
  }
  FIRSTCALL_RETURN_IF_ERROR(mapper.status());
  return target;
}

}  // namespace firstcall
