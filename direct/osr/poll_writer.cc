// Loads and stores of the counter are not atomic. If threads count at the same time, counts may be
// lost, but nothing else.

#include "direct/osr/poll_writer.h"

#include <algorithm>

#include "direct/osr/address_uses.h"
#include "direct/osr/frame_needs.h"
#include "direct/osr/label_number.h"
#include "ir/constant.h"
#include "ir/intrinsic.h"
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
  PlacePolls(entries, polls);
  LayOutFrame(entries);
  rewriter_.Begin(function);
  writer_.Begin(function);
  null_ = handler_address_ = ir::Operand();
  for (const Poll& poll : polls_) rewriter_.MoveEdges(poll.block, poll.body);
  WriteHeads();
  for (const Poll& poll : polls_) WriteTail(poll);
  for (size_t i = 0; i < loops_; ++i) {
    WriteAsk(polls_[i]);
    WriteStores(polls_[i], i, entries);
  }
  if (loops_ != 0) WriteLeave(entries);
  if (asks_when_called_) WriteAsk(polls_.back());
  rewriter_.Finish();
  return absl::OkStatus();
}

// Behind the old blocks come the parts that are split off, then for each loop the block that asks
// and those that store, then the block that leaves, then the one that asks at the beginning.
void PollWriter::PlacePolls(const LoopEntries& entries, const Polls& polls) {
  polls_.clear();
  loops_ = polls.loops.size();
  asks_when_called_ = polls.asks_when_called;
  const auto old = static_cast<uint32_t>(function_->blocks.size());
  const auto loops = static_cast<uint32_t>(loops_);
  uint32_t next = old + loops + (asks_when_called_ ? 1 : 0);
  poll_of_.assign(old, 0);
  const auto add = [&](uint32_t loop, uint32_t block, uint32_t place, uint32_t ask) {
    const auto number = static_cast<uint32_t>(polls_.size());
    polls_.push_back({loop, block, place, old + number, ask, ir::Operand()});
    poll_of_[block] = number + 1;
  };
  for (uint32_t i = 0; i < loops; ++i) {
    const uint32_t block = entries.block(polls.loops[i]);
    const ir::Instruction& place = function_->FirstBehindPhis(function_->blocks[block]);
    add(polls.loops[i], block, function_->NumberOf(place), next);
    next += 2;
    for (const LoopEntry::Value& value : entries.At(polls.loops[i]).values) {
      if (value.is_label) next += kBlocksOfLabelNumber;
    }
  }
  leave_ = next;
  if (asks_when_called_) add(kNoLoop, 0, PlaceAtBeginning(), loops == 0 ? next : leave_ + 1);
}

// Behind the variables with which the first block begins.
uint32_t PollWriter::PlaceAtBeginning() const {
  uint32_t number = 0;
  for (const ir::Instruction& instruction : function_->InstructionsOf(function_->blocks[0])) {
    const bool is_passed = IsStaticAlloca(*function_, instruction) ||
                           IsDebugCall(*function_, instruction) ||
                           function_->IntrinsicOf(instruction) == ir::IntrinsicId::kPseudoprobe;
    if (!is_passed) break;
    ++number;
  }
  return number;
}

// The layout of an entry's live-ins: first places for the addresses of all variables of the frame,
// of which those of live variables are written; then the values. The frame is large enough for each
// of the entries.
void PollWriter::LayOutFrame(const LoopEntries& entries) {
  frame_size_ = frame_alignment_ = 1;
  offsets_.clear();
  first_offset_.clear();
  for (size_t i = 0; i < loops_; ++i) {
    const LoopEntry entry = entries.At(polls_[i].loop);
    first_offset_.push_back(offsets_.size());
    members_.clear();
    for (const LoopEntry::Value& value : entry.values) {
      members_.push_back(value.is_label ? types_.word() : function_->values[value.value].type);
    }
    const PollTypes::Layout layout = types_.LayoutOf(entry.variable_places, members_);
    frame_size_ = std::max(frame_size_, layout.size);
    frame_alignment_ = std::max(frame_alignment_, layout.alignment);
    offsets_.insert(offsets_.end(), layout.offsets.begin(), layout.offsets.end());
  }
}

void PollWriter::WriteHeads() {
  const absl::Span<const ir::Block> blocks = function_->blocks;
  for (uint32_t block = 0; block < blocks.size(); ++block) {
    rewriter_.BeginBlock(blocks[block].has_address_taken);
    if (block == 0 && loops_ != 0) WriteFrame();
    const uint32_t poll = poll_of_[block];
    WriteHead(block, poll == 0 ? nullptr : &polls_[poll - 1]);
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
  for (uint32_t number = begin; number < end; ++number) {
    const ir::Instruction& instruction = function_->instructions[number];
    if (loops_ != 0 && instruction.opcode == Opcode::kCall && IsMarkOfVariable(instruction)) {
      continue;
    }
    const bool has_moved = asks_when_called_ && instruction.opcode == Opcode::kAlloca &&
                           begin == polls_.back().place && IsStaticAlloca(*function_, instruction);
    if (!has_moved) rewriter_.Copy(instruction);
  }
}

// An OSR continuation treats the variables that it is passed as separate objects, but the code
// generator lets variables share a place if their lifetimes do not overlap. So markers are left
// out.
bool PollWriter::IsMarkOfVariable(const ir::Instruction& instruction) const {
  if (!IsLifetimeMark(*function_, instruction)) return false;
  const ir::Instruction* const variable =
      function_->DefinitionOf(function_->OperandOf(instruction, 1));
  return variable != nullptr && IsStaticAlloca(*function_, *variable);
}

void PollWriter::WriteFrame() {
  frame_ = writer_.Variable(types_.Bytes(frame_size_), frame_alignment_);
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
  const uint64_t* offset = offsets_.data() + first_offset_[number];
  for (const LoopEntry::Value& value : entries.At(poll.loop).values) {
    ir::Operand stored = rewriter_.NewValue(value.value);
    if (value.is_label) {
      stored = WriteLabelNumber(writer_, targets_, stored, poll.end, poll.body);
      poll.end += kBlocksOfLabelNumber;
    }
    writer_.Store(PlaceInFrame(*offset++), stored, rewriter_.TypeOf(stored));
  }
  writer_.Jump(leave_);
  rewriter_.EndBlock();
}

// Writes the addresses of the variables that are live at any of the loops, calls the continuation,
// and returns.
void PollWriter::WriteLeave(const LoopEntries& entries) {
  writer_.BeginBlock();
  rewriter_.Add(Opcode::kPhi, types_.pointer());
  for (size_t i = 0; i < loops_; ++i) {
    rewriter_.AddOperand(polls_[i].answer);
    rewriter_.AddTarget(polls_[i].end);
  }
  const ir::Operand continuation = rewriter_.Result();
  is_written_.assign(entries.variables().variables().size(), false);
  for (size_t i = 0; i < loops_; ++i) {
    for (const LoopEntry::Variable& variable : entries.At(polls_[i].loop).variables) {
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
