#include "splitter/fact_finder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include "splitter/block_addresses.h"
#include "splitter/body_copier.h"
#include "splitter/debug_info.h"
#include "splitter/entry_hooks.h"
#include "splitter/function_facts.h"
#include "splitter/thread_local_uses.h"
#include "third_party/llvm/version/debug_metadata.h"

namespace firstcall {
namespace {

// A larger body is not inferred from: it seldom has facts that matter, and takes long.
constexpr size_t kMostInstructions = 500;
// For so many instructions of functions that are optimized, one more may be looked at.
constexpr size_t kInstructionsPerAllowance = 4;

// What the called operand of `call` is, if that is a function; otherwise null.
llvm::Function* CalleeOf(const llvm::CallBase& call) {
  auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(call.getCalledOperand());
  if (alias == nullptr) return llvm::dyn_cast<llvm::Function>(call.getCalledOperand());
  return llvm::dyn_cast_or_null<llvm::Function>(alias->getAliaseeObject());
}

// Declares what the bodies refer to. A function that the source module defines has no name here, so
// LLVM does not take it for the function of that name in a library.
class Declarer final : private llvm::ValueMaterializer {
 public:
  Declarer(const ModuleView& view, const SymbolIndex& index, const FunctionFacts& facts,
           llvm::Module& target)
      : view_(view),
        index_(index),
        facts_(facts),
        target_(target),
        mapper_(values_, llvm::RF_NoModuleLevelChanges, /*TypeMapper=*/nullptr, this) {}

  void Define(const llvm::Function& original, llvm::Function& body) { values_[&original] = &body; }

  void MapOperands(llvm::User& user) {
    for (llvm::Use& operand : user.operands()) {
      auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get());
      if (constant == nullptr || llvm::isa<llvm::ConstantData>(constant)) continue;
      operand.set(mapper_.mapConstant(*constant));
    }
  }

 private:
  llvm::Value* materialize(llvm::Value* value) override {
    auto* original = llvm::dyn_cast<llvm::GlobalValue>(value);
    if (original == nullptr || original->getParent() == &target_) return nullptr;
    if (auto* type = llvm::dyn_cast<llvm::FunctionType>(original->getValueType())) {
      return DeclareFunction(*original, *type);
    }
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(original);
    return new llvm::GlobalVariable(
        target_, original->getValueType(), variable != nullptr && variable->isConstant(),
        original->hasExternalWeakLinkage() ? llvm::GlobalValue::ExternalWeakLinkage
                                           : llvm::GlobalValue::ExternalLinkage,
        /*Initializer=*/nullptr, "", /*InsertBefore=*/nullptr, original->getThreadLocalMode(),
        original->getAddressSpace());
  }

  llvm::Function* DeclareFunction(const llvm::GlobalValue& original, llvm::FunctionType& type) {
    const std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(original);
    const bool is_own = ordinal && index_.at(*ordinal).is_definition;
    auto* declaration = llvm::Function::Create(&type, llvm::GlobalValue::ExternalLinkage,
                                               original.getAddressSpace(),
                                               is_own ? "" : original.getName(), &target_);
    if (original.hasExternalWeakLinkage()) {
      declaration->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
    }
    const auto* function = llvm::dyn_cast<llvm::Function>(&original);
    if (function == nullptr) return declaration;
    declaration->setCallingConv(function->getCallingConv());
    const FunctionFacts::Facts* facts = ordinal ? facts_.Find(*ordinal) : nullptr;
    declaration->setAttributes(
        facts == nullptr
            ? function->getAttributes()
            : WithInferred(function->getAttributes(), facts->inferred, function->getContext()));
    return declaration;
  }

  const ModuleView& view_;
  const SymbolIndex& index_;
  const FunctionFacts& facts_;
  llvm::Module& target_;
  llvm::ValueToValueMapTy values_;
  llvm::ValueMapper mapper_;
};

// Copies `original` into `target`. The copy still refers to globals of the view.
llvm::Function& CopyInto(llvm::Module& target, llvm::Function& original) {
  llvm::Function* const clone = CloneInView(original);
  DropDebugInfo(*clone);
  auto* copy =
      llvm::Function::Create(original.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                             original.getAddressSpace(), "", &target);
  copy->copyAttributesFrom(clone);
  copy->setLinkage(llvm::GlobalValue::ExternalLinkage);
  copy->setVisibility(llvm::GlobalValue::DefaultVisibility);
  copy->setDSOLocal(true);
  if (copy->hasPrefixData()) copy->setPrefixData(nullptr);
  copy->stealArgumentListFrom(*clone);
  copy->splice(copy->end(), clone);
  clone->eraseFromParent();
  return *copy;
}

}  // namespace

FactFinder::FactFinder(ModuleView& view, const SymbolIndex& index, const ExtractOptions& options,
                       IsReplaced is_replaced)
    : view_(view),
      index_(index),
      options_(options),
      is_replaced_(is_replaced),
      facts_(*options.facts),
      reader_(view, index, options) {}

void FactFinder::Find(SymbolOrdinal function) {
  auto& root = llvm::cast<llvm::Function>(view_.symbol(function));
  if (!reader_.Read(root, function).ok()) return;  // Its extraction reports the error.
  facts_.AddAllowance(root.getInstructionCount() / kInstructionsPerAllowance);
  seen_.insert(&root);
  left_.push_back(&root);
  if (facts_.Find(function) == nullptr && MayBeInferred(root, function)) Add({&root, function});
  for (size_t i = 0; i < left_.size(); ++i) AddCalleesOf(*left_[i]);
  Infer();
}

// Whether the body that the module has is what calls of `function` run.
bool FactFinder::MayBeInferred(const llvm::Function& function, SymbolOrdinal ordinal) const {
  const Symbol symbol = index_.at(ordinal);
  return symbol.is_definition && index_.GroupOf(ordinal).empty() && !function.isInterposable() &&
         !(symbol.is_weak && is_replaced_(ordinal)) && !function.isPresplitCoroutine() &&
         !function.hasFnAttribute(llvm::Attribute::Naked) && !function.hasPrologueData() &&
         !HasHooksOfBody(function);
}

// What a function returns that names thread-local variables may depend on the thread that calls it.
// Without optimization it does, whatever thread has called it before.
bool FactFinder::AsksForTheThread(const llvm::Function& function) const {
  return view_.is_unoptimized() && NamesThreadLocals(function);
}

// Adds `body`, which is in memory, to those that are inferred from, or notes that nothing can be
// inferred of it, and returns false.
bool FactFinder::Add(Body body) {
  llvm::Function& function = *body.function;
  if (function.getInstructionCount() > kMostInstructions || !CanBeCloned(function) ||
      !BlockAddressPartners(function).empty() || AsksForTheThread(function)) {
    facts_.Note(body.ordinal, {});
    return false;
  }
  inferred_.push_back(body);
  return true;
}

void FactFinder::AddCalleesOf(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    llvm::Function* const callee = call == nullptr ? nullptr : CalleeOf(*call);
    if (callee == nullptr || callee->isIntrinsic() || !seen_.insert(callee).second) continue;
    const std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(*callee);
    if (!ordinal || facts_.Find(*ordinal) != nullptr || !MayBeInferred(*callee, *ordinal)) continue;
    if (facts_.AddAllowance(0) == 0) return;
    if (!reader_.Read(*callee, *ordinal).ok()) {
      facts_.Note(*ordinal, {});
      continue;
    }
    facts_.TakeAllowance(callee->getInstructionCount());
    if (Add({callee, *ordinal})) left_.push_back(callee);
  }
}

void FactFinder::Infer() {
  if (inferred_.empty()) return;
  llvm::Module module("facts", view_.context());
  module.setTargetTriple(view_.module().getTargetTriple());
  module.setDataLayout(view_.module().getDataLayout());
  llvm_version::KeepPlacesAs(view_.module(), module);
  std::vector<llvm::Function*> copies;
  Declarer declarer(view_, index_, facts_, module);
  for (const Body& body : inferred_) {
    copies.push_back(&CopyInto(module, *body.function));
    declarer.Define(*body.function, *copies.back());
  }
  for (llvm::Function* copy : copies) {
    declarer.MapOperands(*copy);
    for (llvm::Instruction& instruction : llvm::instructions(*copy)) {
      declarer.MapOperands(instruction);
    }
  }
  options_.infer(module);
  for (size_t i = 0; i < inferred_.size(); ++i) {
    facts_.Note(inferred_[i].ordinal, FactsOf(inferred_[i], *copies[i]));
  }
}

FunctionFacts::Facts FactFinder::FactsOf(const Body& body, const llvm::Function& copy) const {
  FunctionFacts::Facts facts;
  facts.inferred = InferredSince(body.function->getAttributes(), copy);
  if (facts.inferred.empty()) return facts;
  const absl::Span<const SymbolOrdinal> inlined = view_.InlinedInto(*body.function);
  facts.grounds.assign(inlined.begin(), inlined.end());
  for (const llvm::Instruction& instruction : llvm::instructions(*body.function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* const callee = call == nullptr ? nullptr : CalleeOf(*call);
    const std::optional<SymbolOrdinal> ordinal =
        callee == nullptr ? std::nullopt : view_.ordinal_of(*callee);
    if (!ordinal || llvm::is_contained(facts.grounds, *ordinal)) continue;
    const FunctionFacts::Facts* known = facts_.Find(*ordinal);
    const auto is_callee = [&](const Body& other) { return other.ordinal == *ordinal; };
    if ((known != nullptr && !known->inferred.empty()) || llvm::any_of(inferred_, is_callee)) {
      facts.grounds.push_back(*ordinal);
    }
  }
  return facts;
}

}  // namespace firstcall
