#include "backend/llvm/false_dependencies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/LiveRegUnits.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Pass.h"

namespace firstcall {
namespace {

class FalseDependencies final : public llvm::MachineFunctionPass {
 public:
  static char id;

  FalseDependencies() : MachineFunctionPass(id) {}

  llvm::StringRef getPassName() const override { return "False dependencies after calls"; }

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  llvm::MachineFunctionProperties getRequiredProperties() const override {
    return llvm::MachineFunctionProperties().set(
        llvm::MachineFunctionProperties::Property::NoVRegs);
  }

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    if (!function.getFrameInfo().hasCalls() || function.getFunction().hasMinSize()) return false;
    bool has_changed = false;
    for (llvm::MachineBasicBlock& block : function) has_changed |= Break(block);
    return has_changed;
  }

 private:
  struct Read {
    llvm::MachineInstr* instruction;
    unsigned operand;
  };

  // The first operand that is read though its value does not matter, and that the instruction would
  // wait for; nullptr for the instruction if there is none.
  static Read FindRead(llvm::MachineInstr& instruction, const llvm::TargetInstrInfo& target,
                       const llvm::TargetRegisterInfo& registers) {
    const unsigned count = instruction.getDesc().getNumOperands();
    for (unsigned i = instruction.getDesc().getNumDefs(); i < count; ++i) {
      const llvm::MachineOperand& operand = instruction.getOperand(i);
      if (!operand.isReg() || !operand.getReg() || !operand.isUse() || !operand.isUndef()) continue;
      if (target.getUndefRegClearance(instruction, i, &registers) > 0) return {&instruction, i};
    }
    return {nullptr, 0};
  }

  // Whether the instruction in front has just written the register, or another operand of the
  // instruction itself depends on that anyway.
  static bool IsBroken(const Read& read, const llvm::TargetRegisterInfo& registers) {
    const llvm::MachineInstr& instruction = *read.instruction;
    const llvm::Register wanted = instruction.getOperand(read.operand).getReg();
    for (const llvm::MachineOperand& operand : instruction.uses()) {
      if (operand.isReg() && operand.getReg() && !operand.isUndef() &&
          registers.regsOverlap(operand.getReg(), wanted)) {
        return true;
      }
    }
    const llvm::MachineInstr* const before = instruction.getPrevNode();
    return before != nullptr && !before->isCall() && before->modifiesRegister(wanted, &registers);
  }

  static bool Break(llvm::MachineBasicBlock& block) {
    const llvm::TargetSubtargetInfo& subtarget = block.getParent()->getSubtarget();
    const llvm::TargetInstrInfo& target = *subtarget.getInstrInfo();
    const llvm::TargetRegisterInfo& registers = *subtarget.getRegisterInfo();
    llvm::SmallVector<Read, 8> reads;
    for (llvm::MachineInstr& instruction : block) {
      const Read read = FindRead(instruction, target, registers);
      if (read.instruction != nullptr && !IsBroken(read, registers)) reads.push_back(read);
    }
    if (reads.empty()) return false;
    // A register that is needed later cannot be zeroed.
    llvm::LiveRegUnits live(registers);
    live.addLiveOuts(block);
    bool has_changed = false;
    for (llvm::MachineInstr& instruction : llvm::make_early_inc_range(llvm::reverse(block))) {
      live.stepBackward(instruction);
      if (reads.empty() || reads.back().instruction != &instruction) continue;
      const Read read = reads.pop_back_val();
      if (!live.available(instruction.getOperand(read.operand).getReg())) continue;
      target.breakPartialRegDependency(instruction, read.operand, &registers);
      has_changed = true;
    }
    return has_changed;
  }
};

char FalseDependencies::id = 0;

}  // namespace

void PassesWithoutFalseDependencies::add(llvm::Pass* pass) {
  const bool is_llvms = pass->getPassName() == "BreakFalseDeps";
  PassManager::add(pass);
  if (is_llvms) PassManager::add(new FalseDependencies());
}

}  // namespace firstcall
