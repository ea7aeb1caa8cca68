#include "splitter/reference_mapper.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/inline_assembly.h"
#include "base/string_ref.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "object/symbol_name.h"
#include "splitter/large_variables.h"
#include "splitter/object_name.h"
#include "splitter/runtime_names.h"
#include "splitter/section_names.h"

namespace firstcall {
namespace {

// Copying a constant up to this size is cheaper than linking to it: a reference costs a relocation
// (24 bytes of object) and a symbol (24 bytes and its name) in each object that has one.
constexpr uint64_t kMaxCopiedBytes = 1024;

// The type of the function that `value` is or stands for; null if it is not a function.
llvm::FunctionType* FunctionTypeOf(const llvm::GlobalValue& value) {
  return llvm::dyn_cast<llvm::FunctionType>(value.getValueType());
}

}  // namespace

ReferenceMapper::ReferenceMapper(const ModuleView& view, const SymbolIndex& index,
                                 IsReplaced is_replaced, bool is_far, llvm::Module& target)
    : view_(view),
      index_(index),
      is_replaced_(is_replaced),
      is_far_(is_far),
      target_(target),
      // Types and metadata remain as they are, because both modules have the same context; only
      // globals change.
      mapper_(values_, llvm::RF_NoModuleLevelChanges, /*TypeMapper=*/nullptr, this) {}

void ReferenceMapper::Define(llvm::GlobalValue& original, llvm::GlobalValue& definition) {
  values_[&original] = &definition;
}

void ReferenceMapper::DefineCallTarget(const llvm::Function& original, llvm::Function& body) {
  call_targets_[&original] = &body;
  bodies_[&original] = &body;
}

void ReferenceMapper::ForgetCallTarget(const llvm::Function& original) {
  call_targets_.erase(&original);
}

llvm::Constant* ReferenceMapper::Map(llvm::Constant& original) {
  return mapper_.mapConstant(original);
}

void ReferenceMapper::MapBody(llvm::Function& function) {
  MapOperands(function);  // Maps personality, prefix and prologue data.
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      if (IsInlineAssembly(instruction)) has_inline_assembly_ = true;
      if (llvm::Value* target = CallTarget(*call->getCalledOperand())) {
        call->setCalledOperand(target);
      }
      MapOwnerOfFrame(*call);
    }
    MapOperands(instruction);
  }
}

// The places in another function's frame belong to that function's body.
void ReferenceMapper::MapOwnerOfFrame(llvm::CallBase& call) const {
  const auto* recover = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  if (recover == nullptr || recover->getIntrinsicID() != llvm::Intrinsic::localrecover) return;
  const auto body =
      bodies_.find(llvm::dyn_cast<llvm::Function>(recover->getArgOperand(0)->stripPointerCasts()));
  if (body != bodies_.end()) call.setArgOperand(0, body->second);
}

void ReferenceMapper::MapOperands(llvm::User& user) {
  for (llvm::Use& operand : user.operands()) {
    auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get());
    if (constant == nullptr || llvm::isa<llvm::ConstantData>(constant)) continue;
    operand.set(Map(*constant));
  }
}

llvm::Function& ReferenceMapper::CallTargetOf(const llvm::Function& original) {
  llvm::Function*& target = call_targets_[&original];
  if (target == nullptr) {
    const absl::string_view name = index_.at(*view_.ordinal_of(original)).name;
    target = DeclareFunction(original, IrName(absl::StrCat(name, kCallSuffix), original));
  }
  return *target;
}

// The declaration for direct calls of `callee`; null if the call has no name of its own.
llvm::Value* ReferenceMapper::CallTarget(llvm::Value& callee) {
  const auto* original = llvm::dyn_cast<llvm::GlobalValue>(&callee);
  if (original == nullptr) return nullptr;
  if (const llvm::GlobalValue* base = AliasedBy(*original)) {
    if (index_.at(*view_.ordinal_of(*original)).offset != 0) return nullptr;
    original = base;
  }
  if (FunctionTypeOf(*original) == nullptr) return nullptr;
  std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(*original);
  if (!ordinal || !index_.at(*ordinal).is_definition) return nullptr;
  auto* function = llvm::dyn_cast<llvm::Function>(original);
  if (function != nullptr) return &CallTargetOf(*function);
  llvm::Function*& target = call_targets_[original];
  if (target == nullptr) {
    target = DeclareFunction(
        *original, IrName(absl::StrCat(index_.at(*ordinal).name, kCallSuffix), *original));
  }
  return target;
}

llvm::Value* ReferenceMapper::materialize(llvm::Value* value) {
  if (auto* address = llvm::dyn_cast<llvm::BlockAddress>(value)) return MapBlockAddress(*address);
  auto* original = llvm::dyn_cast<llvm::GlobalValue>(value);
  if (original == nullptr || original->getParent() == &target_) return nullptr;
  if (const llvm::GlobalValue* base = AliasedBy(*original)) return MapAlias(*original, *base);
  auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(original);
  if (variable != nullptr && IsCopied(*variable, view_, index_)) {
    const bool is_shared = shared_ != nullptr && shared_->contains(variable);
    return is_shared && view_.ordinal_of(*variable) ? DeclareShared(*variable) : Copy(*variable);
  }
  return Declare(*original);
}

// What `original` stands for if it is an alias; otherwise null. Separate declarations would be
// separate objects to the optimizer, which could reorder accesses to them and distinguish their
// addresses.
const llvm::GlobalValue* ReferenceMapper::AliasedBy(const llvm::GlobalValue& original) const {
  if (!llvm::isa<llvm::GlobalAlias>(original)) return nullptr;
  const SymbolOrdinal ordinal = *view_.ordinal_of(original);
  const Symbol& symbol = index_.at(ordinal);
  if (!symbol.is_definition || (symbol.is_weak && is_replaced_(ordinal))) return nullptr;
  SymbolOrdinal base = symbol.base;
  if (index_.at(base).is_weak && is_replaced_(base)) {
    // The name of the base means another definition.
    base = index_.KeeperOf(base, is_replaced_).value_or(base);
  }
  return base == ordinal ? nullptr : &view_.symbol(base);
}

llvm::Value* ReferenceMapper::MapAlias(const llvm::GlobalValue& alias,
                                       const llvm::GlobalValue& base) {
  auto* mapped = llvm::cast_or_null<llvm::Constant>(values_.lookup(&base));
  if (mapped == nullptr) values_[&base] = mapped = Declare(base);
  const int64_t offset = index_.at(*view_.ordinal_of(alias)).offset;
  if (offset == 0) return mapped;
  llvm::LLVMContext& context = target_.getContext();
  return llvm::ConstantExpr::getGetElementPtr(
      llvm::Type::getInt8Ty(context), mapped,
      llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(context), offset));
}

llvm::GlobalValue* ReferenceMapper::Declare(const llvm::GlobalValue& original) {
  std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(original);
  if (!ordinal) CheckAddedToView(original);
  const bool is_definition = ordinal && index_.at(*ordinal).is_definition;
  const std::string name =
      is_definition ? std::string(index_.at(*ordinal).name) : original.getName().str();
  if (FunctionTypeOf(original) == nullptr) return DeclareVariable(original, name);
  return DeclareFunction(original,
                         is_definition ? IrName(absl::StrCat(name, kStubSuffix), original) : name);
}

llvm::Function* ReferenceMapper::DeclareFunction(const llvm::GlobalValue& original,
                                                 llvm::StringRef name) {
  auto* declaration =
      llvm::Function::Create(FunctionTypeOf(original), llvm::GlobalValue::ExternalLinkage,
                             original.getAddressSpace(), name, &target_);
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&original)) {
    declaration->setCallingConv(function->getCallingConv());
    declaration->setAttributes(facts_ == nullptr
                                   ? function->getAttributes()
                                   : facts_->AddTo(function->getAttributes(), *function));
  }
  std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(original);
  declaration->setDSOLocal(ordinal && IsWithinReach(index_.at(*ordinal)));
  if (original.hasExternalWeakLinkage()) {
    declaration->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
  }
  CheckName(*declaration, name);
  return declaration;
}

llvm::GlobalVariable* ReferenceMapper::DeclareVariable(const llvm::GlobalValue& original,
                                                       llvm::StringRef name) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(original.getAliaseeObject());
  auto* declaration = new llvm::GlobalVariable(
      target_, original.getValueType(), variable != nullptr && variable->isConstant(),
      original.hasExternalWeakLinkage() ? llvm::GlobalValue::ExternalWeakLinkage
                                        : llvm::GlobalValue::ExternalLinkage,
      /*Initializer=*/nullptr, name, /*InsertBefore=*/nullptr, original.getThreadLocalMode(),
      original.getAddressSpace());
  if (variable == &original) declaration->setAlignment(variable->getAlign());
  std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(original);
  const bool is_large = variable != nullptr && IsDeclaredLarge(*variable);
  declaration->setDSOLocal(ordinal && !is_large && IsWithinReach(index_.at(*ordinal)));
  CheckName(*declaration, name);
  return declaration;
}

llvm::GlobalVariable* ReferenceMapper::Copy(llvm::GlobalVariable& original) {
  auto* copy = new llvm::GlobalVariable(
      target_, original.getValueType(), original.isConstant(), llvm::GlobalValue::PrivateLinkage,
      /*Initializer=*/nullptr, original.getName(), /*InsertBefore=*/nullptr,
      original.getThreadLocalMode(), original.getAddressSpace());
  copy->copyAttributesFrom(&original);
  copy->setDSOLocal(true);
  // Mapped later, because the mapper may be working on something that refers to this constant.
  mapper_.scheduleMapGlobalInitializer(*copy, *original.getInitializer());
  return copy;
}

// If the value refers to nothing else, the declaration has it, so that the optimizer needs no load.
llvm::GlobalVariable* ReferenceMapper::DeclareShared(llvm::GlobalVariable& original) {
  auto* declaration =
      DeclareVariable(original, ToStringRef(index_.at(*view_.ordinal_of(original)).name));
  if (shared_have_values_ && llvm::isa<llvm::ConstantData>(original.getInitializer())) {
    declaration->setInitializer(original.getInitializer());
    declaration->setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
  }
  return declaration;
}

// A block is moved together with its function, so the block itself tells where it is now.
llvm::Constant* ReferenceMapper::MapBlockAddress(const llvm::BlockAddress& original) {
  llvm::BasicBlock* block = original.getBasicBlock();
  llvm::Function* function = block->getParent();
  if (function->getParent() != &target_) {
    status_ =
        absl::UnimplementedError(absl::StrCat("the address of a block of function '",
                                              function->getName().str(), "' in another function"));
  }
  return llvm::BlockAddress::get(function, block);
}

bool ReferenceMapper::IsCopied(const llvm::GlobalVariable& variable, const ModuleView& view,
                               const SymbolIndex& index) {
  if (!variable.hasLocalLinkage() || !variable.isConstant() || !variable.hasGlobalUnnamedAddr() ||
      !variable.hasDefinitiveInitializer() || variable.isThreadLocal() ||
      HasSectionName(variable)) {
    return false;
  }
  std::optional<SymbolOrdinal> ordinal = view.ordinal_of(variable);
  if (!ordinal) return true;  // An optimization added it to the view, so no module defines it.
  const Symbol& symbol = index.at(*ordinal);
  return symbol.is_definition && !symbol.has_aliases && !symbol.is_computed &&
         symbol.size <= kMaxCopiedBytes && index.GroupOf(*ordinal).empty();
}

// Besides constants, optimizations add calls of library functions, and of hooks, whose names mean
// the same to every module.
void ReferenceMapper::CheckAddedToView(const llvm::GlobalValue& added) {
  const auto* function = llvm::dyn_cast<llvm::Function>(&added);
  if (function != nullptr &&
      (function->isIntrinsic() || IsRuntimeName(ToStringView(added.getName()))))
    return;
  status_ = absl::InternalError(absl::StrCat(
      "an optimization added '", added.getName().str(),
      "' to its source module, which is neither a constant nor a function of a library"));
}

// LLVM renames a global if the module already has another one of that name.
void ReferenceMapper::CheckName(const llvm::GlobalValue& declaration, llvm::StringRef wanted) {
  if (declaration.getName() == wanted) return;
  status_ = absl::InternalError(absl::StrCat("'", wanted.str(),
                                             "' is named in a function-module that has another '",
                                             wanted.str(), "' already"));
}

// Whether the definition of `symbol` is certain to be within PC-relative reach: it is the module's
// own and not too large, and no other definition (such as the process's) can override it.
bool ReferenceMapper::IsWithinReach(const Symbol& symbol) const {
  const Symbol& base = index_.at(symbol.base);
  return !is_far_ && symbol.is_definition && !symbol.is_weak && base.is_definition &&
         !base.is_weak && base.size <= index_.largest_near_variable();
}

}  // namespace firstcall
