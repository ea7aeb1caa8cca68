#include "splitter/body_mover.h"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "splitter/block_addresses.h"
#include "splitter/body_copier.h"
#include "splitter/body_reader.h"
#include "splitter/callee_importer.h"
#include "splitter/debug_info.h"
#include "splitter/entry_hooks.h"
#include "splitter/fact_use.h"
#include "splitter/large_variables.h"
#include "splitter/mandatory_inliner.h"
#include "splitter/module_skeleton.h"
#include "splitter/object_name.h"
#include "splitter/reference_mapper.h"

namespace firstcall {
namespace {

// Moves body, arguments and attributes, and leaves a declaration in the view. The body still refers
// to globals of the view. Prefix data stays in the view: it is found through the function's
// address, which is not the body's address.
llvm::Function* MoveFunction(llvm::Function& original, llvm::StringRef name, llvm::Module& target) {
  auto* moved =
      llvm::Function::Create(original.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                             original.getAddressSpace(), name, &target);
  moved->copyAttributesFrom(&original);
  moved->setLinkage(llvm::GlobalValue::ExternalLinkage);
  moved->setVisibility(llvm::GlobalValue::DefaultVisibility);
  moved->setDSOLocal(true);
  moved->setSection("");  // Code is packed by permission; sections of its own would only pad it.
  moved->copyMetadata(&original, 0);
  moved->stealArgumentListFrom(original);
  moved->splice(moved->end(), &original);
  llvm::Constant* prefix = original.hasPrefixData() ? original.getPrefixData() : nullptr;
  moved->setPrefixData(nullptr);
  original.deleteBody();
  original.setPrefixData(prefix);
  original.clearMetadata();
  original.setComdat(nullptr);
  return moved;
}

// Replaces `declaration`, which has no uses yet, by a copy of `body`.
llvm::Function* ImportInPlaceOf(llvm::Function& declaration, llvm::Function& body) {
  llvm::Function* clone = CloneInView(body);
  llvm::Function* copy = MoveFunction(*clone, "", *declaration.getParent());
  clone->eraseFromParent();
  copy->setDSOLocal(declaration.isDSOLocal());
  copy->setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
  copy->takeName(&declaration);
  declaration.eraseFromParent();
  return copy;
}

class BodyMover {
 public:
  BodyMover(ModuleView& view, const SymbolIndex& index, const FunctionChoice& choice,
            const ExtractOptions& options, IsReplaced is_replaced, llvm::Module& target)
      : view_(view),
        index_(index),
        choice_(choice),
        options_(options),
        target_(target),
        facts_(options.facts, view, index, is_replaced),
        mapper_(view, index, is_replaced, options.is_far, target) {
    mapper_.UseFacts(facts_);
    mapper_.Share(choice.shared, /*has_values=*/options.import_callees);
  }

  absl::StatusOr<MovedBodies> Move() && {
    MoveFunctions();
    ImportCallees();
    MoveVariables();
    for (size_t i = 0; i < moved_.bodies.size(); ++i) MapReferences(i);
    moved_.has_inline_assembly = mapper_.has_inline_assembly();
    moved_.facts = facts_.count();
    moved_.grounds = facts_.grounds();
    FIRSTCALL_RETURN_IF_ERROR(Annotate(
        mapper_.status(),
        absl::StrCat("function '", index_.at(choice_.functions.front().ordinal).name, "'")));
    return std::move(moved_);
  }

 private:
  void MoveFunctions() {
    for (auto [original, ordinal, chosen] : choice_.functions) {
      const bool stays = chosen != original || StaysInView(*original, ordinal);
      llvm::Function* const source = stays ? CloneInView(*chosen) : original;
      ForgetIfUnoptimized(*source);
      CallHooksOfBody(*source, *original);
      llvm::Function* body =
          MoveFunction(*source, IrName(index_.at(ordinal).name, *original), target_);
      if (source != original) source->eraseFromParent();
      if (PollsInCode() && index_.at(ordinal).is_weak) body->setDSOLocal(false);
      moved_.bodies.push_back(body);
      mapper_.DefineCallTarget(*original, *body);
    }
  }

  // If so, a body may be made again to be left at a loop, alone. Then it must call functions that
  // have joined it now in the way in which it calls others.
  bool PollsInCode() const {
    const auto* const body = std::get_if<ReplaceableBody>(&options_.body);
    return body != nullptr && body->polls_in_code;
  }

  void ForgetIfUnoptimized(llvm::Function& function) const {
    if (options_.import_callees && view_.is_unoptimized()) ForgetThatItIsUnoptimized(function);
  }

  bool StaysInView(llvm::Function& function, SymbolOrdinal ordinal) const {
    return (options_.import_callees || options_.keep_in_view || MustBeInlined(function)) &&
           index_.GroupOf(ordinal).empty() && CanBeCloned(function) &&
           BlockAddressPartners(function).empty();
  }

  void ImportCallees() {
    for (const Import& import : choice_.imports.callees) {
      llvm::Function& original = *import.function;
      // An `available_externally` function has one name for calls and address.
      if (original.hasAvailableExternallyLinkage()) {
        ImportByAddress(import);
        continue;
      }
      llvm::Function* body = ImportInPlaceOf(mapper_.CallTargetOf(original), *import.body);
      body->setAttributes(facts_.AddTo(body->getAttributes(), original));
      ForgetIfUnoptimized(*body);
      if (import.is_private) body->setLinkage(llvm::GlobalValue::InternalLinkage);
      moved_.bodies.push_back(body);
      mapper_.DefineCallTarget(original, *body);
    }
    for (const Import& import : choice_.imports.pointees) ImportByAddress(import);
  }

  void ImportByAddress(const Import& import) {
    llvm::Function& original = *import.function;
    auto& declaration = llvm::cast<llvm::Function>(*mapper_.Map(original));
    llvm::Function* body = ImportInPlaceOf(declaration, *import.body);
    body->setAttributes(facts_.AddTo(body->getAttributes(), original));
    ForgetIfUnoptimized(*body);
    moved_.bodies.push_back(body);
    mapper_.Define(original, *body);
  }

  // Initializers may refer to each other's variables, so all variables are declared first.
  void MoveVariables() {
    std::vector<llvm::GlobalVariable*> moved;
    for (auto [original, ordinal] : choice_.variables) {
      moved.push_back(&DeclareMoved(*original, ToStringRef(index_.at(ordinal).name), target_));
      if (options_.debug_info != KeptDebugInfo::kAll) DropDebugInfo(*moved.back());
      mapper_.Define(*original, *moved.back());
    }
    for (size_t i = 0; i < moved.size(); ++i) {
      const SymbolOrdinal ordinal = choice_.variables[i].ordinal;
      MoveInitializer(*choice_.variables[i].original, *moved[i], mapper_);
      if (index_.at(ordinal).size > index_.largest_near_variable()) PlaceApart(*moved[i]);
    }
  }

  void MapReferences(size_t i) {
    llvm::Function& body = *moved_.bodies[i];
    if (options_.import_callees) {
      for (const std::string& name : view_.library_names_of_variables()) {
        body.addFnAttr(absl::StrCat("no-builtin-", name));
      }
    }
    if (options_.drop_alias_metadata) DropAliasMetadata(body);
    // Imported bodies are dropped again when they were inlined.
    const bool is_imported = i >= choice_.functions.size();
    CarryDebugInfo(view_, body, /*may_be_dropped=*/is_imported);
    if (LinkerBindsCalls() && !is_imported) {
      mapper_.ForgetCallTarget(*choice_.functions[i].original);
    }
    mapper_.MapBody(body);
  }

  // Whether the linker binds calls of the moved functions by each other and by themselves.
  // Otherwise a function that calls itself, perhaps through others, would never get to an optimized
  // body.
  bool LinkerBindsCalls() const {
    return std::holds_alternative<ReplaceableBody>(options_.body) ||
           std::holds_alternative<ContinuationAtLoop>(options_.body);
  }

  ModuleView& view_;
  const SymbolIndex& index_;
  const FunctionChoice& choice_;
  const ExtractOptions& options_;
  llvm::Module& target_;
  FactUse facts_;
  ReferenceMapper mapper_;
  MovedBodies moved_;
};

}  // namespace

absl::StatusOr<MovedBodies> MoveBodies(ModuleView& view, const SymbolIndex& index,
                                       const FunctionChoice& choice, const ExtractOptions& options,
                                       IsReplaced is_replaced, llvm::Module& target) {
  return BodyMover(view, index, choice, options, is_replaced, target).Move();
}

}  // namespace firstcall
