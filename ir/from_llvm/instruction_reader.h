// The instructions of an llvm::Function as instructions of ir/.
//
// A part of LlvmReader. Thread-compatible.

#ifndef FIRSTCALL_IR_FROM_LLVM_INSTRUCTION_READER_H_
#define FIRSTCALL_IR_FROM_LLVM_INSTRUCTION_READER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "base/pointer_map.h"
#include "ir/from_llvm/attribute_reader.h"
#include "ir/from_llvm/constant_reader.h"
#include "ir/from_llvm/type_reader.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/operand.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Value.h"

namespace firstcall::ir {

class InstructionReader {
 public:
  InstructionReader(TypeReader& types, AttributeReader& attributes, ConstantReader& constants)
      : types_(types), attributes_(attributes), constants_(constants) {}

  // Fills the arrays of `body`, which is empty, with the body of `source`.
  absl::Status Read(const llvm::Function& source, Function& body);

 private:
  void NumberAll(const llvm::Function& source);
  absl::Status ReadBlock(const llvm::BasicBlock& source);
  absl::Status ReadInstruction(const llvm::Instruction& source);
  // What only some instructions have: further operands, targets, flags.
  void ReadDetails(const llvm::Instruction& source, Instruction& instruction);
  void ReadFlags(const llvm::Instruction& source, Instruction& instruction);
  void ReadBranch(const llvm::BranchInst& source);
  void ReadSwitch(const llvm::SwitchInst& source);
  void ReadIndirectBranch(const llvm::IndirectBrInst& source);
  void ReadCall(const llvm::CallBase& source, Instruction& instruction);
  void ReadCallTargets(const llvm::CallBase& source);
  void ReadPads(const llvm::Instruction& source);
  void ReadLandingPad(const llvm::LandingPadInst& source, Instruction& instruction);
  void ReadPhi(const llvm::PHINode& source);
  void ReadAlloca(const llvm::AllocaInst& source, Instruction& instruction);
  void ReadLoad(const llvm::LoadInst& source, Instruction& instruction);
  void ReadStore(const llvm::StoreInst& source, Instruction& instruction);
  void ReadFence(const llvm::FenceInst& source, Instruction& instruction);
  void ReadCompareExchange(const llvm::AtomicCmpXchgInst& source, Instruction& instruction);
  void ReadReadModifyWrite(const llvm::AtomicRMWInst& source, Instruction& instruction);

  void AddOperands(const llvm::User& source);
  void AddOperand(const llvm::Value* value) { body_->operands.push_back(OperandOf(value)); }
  void AddTarget(const llvm::BasicBlock* block);
  Operand OperandOf(const llvm::Value* value) {
    if (const Operand* const operand = operands_.Find(value)) return *operand;
    return NewOperandOf(value);
  }
  Operand NewOperandOf(const llvm::Value* value);
  Operand MetadataOperand(const llvm::Value& value);
  // Of an argument of a constrained intrinsic. Equal texts are one operand.
  Operand TextOperand(const llvm::Value& argument);
  Operand AddMetadata(const llvm::Value& value);

  TypeReader& types_;
  AttributeReader& attributes_;
  ConstantReader& constants_;
  Function* body_ = nullptr;
  // The numbers of the function's values, and of the constants that it uses.
  OperandMap operands_;
  PointerMap<uint32_t> blocks_;
  Operand metadata_;  // Stands for all metadata that calls have as arguments, but for texts.
  std::vector<Operand> texts_;
  // Whether an operand is neither a value of the function nor a constant, or a target no block of
  // the function.
  bool has_stranger_ = false;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_FROM_LLVM_INSTRUCTION_READER_H_
