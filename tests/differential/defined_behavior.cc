#include "tests/differential/defined_behavior.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace firstcall::testing {
namespace {

void DefineAlloca(llvm::AllocaInst& alloca) {
  llvm::IRBuilder<> builder(&alloca);
  auto* type = llvm::ArrayType::get(builder.getInt8Ty(), kStressBufferSize);
  llvm::AllocaInst* larger = builder.CreateAlloca(type, nullptr, "large");
  larger->setAlignment(llvm::Align(kStressBufferSize));
  builder.CreateMemSet(larger, builder.getInt8(0), kStressBufferSize, larger->getAlign());
  alloca.replaceAllUsesWith(larger);
  alloca.eraseFromParent();
}

// Bits that memory holds beside those of a type smaller than its bytes make a load undefined.
void DefineLoad(llvm::LoadInst& load) {
  llvm::Type* type = load.getType();
  const uint64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
  if (bits % 8 == 0) return;
  llvm::IRBuilder<> builder(&load);
  llvm::Value* bytes = builder.CreateAlignedLoad(builder.getIntNTy((bits + 7) / 8 * 8),
                                                 load.getPointerOperand(), llvm::Align(1));
  llvm::Value* value = builder.CreateTrunc(bytes, builder.getIntNTy(bits));
  load.replaceAllUsesWith(builder.CreateBitCast(value, type));
  load.eraseFromParent();
}

// Zero if it is not a number.
void DefineFloat(llvm::Instruction& instruction) {
  llvm::IRBuilder<> builder(instruction.getNextNode());
  llvm::Value* is_nan = builder.CreateFCmpUNO(&instruction, &instruction);
  llvm::Value* defined = builder.CreateSelect(
      is_nan, llvm::Constant::getNullValue(instruction.getType()), &instruction);
  instruction.replaceUsesWithIf(
      defined, [&](llvm::Use& use) { return use.getUser() != is_nan && use.getUser() != defined; });
}

void DefineShift(llvm::BinaryOperator& shift) {
  llvm::IRBuilder<> builder(&shift);
  auto* type = shift.getType();
  // All widths are powers of two.
  auto* mask = llvm::ConstantInt::get(type, type->getScalarSizeInBits() - 1);
  shift.setOperand(1, builder.CreateAnd(shift.getOperand(1), mask));
}

// Divisors become odd, and positive where the least number divided by minus one would overflow. The
// only odd i1 is minus one, so signed division of those becomes unsigned.
void DefineDivision(llvm::BinaryOperator& division) {
  llvm::IRBuilder<> builder(&division);
  auto* type = division.getType();
  const unsigned bits = type->getScalarSizeInBits();
  const bool is_signed = division.getOpcode() == llvm::Instruction::SDiv ||
                         division.getOpcode() == llvm::Instruction::SRem;
  llvm::Value* divisor = division.getOperand(1);
  if (is_signed && bits > 1) {
    divisor = builder.CreateAnd(divisor,
                                llvm::ConstantInt::get(type, llvm::APInt::getSignedMaxValue(bits)));
  }
  divisor = builder.CreateOr(divisor, llvm::ConstantInt::get(type, 1));
  if (!is_signed || bits > 1) {
    division.setOperand(1, divisor);
    return;
  }
  const auto opcode = division.getOpcode() == llvm::Instruction::SDiv ? llvm::Instruction::UDiv
                                                                      : llvm::Instruction::URem;
  division.replaceAllUsesWith(builder.CreateBinOp(opcode, division.getOperand(0), divisor));
  division.eraseFromParent();
}

void DefineBinary(llvm::BinaryOperator& operation) {
  switch (operation.getOpcode()) {
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return DefineShift(operation);
    case llvm::Instruction::UDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::SRem:
      return DefineDivision(operation);
    default:
      if (operation.getType()->isFPOrFPVectorTy()) DefineFloat(operation);
  }
}

// Zero is converted instead of what the integer cannot hold.
void DefineConversion(llvm::CastInst& conversion) {
  llvm::IRBuilder<> builder(&conversion);
  llvm::Value* value = conversion.getOperand(0);
  llvm::Type* type = value->getType();
  const int bits = conversion.getType()->getScalarSizeInBits();
  const bool is_signed = conversion.getOpcode() == llvm::Instruction::FPToSI;
  const double low = is_signed ? -std::ldexp(1.0, bits - 1) : -1.0;
  const double high = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  llvm::Value* is_above = builder.CreateFCmpOGT(value, llvm::ConstantFP::get(type, low));
  llvm::Value* is_below = builder.CreateFCmpOLT(value, llvm::ConstantFP::get(type, high));
  llvm::Value* is_in_range = builder.CreateAnd(is_above, is_below);
  conversion.setOperand(
      0, builder.CreateSelect(is_in_range, value, llvm::Constant::getNullValue(type)));
}

// `index` operand of an extractelement or insertelement of a `vector`.
void DefineIndex(llvm::Instruction& access, unsigned index, llvm::Type* vector) {
  llvm::IRBuilder<> builder(&access);
  const unsigned count = llvm::cast<llvm::FixedVectorType>(vector)->getNumElements();
  llvm::Value* value = access.getOperand(index);
  access.setOperand(index,
                    builder.CreateURem(value, llvm::ConstantInt::get(value->getType(), count)));
}

void DefineShuffle(llvm::ShuffleVectorInst& shuffle) {
  llvm::SmallVector<int, 16> mask(shuffle.getShuffleMask());
  std::replace(mask.begin(), mask.end(), llvm::PoisonMaskElem, 0);
  shuffle.setShuffleMask(mask);
}

// The first successor of such a branch may be a block before it, the second one never is.
void LimitBranch(llvm::BranchInst& branch, llvm::AllocaInst* left) {
  llvm::IRBuilder<> builder(&branch);
  llvm::Value* count = builder.CreateLoad(builder.getInt32Ty(), left);
  builder.CreateStore(builder.CreateSub(count, builder.getInt32(1)), left);
  llvm::Value* may = builder.CreateICmpSGT(count, builder.getInt32(0));
  branch.setCondition(builder.CreateAnd(branch.getCondition(), may));
}

void DefineOperands(llvm::Instruction& instruction) {
  for (llvm::Use& operand : instruction.operands()) {
    if (llvm::isa<llvm::UndefValue>(operand)) {
      operand.set(llvm::Constant::getNullValue(operand->getType()));
    }
  }
}

void Define(llvm::Instruction& instruction) {
  if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) return DefineAlloca(*alloca);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return DefineLoad(*load);
  if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    return DefineBinary(*binary);
  }
  if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    return DefineShuffle(*shuffle);
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
      return DefineConversion(llvm::cast<llvm::CastInst>(instruction));
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::FPExt:
      return DefineFloat(instruction);
    case llvm::Instruction::ExtractElement:
      return DefineIndex(instruction, 1, instruction.getOperand(0)->getType());
    case llvm::Instruction::InsertElement:
      return DefineIndex(instruction, 2, instruction.getType());
    default:
      return;
  }
}

}  // namespace

void DefineBehavior(llvm::Function& function, unsigned max_iterations) {
  std::vector<llvm::Instruction*> instructions;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    instructions.push_back(&instruction);
  }
  llvm::IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
  llvm::AllocaInst* left = builder.CreateAlloca(builder.getInt32Ty(), nullptr, "left");
  builder.CreateStore(builder.getInt32(max_iterations), left);
  for (llvm::Instruction* instruction : instructions) {
    DefineOperands(*instruction);
    if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(instruction)) {
      if (branch->isConditional()) LimitBranch(*branch, left);
    } else {
      Define(*instruction);
    }
  }
}

}  // namespace firstcall::testing
