#include "splitter/module_view.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/diagnostic_collector.h"
#include "base/fatal_error_guard.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "splitter/callee_importer.h"
#include "splitter/lazy_bitcode.h"
#include "splitter/mandatory_inliner.h"
#include "splitter/runtime_names.h"
#include "splitter/type_tests.h"

namespace firstcall {
namespace {

// Whether nothing in memory refers to `global`, which declares an intrinsic.
bool IsUnusedIntrinsic(const llvm::GlobalValue& global) {
  const auto* function = llvm::dyn_cast<llvm::Function>(&global);
  return function != nullptr && function->isIntrinsic() && function->isDeclaration() &&
         function->use_empty() && !function->isUsedByMetadata() && !function->hasComdat();
}

}  // namespace

absl::StatusOr<std::shared_ptr<ModuleView>> ModuleView::ParseLazily(
    std::shared_ptr<llvm::MemoryBuffer> bitcode) {
  auto context = std::make_unique<llvm::LLVMContext>();
  CollectDiagnostics(*context);
  absl::StatusOr<std::unique_ptr<llvm::Module>> module;
  // On some damaged bitcode, LLVM's reader reports a fatal error.
  absl::Status status =
      RunGuarded([&] { module = ReadLazily(bitcode->getMemBufferRef(), *context); });
  if (!status.ok()) {
    (void)context.release();  // In an undefined state after the error: cannot be destroyed.
    return absl::InvalidArgumentError(absl::StrCat("reading bitcode: ", status.message()));
  }
  if (!module.ok()) return module.status();
  auto view = std::make_shared<ModuleView>(std::move(context), *std::move(module));
  view->bitcode_ = std::move(bitcode);
  return view;
}

ModuleView::ModuleView(std::unique_ptr<llvm::LLVMContext> context,
                       std::unique_ptr<llvm::Module> module)
    : context_(std::move(context)), module_(std::move(module)) {
  CollectDiagnostics(*context_);
  by_ordinal_.reserve(module_->global_size() + module_->alias_size() + module_->ifunc_size() +
                      module_->size());
  // Functions come last, because reading a body may append declarations of intrinsics to their
  // list.
  for (llvm::GlobalVariable& variable : module_->globals()) by_ordinal_.push_back(&variable);
  for (llvm::GlobalAlias& alias : module_->aliases()) by_ordinal_.push_back(&alias);
  for (llvm::GlobalIFunc& ifunc : module_->ifuncs()) by_ordinal_.push_back(&ifunc);
  for (llvm::Function& function : *module_) by_ordinal_.push_back(&function);
  // LLVM's reader also appends what has taken the place of older intrinsics, which an index that
  // was made without LLVM does not count.
  size_t count = by_ordinal_.size();
  while (count > 0 && IsUnusedIntrinsic(*by_ordinal_[count - 1])) --count;
  ordinals_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    ordinals_[by_ordinal_[i]] = SymbolOrdinal{static_cast<uint32_t>(i)};
  }
}

ModuleView::~ModuleView() = default;

absl::Status ModuleView::ReadMetadata() {
  if (metadata_is_read_) return absl::OkStatus();
  absl::Status read;
  FIRSTCALL_RETURN_IF_ERROR(RunGuarded([&] {
    read = FromLlvm(module_->materializeMetadata(), absl::StatusCode::kInvalidArgument,
                    "reading metadata");
  }));
  FIRSTCALL_RETURN_IF_ERROR(read);
  if (module_->getModuleFlag("kcfi") != nullptr) {
    return absl::UnimplementedError(
        "module flag 'kcfi': the addresses of functions have no hashes of types in front of them");
  }
  metadata_is_read_ = true;
  for (llvm::DICompileUnit* unit : module_->debug_compile_units()) {
    // Only compared with null: in damaged bitcode they may be anything.
    if (unit->getRawImportedEntities() != nullptr) unit->replaceImportedEntities(nullptr);
    if (unit->getRawMacros() != nullptr) unit->replaceMacros(nullptr);
  }
  return absl::OkStatus();
}

bool ModuleView::is_unoptimized() {
  if (!is_unoptimized_) is_unoptimized_ = IsUnoptimized(*module_);
  return *is_unoptimized_;
}

const std::vector<std::string>& ModuleView::library_names_of_variables() {
  if (library_names_of_variables_) return *library_names_of_variables_;
  std::vector<std::string>& names = library_names_of_variables_.emplace();
  const auto add = [&](const llvm::GlobalValue& value) {
    const llvm::StringRef name = value.getName();
    if (IsLibraryFunctionName(ToStringView(name))) names.push_back(name.str());
  };
  for (const llvm::GlobalVariable& variable : module_->globals()) add(variable);
  for (const llvm::GlobalAlias& alias : module_->aliases()) {
    if (!alias.getValueType()->isFunctionTy()) add(alias);
  }
  return names;
}

bool ModuleView::may_have_mandatory_calls() {
  if (!may_have_mandatory_calls_) may_have_mandatory_calls_ = MayHaveMandatoryCalls(*module_);
  return *may_have_mandatory_calls_;
}

bool ModuleView::may_have_type_tests() {
  if (!may_have_type_tests_) may_have_type_tests_ = MayHaveTypeTests(*module_);
  return *may_have_type_tests_;
}

void ModuleView::NoteInlined(const llvm::Function& caller, const llvm::Function& callee) {
  std::vector<SymbolOrdinal> added = {*ordinal_of(callee)};
  const absl::Span<const SymbolOrdinal> into_callee = InlinedInto(callee);
  added.insert(added.end(), into_callee.begin(), into_callee.end());
  std::vector<SymbolOrdinal>& all = inlined_[&caller];
  for (SymbolOrdinal function : added) {
    if (!llvm::is_contained(all, function)) all.push_back(function);
  }
}

absl::Span<const SymbolOrdinal> ModuleView::InlinedInto(const llvm::Function& function) const {
  const auto found = inlined_.find(&function);
  if (found == inlined_.end()) return {};
  return found->second;
}

std::optional<SymbolOrdinal> ModuleView::ordinal_of(const llvm::GlobalValue& value) const {
  auto found = ordinals_.find(&value);
  if (found == ordinals_.end()) return std::nullopt;
  return found->second;
}

}  // namespace firstcall
