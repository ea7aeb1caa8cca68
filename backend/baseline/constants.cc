#include "backend/baseline/constants.h"

#include <algorithm>

#include "backend/baseline/constant_data.h"
#include "backend/baseline/value_parts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace firstcall::baseline {
namespace {

using Kind = ConstantPart::Kind;

ConstantPart Bits(uint64_t low, uint64_t high = 0) {
  ConstantPart part;
  part.kind = Kind::kBits;
  part.low = low;
  part.high = high;
  return part;
}

// The address expression `constant`, of 64 bits.
ConstantPart AddressPart(const llvm::Constant& constant, const llvm::DataLayout& layout) {
  if (const auto* global = llvm::dyn_cast<llvm::GlobalValue>(&constant)) {
    ConstantPart part;
    part.kind = Kind::kAddress;
    part.global = global;
    return part;
  }
  if (const auto* address = llvm::dyn_cast<llvm::BlockAddress>(&constant)) {
    ConstantPart part;
    part.kind = Kind::kBlockAddress;
    part.block = address->getBasicBlock();
    return part;
  }
  if (const auto* equivalent = llvm::dyn_cast<llvm::DSOLocalEquivalent>(&constant)) {
    return AddressPart(*equivalent->getGlobalValue(), layout);
  }
  if (const auto* none = llvm::dyn_cast<llvm::NoCFIValue>(&constant)) {
    return AddressPart(*none->getGlobalValue(), layout);
  }
  const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
  if (expression == nullptr) return ConstantPart();
  switch (expression->getOpcode()) {
    case llvm::Instruction::BitCast:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::PtrToInt: {
      const llvm::Constant& operand = *expression->getOperand(0);
      if (layout.getTypeSizeInBits(operand.getType()) != 64 ||
          layout.getTypeSizeInBits(expression->getType()) != 64) {
        return ConstantPart();
      }
      return PartOf(operand, 0, layout);
    }
    case llvm::Instruction::GetElementPtr: {
      llvm::APInt offset(64, 0);
      if (!llvm::cast<llvm::GEPOperator>(expression)->accumulateConstantOffset(layout, offset)) {
        return ConstantPart();
      }
      ConstantPart part = PartOf(*expression->getOperand(0), 0, layout);
      if (part.kind == Kind::kBlockAddress) return ConstantPart();
      part.low += offset.getZExtValue();
      return part;
    }
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub: {
      ConstantPart left = PartOf(*expression->getOperand(0), 0, layout);
      const ConstantPart right = PartOf(*expression->getOperand(1), 0, layout);
      if (right.kind != Kind::kBits || left.kind == Kind::kBlockAddress ||
          !expression->getType()->isIntegerTy(64)) {
        return ConstantPart();
      }
      left.low += expression->getOpcode() == llvm::Instruction::Add ? right.low : -right.low;
      return left;
    }
    default:
      return ConstantPart();
  }
}

ConstantPart VectorPart(const llvm::Constant& constant, unsigned part,
                        const llvm::DataLayout& layout) {
  const auto& type = *llvm::cast<llvm::FixedVectorType>(constant.getType());
  // The lanes of a vector of i1 are masks.
  const unsigned bits = type.getElementType()->isIntegerTy(1)
                            ? 128 / type.getNumElements()
                            : layout.getTypeSizeInBits(type.getElementType());
  const unsigned lanes = std::min(128 / bits, type.getNumElements());
  uint64_t halves[2] = {0, 0};
  for (unsigned i = 0; i < lanes; ++i) {
    const llvm::Constant* element = constant.getAggregateElement(part * lanes + i);
    if (element == nullptr) return ConstantPart();
    const ConstantPart lane = PartOf(*element, 0, layout);
    if (lane.kind != Kind::kBits) return ConstantPart();
    const uint64_t value = bits == 64 ? lane.low : lane.low & ((uint64_t{1} << bits) - 1);
    halves[i * bits / 64] |= value << (i * bits % 64);
  }
  return Bits(halves[0], halves[1]);
}

// Finds the member that has the part, whose number in it remains in `part`.
const llvm::Constant* MemberOf(const llvm::Constant& constant, unsigned& part) {
  for (unsigned i = 0;; ++i) {
    const llvm::Constant* member = constant.getAggregateElement(i);
    if (member == nullptr) return nullptr;
    const unsigned count = PartCount(member->getType());
    if (part < count) return member;
    part -= count;
  }
}

}  // namespace

ConstantPart PartOf(const llvm::Constant& constant, unsigned part, const llvm::DataLayout& layout) {
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
    const llvm::APInt& value = integer->getValue();
    if (value.getBitWidth() <= 64) return Bits(value.getSExtValue());
    return Bits(value.sext(128).extractBitsAsZExtValue(64, 64 * part));
  }
  if (llvm::isa<llvm::ConstantPointerNull>(constant) ||
      llvm::isa<llvm::ConstantAggregateZero>(constant)) {
    return Bits(0);
  }
  if (llvm::isa<llvm::UndefValue>(constant)) {
    ConstantPart undefined = Bits(0);
    undefined.is_undefined = true;
    return undefined;
  }
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant)) {
    if (!number->getType()->isFloatTy() && !number->getType()->isDoubleTy()) return ConstantPart();
    return Bits(number->getValueAPF().bitcastToAPInt().getZExtValue());
  }
  if (constant.getType()->isVectorTy()) return VectorPart(constant, part, layout);
  if (constant.getType()->isAggregateType()) {
    const llvm::Constant* member = MemberOf(constant, part);
    return member == nullptr ? ConstantPart() : PartOf(*member, part, layout);
  }
  return AddressPart(constant, layout);
}

namespace {

// Whether only instructions of `function` use the constant, perhaps by way of expressions.
bool IsUsedOnlyBy(const llvm::Constant& constant, const llvm::Function& function) {
  for (const llvm::User* user : constant.users()) {
    if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      if (instruction->getFunction() != &function) return false;
    } else if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(user)) {
      if (!IsUsedOnlyBy(*expression, function)) return false;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

bool IsLabelTable(const llvm::GlobalValue& global, const llvm::Function& function) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&global);
  if (variable == nullptr || !variable->isConstant() || !variable->hasInitializer()) return false;
  const auto* table = llvm::dyn_cast<llvm::ConstantArray>(variable->getInitializer());
  if (table == nullptr || !llvm::isa<llvm::BlockAddress>(table->getOperand(0))) return false;
  for (const llvm::Use& entry : table->operands()) {
    const auto* address = llvm::dyn_cast<llvm::BlockAddress>(entry.get());
    if (address == nullptr || address->getFunction() != &function) return false;
  }
  return IsUsedOnlyBy(*variable, function);
}

bool KeepsItsLabels(const llvm::Function& function,
                    std::vector<const llvm::GlobalVariable*>& tables) {
  for (const llvm::BasicBlock& block : function) {
    if (!block.hasAddressTaken()) continue;
    const llvm::BlockAddress* address = llvm::BlockAddress::lookup(&block);
    if (address == nullptr) continue;
    for (const llvm::User* user : address->users()) {
      if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        if (instruction->getFunction() != &function) return false;
        continue;
      }
      if (!llvm::isa<llvm::ConstantArray>(user)) return false;
      for (const llvm::User* variable : user->users()) {
        const auto* table = llvm::dyn_cast<llvm::GlobalVariable>(variable);
        if (table != nullptr && llvm::is_contained(tables, table)) continue;
        if (table == nullptr || !IsLabelTable(*table, function)) return false;
        tables.push_back(table);
      }
    }
  }
  return true;
}

bool IsSupported(const llvm::Constant& constant, const llvm::Function& function) {
  if (llvm::isa<llvm::ConstantInt>(constant))
    return constant.getType()->getIntegerBitWidth() <= 128;
  if (llvm::isa<llvm::Function>(constant) || llvm::isa<llvm::ConstantPointerNull>(constant)) {
    return constant.getType()->getPointerAddressSpace() == 0;
  }
  const unsigned count = PartCount(constant.getType());
  if (count == 0) return false;
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (unsigned i = 0; i < count; ++i) {
    const ConstantPart part = PartOf(constant, i, layout);
    if (part.kind == Kind::kUnsupported) return false;
    if (part.kind == Kind::kBlockAddress && part.block->getParent() != &function) return false;
    if (part.kind == Kind::kAddress) {
      if (part.global->isThreadLocal() || part.global->getAddressSpace() != 0) return false;
      // It may be a constant that lies behind the code.
      const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(part.global);
      if (variable != nullptr && variable->isConstant() &&
          !IsCloseToSymbol(static_cast<int64_t>(part.low))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace firstcall::baseline
