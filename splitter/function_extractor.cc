#include "splitter/function_extractor.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "splitter/module_skeleton.h"
#include "splitter/reference_mapper.h"

namespace firstcall {
namespace {

// Moves body, arguments and attributes; leaves a declaration in the view. What the body names still
// belongs to the view.
llvm::Function* MoveFunction(llvm::Function& original, llvm::StringRef name, llvm::Module& target) {
  auto* moved = llvm::Function::Create(original.getFunctionType(),
                                       llvm::GlobalValue::ExternalLinkage,
                                       original.getAddressSpace(), name, &target);
  moved->copyAttributesFrom(&original);
  moved->setLinkage(llvm::GlobalValue::ExternalLinkage);
  moved->setVisibility(llvm::GlobalValue::DefaultVisibility);
  moved->setDSOLocal(true);
  moved->setSection("");  // Code is packed by permission; sections of its own would only pad it.
  moved->copyMetadata(&original, 0);
  moved->stealArgumentListFrom(original);
  moved->splice(moved->end(), &original);
  original.deleteBody();
  original.clearMetadata();
  original.setComdat(nullptr);
  return moved;
}

void DropAliasMetadata(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.hasMetadataOtherThanDebugLoc()) continue;
    instruction.setMetadata(llvm::LLVMContext::MD_tbaa, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_tbaa_struct, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
  }
}

absl::Status VerifyMoved(const llvm::Function& function) {
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (!llvm::verifyFunction(function, &stream)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("function '", function.getName().str(), "' is not valid IR: ", reason));
}

// The functions and variables that have to move together.
struct Group {
  llvm::SmallVector<std::pair<llvm::Function*, SymbolOrdinal>, 1> functions;
  llvm::SmallVector<std::pair<llvm::GlobalVariable*, SymbolOrdinal>, 1> variables;
};

Group CollectGroup(ModuleView& view, const SymbolIndex& index, SymbolOrdinal function) {
  absl::Span<const SymbolOrdinal> members = index.GroupOf(function);
  if (members.empty()) members = absl::MakeConstSpan(&function, 1);
  Group group;
  for (SymbolOrdinal member : members) {
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&view.symbol(member))) {
      group.variables.push_back({variable, member});
    } else {
      group.functions.push_back({llvm::cast<llvm::Function>(&view.symbol(member)), member});
    }
  }
  return group;
}

}  // namespace

absl::StatusOr<std::unique_ptr<llvm::Module>> ExtractFunction(ModuleView& view,
                                                              const SymbolIndex& index,
                                                              SymbolOrdinal function,
                                                              const ExtractOptions& options) {
  Group group = CollectGroup(view, index, function);
  for (auto [original, ordinal] : group.functions) {
    if (llvm::Error error = original->materialize()) {
      return FromLlvm(std::move(error), absl::StatusCode::kInvalidArgument,
                      absl::StrCat("function '", index.at(ordinal).name, "': reading its body"));
    }
    if (original->isDeclaration()) {
      return absl::FailedPreconditionError(
          absl::StrCat("function '", index.at(ordinal).name, "' was already extracted"));
    }
  }

  std::unique_ptr<llvm::Module> target = MakeModuleLike(view, index.at(function).name);
  ReferenceMapper mapper(view, index, *target);
  llvm::SmallVector<llvm::Function*, 1> moved;
  for (auto [original, ordinal] : group.functions) {
    moved.push_back(MoveFunction(*original, index.at(ordinal).name, *target));
  }
  for (auto [original, ordinal] : group.variables) {
    mapper.Define(*original, DeclareMoved(*original, index.at(ordinal).name, *target));
  }
  for (auto [original, ordinal] : group.variables) {
    MoveInitializer(*original, mapper);
  }
  for (llvm::Function* body : moved) {
    if (options.drop_alias_metadata) DropAliasMetadata(*body);
    mapper.MapBody(*body);
  }
  FIRSTCALL_RETURN_IF_ERROR(
      Annotate(mapper.status(), absl::StrCat("function '", index.at(function).name, "'")));
  if (options.verify) {
    for (llvm::Function* body : moved) FIRSTCALL_RETURN_IF_ERROR(VerifyMoved(*body));
  }
  return target;
}

}  // namespace firstcall
