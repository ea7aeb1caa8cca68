#include "splitter/data_extractor.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "object/symbol_name.h"
#include "splitter/computed_initializer.h"
#include "splitter/debug_info.h"
#include "splitter/large_variables.h"
#include "splitter/module_skeleton.h"
#include "splitter/object_name.h"
#include "splitter/prefix_thunk.h"
#include "splitter/reference_mapper.h"
#include "splitter/section_names.h"
#include "splitter/table_entries.h"

namespace firstcall {
namespace {

// The size of a cache line of today's processors. A variable that spans more lines than necessary
// is slower to access; GCC aligns large variables in the same way (ix86_data_alignment).
constexpr uint64_t kCacheLineBytes = 64;

void AlignToCacheLine(llvm::GlobalVariable& variable) {
  if (HasSectionName(variable) || variable.isThreadLocal()) return;
  const llvm::DataLayout& layout = variable.getDataLayout();
  const llvm::Align line(kCacheLineBytes);
  if (layout.getTypeAllocSize(variable.getValueType()) < kCacheLineBytes) return;
  if (variable.getPointerAlignment(layout) < line) variable.setAlignment(line);
}

// Makes `.symver` do nothing. What it means for other objects is in the index; in the data-module,
// it would be an error if the IR defines the symbol as a function.
constexpr char kWithoutVersions[] = ".macro .symver arguments:vararg\n.endm\n";

bool IsMoved(const llvm::GlobalVariable& variable, const ModuleView& view,
             const SymbolIndex& index) {
  std::optional<SymbolOrdinal> ordinal = view.ordinal_of(variable);
  return ordinal && index.at(*ordinal).is_definition && index.GroupOf(*ordinal).empty() &&
         !ReferenceMapper::IsCopied(variable, view, index);
}

// Makes the data-module, in which variables are declared before what they hold can be mapped.
class DataModule {
 public:
  DataModule(ModuleView& view, const SymbolIndex& index, IsReplaced is_replaced, bool is_far)
      : view_(view),
        index_(index),
        is_replaced_(is_replaced),
        is_far_(is_far),
        target_(MakeModuleLike(view, view.module().getModuleIdentifier())) {}

  absl::StatusOr<std::unique_ptr<llvm::Module>> Make() {
    AddAssembly();
    AddWhatTheRuntimeNeeds();
    FIRSTCALL_RETURN_IF_ERROR(view_.ReadMetadata());
    CarryDebugInfoOfVariables(view_, *target_);
    ReferenceMapper mapper(view_, index_, is_replaced_, is_far_, *target_);
    FIRSTCALL_RETURN_IF_ERROR(AddPrefixThunks(mapper));
    DeclareVariables(mapper);
    FIRSTCALL_RETURN_IF_ERROR(Initialize(mapper));
    FIRSTCALL_RETURN_IF_ERROR(mapper.status());
    return std::move(target_);
  }

 private:
  struct Thunk {
    const llvm::Function* original;
    llvm::Function* thunk;
  };
  struct Shared {
    llvm::GlobalVariable* original;
    llvm::GlobalVariable* moved;
  };
  struct Moving {
    llvm::GlobalVariable* original;
    llvm::GlobalVariable* moved;
    SymbolOrdinal ordinal;
  };

  void AddAssembly() {
    const std::string& assembly = view_.module().getModuleInlineAsm();
    const bool has_versions = absl::StrContains(assembly, ".symver");
    target_->setModuleInlineAsm(absl::StrCat(has_versions ? kWithoutVersions : "", assembly));
  }

  void AddWhatTheRuntimeNeeds() {
    if (index_.needs_shadow_stack()) {
      llvm::Type* pointer = llvm::PointerType::getUnqual(target_->getContext());
      new llvm::GlobalVariable(
          *target_, pointer, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
          llvm::Constant::getNullValue(pointer), ToStringRef(kShadowStackRoots));
    }
  }

  // Without their prefix data, which may refer to variables that are not declared yet.
  absl::Status AddPrefixThunks(ReferenceMapper& mapper) {
    for (uint32_t i = 0; i < index_.size(); ++i) {
      const Symbol& symbol = index_.at(SymbolOrdinal{i});
      if (!symbol.has_prefix || (symbol.is_weak && is_replaced_(SymbolOrdinal{i}))) continue;
      auto& original = llvm::cast<llvm::Function>(view_.symbol(SymbolOrdinal{i}));
      FIRSTCALL_ASSIGN_OR_RETURN(llvm::Function * thunk,
                                 AddPrefixThunk(original, symbol.name, *target_));
      mapper.Define(original, *thunk);
      thunks_.push_back({&original, thunk});
    }
    return absl::OkStatus();
  }

  void DeclareVariables(ReferenceMapper& mapper) {
    for (llvm::GlobalVariable& variable : view_.module().globals()) {
      if (!IsMoved(variable, view_, index_)) continue;
      const SymbolOrdinal ordinal = *view_.ordinal_of(variable);
      std::optional<SymbolOrdinal> name = ordinal;
      // An alias may keep what another definition replaces.
      if (index_.at(ordinal).is_weak && is_replaced_(ordinal)) {
        name = index_.KeeperOf(ordinal, is_replaced_);
      }
      if (!name) continue;
      llvm::GlobalVariable& moved =
          DeclareMoved(variable, ToStringRef(index_.at(*name).name), *target_);
      mapper.Define(view_.symbol(*name), moved);
      moving_.push_back({&variable, &moved, ordinal});
    }
    // Constants that are copied into some functions are defined here for all others. The view keeps
    // them.
    for (llvm::GlobalVariable& variable : view_.module().globals()) {
      const std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(variable);
      if (!ordinal || !ReferenceMapper::IsCopied(variable, view_, index_)) continue;
      llvm::GlobalVariable& moved =
          DeclareMoved(variable, ToStringRef(index_.at(*ordinal).name), *target_);
      mapper.Define(variable, moved);
      shared_.push_back({&variable, &moved});
    }
  }

  absl::Status Initialize(ReferenceMapper& mapper) {
    TableEntries entries(view_, index_);
    for (auto [original, moved] : shared_) {
      moved->setInitializer(mapper.Map(*original->getInitializer()));
      entries.Name(*moved);
    }
    ComputedInitializers computed(*target_);
    for (auto [original, moved, ordinal] : moving_) {
      MoveInitializer(*original, *moved, mapper);
      AlignToCacheLine(*moved);
      if (!index_.at(ordinal).is_computed) {
        entries.Name(*moved);
        continue;
      }
      if (is_far_) {
        return absl::UnimplementedError(
            absl::StrCat("variable '", index_.at(ordinal).name,
                         "' holds the distance to a function, out of whose reach it may lie"));
      }
      computed.Compute(*moved);
    }
    computed.UniteSections();
    PlaceLargeVariablesApart(*target_, index_.largest_near_variable());
    for (auto [original, thunk] : thunks_) {
      thunk->setPrefixData(mapper.Map(*original->getPrefixData()));
    }
    return absl::OkStatus();
  }

  ModuleView& view_;
  const SymbolIndex& index_;
  const IsReplaced is_replaced_;
  const bool is_far_;
  std::unique_ptr<llvm::Module> target_;
  std::vector<Thunk> thunks_;
  std::vector<Shared> shared_;
  std::vector<Moving> moving_;
};

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
  return DataModule(view, index, is_replaced, is_far).Make();
}

}  // namespace firstcall
