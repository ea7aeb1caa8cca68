#include "backend/llvm/wrong_at_o0.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Casting.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {
namespace {

// Whether calls with the convention that are marked `tail` must not need more stack.
bool GuaranteesTailCalls(llvm::CallingConv::ID convention, bool guarantees_in_fastcc) {
  switch (convention) {
    case llvm::CallingConv::GHC:
    case llvm::CallingConv::HiPE:
    case llvm::CallingConv::Tail:
    case llvm::CallingConv::SwiftTail:
      return true;
    case llvm::CallingConv::Fast:
      return guarantees_in_fastcc;
    default:
      return false;
  }
}

// Whether the block has nothing but phis, debug information and a return.
bool OnlyReturns(const llvm::BasicBlock& block) {
  for (const llvm::Instruction& instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction) || instruction.isDebugOrPseudoInst() ||
        instruction.isLifetimeStartOrEnd()) {
      continue;
    }
    return llvm::isa<llvm::ReturnInst>(instruction);
  }
  return false;
}

// Whether the block ends with a tail call whose return is in another block.
bool ReturnsElsewhere(const llvm::BasicBlock& block, bool guarantees_in_fastcc) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (branch == nullptr || branch->isConditional()) return false;
  const llvm::Instruction* last = branch->getPrevNode();
  while (last != nullptr && llvm::isa<llvm::DbgInfoIntrinsic>(last)) last = last->getPrevNode();
  const auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(last);
  return call != nullptr && call->isTailCall() &&
         GuaranteesTailCalls(call->getCallingConv(), guarantees_in_fastcc) &&
         OnlyReturns(*branch->getSuccessor(0));
}

bool IsWrongAnywhere(const llvm::Instruction& instruction, bool is_hardened) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return load->getPointerOperand()->isSwiftError();
  }
  return (llvm::isa<llvm::CallBrInst>(instruction) && !instruction.getType()->isVoidTy()) ||
         (is_hardened && llvm::isa<llvm::IndirectBrInst>(instruction));
}

bool HasBrokenElements(const llvm::Type* type) {
  return type->isVectorTy() && type->getScalarType()->isIntegerTy() &&
         type->getScalarSizeInBits() % 8 != 0;
}

// Whether a bfloat is computed from, or compared: not only moved or converted.
bool ComputesWithBfloat(const llvm::Instruction& instruction) {
  const auto is_bfloat = [](const llvm::Value* value) {
    return value->getType()->getScalarType()->isBFloatTy();
  };
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Load:
    case llvm::Instruction::Store:
    case llvm::Instruction::Ret:
      return false;
    default:
      return is_bfloat(&instruction) || llvm::any_of(instruction.operands(), is_bfloat);
  }
}

bool IsWrongOnAArch64(const llvm::Instruction& instruction) {
  if (const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&instruction)) {
    if (compare->getPredicate() == llvm::CmpInst::FCMP_FALSE ||
        compare->getPredicate() == llvm::CmpInst::FCMP_TRUE) {
      return true;
    }
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return HasBrokenElements(load->getType());
  }
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return HasBrokenElements(store->getValueOperand()->getType());
  }
  return ComputesWithBfloat(instruction);
}

bool IsWrongAtO0(const llvm::Function& function, const llvm::TargetMachine& machine) {
  const bool is_hardened = function.hasFnAttribute(llvm::Attribute::SpeculativeLoadHardening);
  const bool is_aarch64 = machine.getTargetTriple().isAArch64();
  return llvm::any_of(function, [&](const llvm::BasicBlock& block) {
    return ReturnsElsewhere(block, machine.Options.GuaranteedTailCallOpt) ||
           llvm::any_of(block, [&](const llvm::Instruction& instruction) {
             return IsWrongAnywhere(instruction, is_hardened) ||
                    (is_aarch64 && IsWrongOnAArch64(instruction));
           });
  });
}

}  // namespace

bool HasWrongAtO0(llvm::Module& module, const llvm::TargetMachine& machine) {
  bool has_wrong = false;
  for (llvm::Function& function : module) {
    if (!IsWrongAtO0(function, machine)) continue;
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    has_wrong = true;
  }
  return has_wrong;
}

}  // namespace firstcall
