// Appends instructions to a body (ir::Function), one record of bitcode after the other.
//
// For the readers of the records, which share the builder. The first failure is kept: once the
// builder has failed, what is appended has no meaning, but does no harm. So a record's reader need
// not check each step: it must only ask failed() before what a wrong number would make dangerous.
//
// Thread-compatible. Reused from body to body to keep its memory.

#ifndef FIRSTCALL_BITCODE_BODY_BUILDER_H_
#define FIRSTCALL_BITCODE_BODY_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "bitcode/array_filler.h"
#include "bitcode/metadata_texts.h"
#include "bitcode/module.h"
#include "bitcode/value_numbering.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::bitcode {

// The numbers of a record.
using RecordOperands = absl::Span<const uint64_t>;

struct TypedOperand {
  ir::Operand operand;
  const ir::Type* type;
};

class BodyBuilder {
 public:
  // `source` must outlive the builder.
  explicit BodyBuilder(const BitcodeModule& source);
  BodyBuilder(const BodyBuilder&) = delete;
  BodyBuilder& operator=(const BodyBuilder&) = delete;

  // Empties `function` and gives it the arguments of global number `global`, a function with a
  // body. `function` must live until the body is complete.
  void Begin(uint32_t global, ir::Function& function);
  // Called when the constants of a further block are there, before the first instruction.
  void AddConstants();
  // Called when all instructions are there: completes the arrays, and checks that the blocks are
  // complete and that all values exist that operands refer to.
  void Finish();

  const BitcodeModule& source() const { return source_; }
  // Until Finish, the numbers of instructions, values, operands and targets are not those of the
  // vectors.
  ir::Function& function() { return *function_; }
  uint32_t block_count() const { return block_count_; }
  uint32_t instruction_count() const { return instructions_.count(); }
  uint32_t target_count() const { return targets_.count(); }
  // `number` must be less than instruction_count().
  ir::Instruction& instruction(uint32_t number) { return instructions_[number]; }

  // Called before a record of `count` numbers is read. The record's reader may then append `count`
  // operands and as many targets, and kMostBesides of each besides.
  static constexpr size_t kMostBesides = 8;
  void MakeRoom(size_t count) {
    record_ = instructions_.count();
    operands_.MakeRoom(count + kMostBesides);
    targets_.MakeRoom(count + kMostBesides);
  }

  // The next operands and targets will be those of the new instruction. `type`: of the result. If
  // the type is not void, the instruction has the next value.
  ir::Instruction& Append(ir::Opcode opcode, const ir::Type* type) {
    const uint32_t number = instructions_.count();
    ir::Instruction& instruction = instructions_.Append();
    instruction.opcode = opcode;
    instruction.type = type;
    instruction.block = block_;
    instruction.first_operand = operands_.count();
    instruction.first_target = targets_.count();
    if (ABSL_PREDICT_FALSE(block_ >= block_count_)) FailBehindBlocks();
    if (type->IsVoid()) return instruction;
    instruction.value = values_.count();
    ir::Value& value = values_.Append();
    value.type = type;
    value.instruction = number;
    numbering_.AddResult();
    return instruction;
  }
  // Without a result.
  ir::Instruction& AppendVoid(ir::Opcode opcode) { return Append(opcode, void_); }
  // A terminator without a result, which ends its block.
  ir::Instruction& AppendTerminator(ir::Opcode opcode) {
    ir::Instruction& instruction = AppendVoid(opcode);
    EndBlock();
    return instruction;
  }
  // The instruction that is appended last ends its block.
  void EndBlock() {
    ir::Block& block = function_->blocks.emplace_back();
    block.first_instruction = first_of_block_;
    first_of_block_ = instructions_.count();
    block.instruction_count = first_of_block_ - block.first_instruction;
    ++block_;
  }
  // Changes the type of the result of the instruction that is appended last.
  void SetResultType(ir::Instruction& instruction, const ir::Type* type) {
    instruction.type = type;
    values_[instruction.value].type = type;
  }

  // To the instruction that is appended last. Its counts of operands and targets are set by the
  // first three, or by Close, when all are there.
  void SetOperands(ir::Instruction& instruction, ir::Operand a) {
    instruction.operand_count = 1;
    AddOperand(a);
  }
  void SetOperands(ir::Instruction& instruction, ir::Operand a, ir::Operand b) {
    instruction.operand_count = 2;
    AddOperand(a);
    AddOperand(b);
  }
  void SetOperands(ir::Instruction& instruction, ir::Operand a, ir::Operand b, ir::Operand c) {
    instruction.operand_count = 3;
    AddOperand(a);
    AddOperand(b);
    AddOperand(c);
  }
  void AddOperand(ir::Operand operand) {
    if (operand.IsValue()) CountUse(operand.number());
    operands_.AppendInRoom(operand);
  }
  void AddTarget(uint32_t target) { targets_.AppendInRoom(target); }
  void Close(ir::Instruction& instruction) {
    instruction.operand_count = operands_.count() - instruction.first_operand;
    instruction.target_count = targets_.count() - instruction.first_target;
  }

  // The number of the next result, or of the next constant of a further block.
  uint32_t next_value() const { return numbering_.next(); }
  // The operand that a number less than next_value() means.
  ir::Operand KnownValue(uint32_t number) const { return numbering_.OperandOf(number); }
  TypedOperand KnownTypedValue(uint32_t number) const {
    if (ABSL_PREDICT_FALSE(!numbering_.IsResult(number))) return EarlyValue(number);
    const ir::Operand operand = numbering_.OperandOfResult(number);
    return {operand, values_[operand.number()].type};
  }
  // The operand that another number means: the result of a later instruction, or nothing, with a
  // failure.
  ir::Operand LaterValue(uint32_t number);
  // The same, whose type a record has as the number `type`. Finish checks the type of the result.
  TypedOperand LaterTypedValue(uint32_t number, uint64_t type);
  // The operand that stands for all metadata that calls have as arguments, but for texts. `type`:
  // metadata.
  ir::Operand Metadata(const ir::Type* type);
  // The operand that stands for the text with a number of the metadata. Metadata(type) if that is
  // no text. Equal texts are one operand.
  ir::Operand Text(const ir::Type* type, uint32_t number);
  // The body has a block METADATA, to be entered at this position of the stream.
  void AddMetadataBlock(uint64_t position) { texts_.AddBlock(position); }

  // The type with a number of the module's table. Never null.
  const ir::Type* TypeNumbered(uint64_t number) {
    const ir::Type* type = source_.types().Find(number);
    return ABSL_PREDICT_TRUE(type != nullptr) ? type : FailNoType();
  }
  // A type to go on with after a failure.
  const ir::Type* no_type() const { return void_; }

  bool failed() const { return failure_ != nullptr; }
  // `reason` must live for ever.
  ABSL_ATTRIBUTE_COLD void Fail(const char* reason) {
    Fail(absl::StatusCode::kInvalidArgument, reason);
  }
  ABSL_ATTRIBUTE_COLD void Refuse(const char* reason) {
    Fail(absl::StatusCode::kUnimplemented, reason);
  }
  // The first failure, and at which instruction.
  absl::Status status() const;

 private:
  // A result that an operand refers to before its definition, with the type that a record has.
  struct Later {
    uint32_t value;
    const ir::Type* type;
  };
  struct LaterUse {
    uint32_t value, user;
  };

  // As ir::Function::CountUses counts.
  void CountUse(uint32_t number) {
    const uint32_t user = instructions_.count() - 1;
    if (ABSL_PREDICT_FALSE(number >= values_.count())) {
      later_uses_.push_back({number, user});
      return;
    }
    ir::Value& value = values_[number];
    ++value.uses;
    if (value.first_user == ir::kNone) value.first_user = user;
    value.last_user = user;
  }
  // An argument or a constant.
  TypedOperand EarlyValue(uint32_t number) const;
  void Fail(absl::StatusCode code, const char* reason);
  ABSL_ATTRIBUTE_COLD void FailBehindBlocks();
  ABSL_ATTRIBUTE_COLD const ir::Type* FailNoType();
  ir::Operand AddMetadata(const ir::Type* type);
  void CountLaterUses();
  void CheckLaterValues();

  const BitcodeModule& source_;
  const ir::Type* void_;
  ir::Function* function_ = nullptr;
  ArrayFiller<ir::Instruction> instructions_;
  ArrayFiller<ir::Value> values_;
  ArrayFiller<ir::Operand> operands_;
  ArrayFiller<uint32_t> targets_;
  ValueNumbering numbering_;
  uint32_t block_count_ = 0;     // That the body is to have.
  uint32_t block_ = 0;           // The one that has not ended.
  uint32_t first_of_block_ = 0;  // The first instruction of that block.
  ir::Operand metadata_;
  MetadataTexts texts_;
  std::vector<ir::Operand> known_texts_;
  std::vector<Later> later_;
  std::vector<LaterUse> later_uses_;
  const char* failure_ = nullptr;
  absl::StatusCode failure_code_ = absl::StatusCode::kOk;
  uint32_t record_ = 0;  // How many instructions the body had before the record.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_BODY_BUILDER_H_
