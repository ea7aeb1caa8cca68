// Loads and stores of the counter are not atomic. If threads count at the same time, counts may be
// lost, but nothing else.

#include "direct/osr/poll_writer.h"

#include "direct/osr/address_uses.h"
#include "direct/osr/frame_needs.h"
#include "direct/osr/label_number.h"
#include "ir/constant.h"
#include "ir/opcode.h"
#include "seam/hotness_counter.h"

namespace firstcall::direct {
namespace {

using ir::Opcode;

// Of HotnessCounter: the count is the first field; the handler stands behind 8 bytes.
constexpr uint64_t kHandlerOffset = 8;

}  // namespace

PollWriter::PollWriter(const ir::Module& module) : types_(module), writer_(rewriter_, types_) {
  of_handler_.function.kinds = of_handler_.anywhere = uint64_t{1}
                                                      << static_cast<int>(ir::Attribute::kNoUnwind);
}

absl::Status PollWriter::Check() const {
  if (function_->module().layout().alloca_address_space() != 0) {
    return absl::UnimplementedError("writing polls: variables are in another address space");
  }
  return absl::OkStatus();
}

absl::Status PollWriter::Write(ir::Function& function, const LoopEntries& entries,
                               const Polls& polls) {
  function_ = &function;
  const absl::Status status = Check();
  if (!status.ok() || (polls.loops.empty() && !polls.asks_when_called)) return status;
  types_.Update();
  counter_ = polls.counter;
  targets_ = LabelTable();
  if (!polls.targets.IsNothing()) {
    const ir::Constant& address = function.constant(polls.targets);
    targets_ = {function.module().globals()[address.global].value_type(), polls.targets};
  }
  places_.Find(function, entries, polls.loops, polls.asks_when_called);
  live_ins_.Begin();
  for (uint32_t loop : polls.loops) live_ins_.Add(function, entries.At(loop), types_);
  rewriter_.Begin(function);
  writer_.Begin(function);
  null_ = handler_address_ = ir::Operand();
  for (const Poll& poll : places_.polls()) rewriter_.MoveEdges(poll.block, poll.body);
  WriteHeads();
  for (const Poll& poll : places_.polls()) WriteTail(poll);
  const absl::Span<Poll> at_loops = places_.at_loops();
  for (size_t i = 0; i < at_loops.size(); ++i) {
    WriteAsk(at_loops[i]);
    WriteStores(at_loops[i], i, entries);
  }
  if (!at_loops.empty()) WriteLeave(entries);
  if (places_.at_beginning() != nullptr) WriteAsk(*places_.at_beginning());
  rewriter_.Finish();
  return absl::OkStatus();
}

void PollWriter::WriteHeads() {
  const absl::Span<const ir::Block> blocks = function_->blocks;
  for (uint32_t block = 0; block < blocks.size(); ++block) {
    rewriter_.BeginBlock(blocks[block].has_address_taken);
    if (block == 0 && !places_.at_loops().empty()) WriteFrame();
    WriteHead(block, places_.In(block));
    rewriter_.EndBlock();
  }
}

void PollWriter::WriteHead(uint32_t number, const Poll* poll) {
  const ir::Block& block = function_->blocks[number];
  const uint32_t end = block.first_instruction + block.instruction_count;
  if (poll == nullptr) return CopyRange(block.first_instruction, end);
  CopyRange(block.first_instruction, poll->place);
  // Variables belong to the frame only if they are in the first block.
  if (number == 0) {
    for (uint32_t i = poll->place; i < end; ++i) {
      const ir::Instruction& instruction = function_->instructions[i];
      if (IsStaticAlloca(*function_, instruction)) rewriter_.Copy(instruction);
    }
  }
  WritePoll(*poll);
}

void PollWriter::WriteTail(const Poll& poll) {
  const ir::Block& block = function_->blocks[poll.block];
  writer_.BeginBlock();
  CopyRange(poll.place, block.first_instruction + block.instruction_count);
  rewriter_.EndBlock();
}

// Copies old instructions, but for those that are copied elsewhere or not at all.
void PollWriter::CopyRange(uint32_t begin, uint32_t end) {
  const bool has_loops = !places_.at_loops().empty();
  const Poll* const at_beginning = places_.at_beginning();
  for (uint32_t number = begin; number < end; ++number) {
    const ir::Instruction& instruction = function_->instructions[number];
    if (has_loops && instruction.opcode == Opcode::kCall && IsMarkOfVariable(instruction)) {
      continue;
    }
    const bool has_moved = at_beginning != nullptr && instruction.opcode == Opcode::kAlloca &&
                           begin == at_beginning->place && IsStaticAlloca(*function_, instruction);
    if (!has_moved) rewriter_.Copy(instruction);
  }
}

// An OSR continuation treats the variables that it is passed as separate objects, but the code
// generator lets variables share a place if their lifetimes do not overlap. So markers are left
// out.
bool PollWriter::IsMarkOfVariable(const ir::Instruction& instruction) const {
  if (!IsLifetimeMark(*function_, instruction)) return false;
  const ir::Instruction* const variable =
      function_->DefinitionOf(MarkedObject(*function_, instruction));
  return variable != nullptr && IsStaticAlloca(*function_, *variable);
}

void PollWriter::WriteFrame() {
  frame_ = writer_.Variable(types_.Bytes(live_ins_.size()), live_ins_.alignment());
}

void PollWriter::WritePoll(const Poll& poll) {
  const ir::Operand before = writer_.Load(types_.word(), counter_);
  const ir::Operand left = writer_.Binary(Opcode::kSub, before, writer_.one());
  writer_.Store(counter_, left, types_.word());
  writer_.Branch(writer_.Compare(ir::Predicate::kIcmpSlt, left, writer_.zero()), poll.ask,
                 poll.body);
}

void PollWriter::WriteAsk(Poll& poll) {
  writer_.BeginBlock();
  if (handler_address_.IsNothing()) handler_address_ = AddHandlerAddress();
  const ir::Operand handler = writer_.Load(types_.pointer(), handler_address_);
  rewriter_.Add(Opcode::kCall, types_.pointer());
  rewriter_.AddOperand(counter_);
  rewriter_.AddOperand(
      rewriter_.AddInteger(types_.word(), static_cast<uint64_t>(static_cast<int32_t>(poll.loop))));
  rewriter_.CompleteCall(types_.Function(types_.pointer(), {types_.pointer(), types_.word()}),
                         &of_handler_, handler);
  poll.answer = rewriter_.Result();
  if (poll.loop == kNoLoop) {
    writer_.Jump(poll.body);
  } else {
    if (null_.IsNothing()) {
      ir::Constant null;
      null.kind = ir::ConstantKind::kNull;
      null.type = types_.pointer();
      null_ = rewriter_.AddConstant(null);
    }
    writer_.Branch(writer_.Compare(ir::Predicate::kIcmpEq, poll.answer, null_), poll.body,
                   poll.ask + 1);
  }
  rewriter_.EndBlock();
}

ir::Operand PollWriter::AddHandlerAddress() {
  std::vector<ir::Operand>& operands = function_->operand_lists.emplace_back();
  operands = {counter_, rewriter_.AddInteger(types_.word(), kHandlerOffset)};
  ir::Constant address;
  address.kind = ir::ConstantKind::kExpression;
  address.opcode = Opcode::kGetElementPtr;
  address.type = types_.pointer();
  address.set_operands(operands);
  address.set_source_type(types_.byte());
  return rewriter_.AddConstant(address);
}

void PollWriter::WriteStores(Poll& poll, size_t number, const LoopEntries& entries) {
  writer_.BeginBlock();
  poll.end = poll.ask + 1;
  const uint64_t* offset = live_ins_.OffsetsOf(number).data();
  for (const LoopEntry::Value& value : entries.At(poll.loop).values) {
    ir::Operand stored = rewriter_.NewValue(value.value);
    if (value.is_label) {
      stored = WriteLabelNumber(writer_, targets_, stored, poll.end, poll.body);
      poll.end += kBlocksOfLabelNumber;
    }
    writer_.Store(PlaceInFrame(*offset++), stored, rewriter_.TypeOf(stored));
  }
  writer_.Jump(places_.leave());
  rewriter_.EndBlock();
}

// Writes the addresses of the variables that are live at any of the loops, calls the continuation,
// and returns.
void PollWriter::WriteLeave(const LoopEntries& entries) {
  writer_.BeginBlock();
  rewriter_.Add(Opcode::kPhi, types_.pointer());
  for (const Poll& poll : places_.at_loops()) {
    rewriter_.AddOperand(poll.answer);
    rewriter_.AddTarget(poll.end);
  }
  const ir::Operand continuation = rewriter_.Result();
  is_written_.assign(entries.variables().variables().size(), false);
  for (const Poll& poll : places_.at_loops()) {
    for (const LoopEntry::Variable& variable : entries.At(poll.loop).variables) {
      if (is_written_[variable.place]) continue;
      is_written_[variable.place] = true;
      const uint64_t offset = uint64_t{variable.place} * types_.pointer()->alloc_size;
      writer_.Store(PlaceInFrame(offset), rewriter_.NewValue(variable.value), types_.pointer());
    }
  }
  WriteReturn(continuation);
  rewriter_.EndBlock();
}

// The result is extended in its register as the function requires.
void PollWriter::WriteReturn(ir::Operand continuation) {
  const ir::Type* const result = function_->global().value_type()->result();
  of_continuation_.result = function_->attributes().result;
  of_continuation_.anywhere = of_continuation_.result.kinds;
  rewriter_.Add(Opcode::kCall, result);
  rewriter_.AddOperand(frame_);
  rewriter_.CompleteCall(types_.Function(result, {types_.pointer()}), &of_continuation_,
                         continuation);
  const ir::Operand returned = result->IsVoid() ? ir::Operand() : rewriter_.Result();
  rewriter_.Add(Opcode::kRet, types_.nothing());
  if (!returned.IsNothing()) rewriter_.AddOperand(returned);
}

ir::Operand PollWriter::PlaceInFrame(uint64_t offset) { return writer_.AddressAt(frame_, offset); }

}  // namespace firstcall::direct
