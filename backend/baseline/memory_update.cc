#include "backend/baseline/memory_update.h"

#include <utility>

#include "llvm/IR/Constants.h"

namespace firstcall::baseline {
namespace {

bool IsOperation(const llvm::BinaryOperator& operation) {
  switch (operation.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
      break;
    default:
      return false;
  }
  const llvm::Type* type = operation.getType();
  return type->isIntegerTy(8) || type->isIntegerTy(16) || type->isIntegerTy(32) ||
         type->isIntegerTy(64);
}

// The load of `value`, if it is from where `store` writes to and needed for nothing else.
const llvm::LoadInst* LoadFor(const llvm::Value* value, const llvm::StoreInst& store) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  return load != nullptr && load->isSimple() && load->hasOneUse() &&
                 load->getPointerOperand() == store.getPointerOperand() &&
                 load->getParent() == store.getParent()
             ? load
             : nullptr;
}

}  // namespace

MemoryUpdate UpdateEndingIn(const llvm::StoreInst& store) {
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(store.getValueOperand());
  if (operation == nullptr || !store.isSimple() || !IsOperation(*operation) ||
      operation->getParent() != store.getParent()) {
    return {};
  }
  if (!operation->hasOneUse() && (!operation->hasNUses(2) || TestOfUpdate(store) == nullptr)) {
    return {};
  }
  const llvm::Value* left = operation->getOperand(0);
  const llvm::Value* right = operation->getOperand(1);
  const llvm::LoadInst* load = LoadFor(left, store);
  if (load == nullptr && operation->isCommutative()) {
    std::swap(left, right);
    load = LoadFor(left, store);
  }
  return {load, operation, right};
}

const llvm::ICmpInst* TestOfUpdate(const llvm::StoreInst& store) {
  const auto* test = llvm::dyn_cast_or_null<llvm::ICmpInst>(store.getNextNode());
  if (test == nullptr || test->getOperand(0) != store.getValueOperand() || !test->hasOneUse() ||
      *test->user_begin() != test->getNextNode() ||
      !llvm::isa<llvm::BranchInst>(test->getNextNode())) {
    return nullptr;
  }
  const auto* zero = llvm::dyn_cast<llvm::ConstantInt>(test->getOperand(1));
  if (zero == nullptr || !zero->isZero()) return nullptr;
  switch (test->getPredicate()) {
    case llvm::CmpInst::ICMP_EQ:
    case llvm::CmpInst::ICMP_NE:
    case llvm::CmpInst::ICMP_SLT:
    case llvm::CmpInst::ICMP_SGE:
      return test;
    default:
      return nullptr;
  }
}

MemoryUpdate UpdateBeginningWith(const llvm::LoadInst& load) {
  if (!load.hasOneUse()) return {};
  for (const llvm::User* user : load.user_back()->users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr) continue;
    if (const MemoryUpdate update = UpdateEndingIn(*store); update.load == &load) return update;
  }
  return {};
}

}  // namespace firstcall::baseline
