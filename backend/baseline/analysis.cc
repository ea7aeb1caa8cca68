#include "backend/baseline/analysis.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "backend/baseline/argument_places.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/fusion.h"
#include "backend/baseline/memory_update.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

constexpr uint32_t kMostInstructions = 2000000;
constexpr uint32_t kMostDepth = 4;

// Whether this is an integer operation whose operand in memory may be either of the two.
bool IsSwappable(const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return instruction.type->IsInteger() && instruction.type->number <= 64;
    default:
      return false;
  }
}

// Whether the result takes the first operand's register, if that operand dies here.
bool IsMadeInPlace(const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kFAdd:
    case Opcode::kFSub:
    case Opcode::kFMul:
    case Opcode::kFDiv:
    case Opcode::kFNeg:
    case Opcode::kTrunc:
    case Opcode::kPtrToInt:
    case Opcode::kIntToPtr:
    case Opcode::kBitCast:
    case Opcode::kGetElementPtr:
      return true;
    default:
      return false;
  }
}

// Whether the instruction computes with an operand that it may read from memory, or compares it.
bool MayReadOperandFromMemory(const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kMul:
    case Opcode::kFAdd:
    case Opcode::kFMul:
    case Opcode::kSub:
    case Opcode::kFSub:
    case Opcode::kFDiv:
    case Opcode::kICmp:
    case Opcode::kFCmp:
      return true;
    default:
      return false;
  }
}

// Makes the value's life reach to `block`.
void Cover(ValuePart& value, uint32_t block) {
  value.first_block = std::min(value.first_block, block);
  value.last_block = std::max(value.last_block, block);
}

}  // namespace

Refusal Analysis::Run(const ir::Function& function, const CoverageOptions& options) {
  Refusal refusal = RefusalOf(function, architecture_);
  if (refusal != Refusal::kNone) return refusal;
  function_ = &function;
  order_.Compute(function);
  refusal = NumberValues(options);
  if (refusal != Refusal::kNone) return refusal;
  for (uint32_t block = 0; block < order_.blocks().size(); ++block) CountUses(block);
  CollectWhatDies();
  fixed_ = 0;
  if (!options.has_few_registers) {
    RegisterSet reserved = swift_registers_;
    if (returns_error_) reserved |= SetOf(architecture_.swift_error);
    fixed_ = fixer_.Fix(values_, weights_, facts_, reserved);
  }
  return Refusal::kNone;
}

uint32_t Analysis::AddValue(uint32_t value, uint32_t block) {
  const PartList list = PartsOf(function_->values[value].type);
  if (list.count == 0) return kNone;
  const uint32_t number = values_.size();
  numbers_[value] = number;
  for (unsigned i = 0; i < list.count; ++i) {
    ValuePart& part = values_.emplace_back();
    part.is_vector = list.parts[i].is_vector;
    part.bytes = list.parts[i].bytes;
    part.index = static_cast<uint8_t>(i);
    weights_.push_back(0);
  }
  values_[number].parts = static_cast<uint8_t>(list.count);
  values_[number].first_block = values_[number].last_block = block;
  return number;
}

Refusal Analysis::NumberArguments() {
  for (uint32_t argument = 0; argument < function_->argument_count(); ++argument) {
    const uint32_t number = AddValue(argument, 0);
    if (number == kNone) {
      if (function_->values[argument].uses != 0) return Refusal::kType;
      continue;
    }
    const ir::AttributeSet& attributes = function_->attributes().OfParameter(argument);
    ValuePart& value = values_[number];
    // A byval argument is the address of a place in the caller's frame. Like an alloca's, this
    // address is recomputed and not kept.
    if (attributes.Has(ir::Attribute::kByVal)) value.is_alloca = value.is_incoming = true;
    // For a swifterror argument, the contents of a variable are passed. The variable is in this
    // frame.
    if (attributes.Has(ir::Attribute::kSwiftError)) value.is_alloca = returns_error_ = true;
  }
  return Refusal::kNone;
}

Refusal Analysis::NumberResult(const ir::Instruction& instruction, uint32_t block) {
  const uint32_t number = AddValue(instruction.value, block);
  // A result that is no register's, such as an empty structure, must not be needed.
  if (number == kNone) {
    const bool is_needed = function_->values[instruction.value].uses != 0;
    return is_needed && !instruction.type->IsToken() ? Refusal::kType : Refusal::kNone;
  }
  ValuePart& value = values_[number];
  value.is_phi = instruction.opcode == Opcode::kPhi;
  if (instruction.opcode == Opcode::kAlloca) {
    value.is_alloca = IsStaticAlloca(*function_, instruction);
    if (!value.is_alloca) has_dynamic_alloca_ = true;
  }
  return Refusal::kNone;
}

void Analysis::BeginNumbering() {
  numbers_.assign(function_->values.size(), kNone);
  values_.clear();
  weights_.clear();
  facts_.assign(order_.blocks().size(), BlockFacts());
  label_tables_.clear();
  has_call_ = has_dynamic_alloca_ = returns_error_ = false;
  has_landing_pads_ = has_fused_ = false;
  swift_registers_ = 0;
}

Refusal Analysis::NumberResults(uint32_t number, const CoverageOptions& options) {
  const ir::Block& block = function_->blocks[order_.blocks()[number].block];
  for (const ir::Instruction& instruction : function_->InstructionsOf(block)) {
    Refusal refusal = RefusalOf(*function_, instruction, architecture_, options);
    if (refusal != Refusal::kNone) return refusal;
    if (MayCall(*function_, instruction)) facts_[number].has_call = has_call_ = true;
    if (instruction.IsCall()) {
      swift_registers_ |= SwiftRegistersOf(*function_, instruction, architecture_);
      has_fused_ |= function_->IntrinsicOf(instruction) == ir::IntrinsicId::kFmuladd;
    }
    has_landing_pads_ |= instruction.opcode == Opcode::kLandingPad;
    if (instruction.value == ir::kNone) continue;
    refusal = NumberResult(instruction, number);
    if (refusal != Refusal::kNone) return refusal;
  }
  return Refusal::kNone;
}

Refusal Analysis::RefusalOfLabels() {
  bool has_labels = false, has_labels_with_phis = false;
  for (uint32_t number = 0; number < function_->blocks.size(); ++number) {
    const ir::Block& block = function_->blocks[number];
    if (!block.has_address_taken) continue;
    // The address of a block that is never reached may be used, but the block gets no code.
    if (order_.NumberOf(number) == kNone) return Refusal::kBlockAddress;
    has_labels = true;
    has_labels_with_phis |= function_->InstructionsOf(block)[0].opcode == Opcode::kPhi;
  }
  if (!has_labels) return Refusal::kNone;
  if (!KeepsItsLabels(*function_, label_tables_)) return Refusal::kBlockAddress;
  if (!has_labels_with_phis) return Refusal::kNone;
  // The moves for phis stand behind the branch.
  unsigned indirect_branches = 0;
  for (const OrderedBlock& block : order_.blocks()) {
    const ir::Instruction& terminator = function_->TerminatorOf(function_->blocks[block.block]);
    if (terminator.opcode == Opcode::kIndirectBr) ++indirect_branches;
  }
  return indirect_branches > 1 ? Refusal::kBlockAddress : Refusal::kNone;
}

Refusal Analysis::NumberValues(const CoverageOptions& options) {
  BeginNumbering();
  Refusal refusal = NumberArguments();
  if (refusal != Refusal::kNone) return refusal;
  uint64_t instructions = 0;
  for (uint32_t number = 0; number < order_.blocks().size(); ++number) {
    instructions += function_->blocks[order_.blocks()[number].block].instruction_count;
    if (instructions > kMostInstructions) return Refusal::kSize;
    refusal = NumberResults(number, options);
    if (refusal != Refusal::kNone) return refusal;
  }
  if (has_fused_ && FusesMultiplications(function_->attributes().function, options.has_fusion)) {
    return Refusal::kIntrinsic;
  }
  // A landing pad could not tell where rsp was.
  if (has_landing_pads_ && has_dynamic_alloca_) return Refusal::kException;
  return RefusalOfLabels();
}

void Analysis::CountUses(uint32_t number) {
  const absl::Span<const ir::Instruction> instructions =
      function_->InstructionsOf(function_->blocks[order_.blocks()[number].block]);
  uint32_t position = 0;    // Of the instruction, counted from the end of the block.
  uint32_t next_write = 0;  // Of the nearest one behind it that may write to memory.
  wishes_.clear();
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it, ++position) {
    const ir::Instruction& instruction = *it;
    if (instruction.opcode == Opcode::kPhi) {
      CountPhiUses(instruction);
      continue;
    }
    if (NumberOf(instruction) != kNone) DecideResult(instruction, number, position, next_write);
    if (instruction.opcode == Opcode::kStore) DeferUpdate(instruction, position);
    const bool may_call = facts_[number].has_call && MayCall(*function_, instruction);
    if (may_call || MayWriteToMemory(*function_, instruction)) next_write = position;
    // What is computed before a call is not kept in a register for what comes after it.
    if (may_call) {
      for (uint32_t part : wishes_) values_[part].wish = kNoRegister;
      wishes_.clear();
    }
    if (instruction.IsCall() || instruction.opcode == Opcode::kRet) {
      WishForPlaces(instruction, number);
    }
    for (ir::Operand operand : function_->OperandsOf(instruction)) CountUse(operand, number);
  }
}

void Analysis::DecideResult(const ir::Instruction& instruction, uint32_t block, uint32_t position,
                            uint32_t next_write) {
  const uint32_t number = NumberOf(instruction);
  ValuePart& part = values_[number];
  // The operation of an update in memory has a position already: it is computed where the update
  // ends.
  if (!part.is_deferred) part.position = position;
  // The wish is decided.
  if (part.wish != kNoRegister) {
    wishes_.erase(std::find(wishes_.begin(), wishes_.end(), number));
    if (part.parts == 1 && IsMadeInPlace(instruction)) {
      Wish(function_->OperandOf(instruction, 0), part.wish, block);
    }
  }
  if (part.is_deferred || !function_->HasOneUse(instruction.value) ||
      !IsDeferrable(instruction, next_write)) {
    return;
  }
  part.is_deferred = true;
  const uint32_t of_user = NumberOf(UserOf(instruction));
  part.position = of_user == kNone ? 0 : values_[of_user].position;
}

void Analysis::WishForPlaces(const ir::Instruction& instruction, uint32_t block) {
  if (instruction.opcode == Opcode::kRet) {
    if (instruction.operand_count == 0) return;
    const ir::Operand value = function_->OperandOf(instruction, 0);
    const PartList list = PartsOf(function_->TypeOf(value));
    ResultPlaces places(architecture_.ConventionOf(function_->global().convention));
    if (list.count == 1) {
      Wish(value, places.Next(list.parts[0].is_vector, list.parts[0].bytes), block);
    }
    return;
  }
  if (function_->IntrinsicOf(instruction) != ir::IntrinsicId::kNone) return;
  ArgumentPlaces places(architecture_.ConventionOf(function_->CallOf(instruction).convention));
  const bool may_pass_by_value = MayPassByValue(*function_, instruction);
  const OwnRegisters own(*function_, instruction, architecture_, swift_registers_);
  const absl::Span<const ir::Operand> arguments = function_->ArgumentsOf(instruction);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const ir::Operand value = arguments[i];
    if (may_pass_by_value && ArgumentHas(*function_, instruction, i, ir::Attribute::kByVal)) {
      continue;
    }
    if (own.Of(i) != kNoRegister) continue;
    const ir::Type* type = function_->TypeOf(value);
    const PartList list = PartsOf(type);
    places.ForEachPart(*type, list, [&](unsigned, const ArgumentPlace& place) {
      if (list.count == 1 && place.reg != kNoRegister) Wish(value, place.reg, block);
    });
  }
}

void Analysis::Wish(ir::Operand value, Register reg, uint32_t block) {
  const uint32_t number = NumberOf(value);
  if (number == kNone) return;
  ValuePart& part = values_[number];
  // Only what is used once: for others it would be moved away again.
  if (part.first_block != block || part.is_phi || part.is_alloca || part.uses != 0 ||
      part.parts != 1 || part.is_vector != IsVector(reg) ||
      function_->DefinitionOf(value) == nullptr || !function_->HasOneUse(value.number())) {
    return;
  }
  part.wish = reg;
  wishes_.push_back(number);
}

void Analysis::CountUse(ir::Operand operand, uint32_t block) {
  const uint32_t number = NumberOf(operand);
  if (number == kNone) return;
  ValuePart& value = values_[number];
  ++value.uses;
  const uint32_t depth = std::min(order_.blocks()[block].depth, kMostDepth);
  weights_[number] += 1u << (3 * depth);
  ExtendLife(value, block);
}

void Analysis::CountPhiUses(const ir::Instruction& phi) {
  ValuePart& own = values_[NumberOf(phi)];
  const absl::Span<const ir::Operand> incoming = function_->OperandsOf(phi);
  const absl::Span<const uint32_t> blocks = function_->TargetsOf(phi);
  for (size_t i = 0; i < incoming.size(); ++i) {
    const uint32_t predecessor = order_.NumberOf(blocks[i]);
    if (predecessor == kNone) continue;
    // The phi is written at the end of the predecessor.
    Cover(own, predecessor);
    CountUse(incoming[i], predecessor);
  }
  if (order_.has_irreducible_loop()) {
    own.first_block = 0;
    own.last_block = order_.blocks().size() - 1;
  }
}

void Analysis::ExtendLife(ValuePart& value, uint32_t block) {
  if (value.first_block == block && value.last_block == block) return;
  if (order_.has_irreducible_loop()) {
    value.first_block = 0;
    value.last_block = order_.blocks().size() - 1;
    return;
  }
  Cover(value, block);
  // Through every loop around the use that the definition is not in, the value is needed again.
  // (first_block is where a value is defined, or the first that writes a phi.)
  uint32_t loop = order_.blocks()[block].loop;
  while (loop != kNone) {
    const Loop& around = order_.loops()[loop];
    if (around.first_block <= value.first_block && value.first_block <= around.last_block) break;
    value.last_block = std::max(value.last_block, around.last_block);
    loop = around.parent;
  }
}

void Analysis::DeferUpdate(const ir::Instruction& store, uint32_t position) {
  const MemoryUpdate update = UpdateEndingIn(*function_, store);
  if (update.load == nullptr) return;
  ValuePart& result = values_[NumberOf(*update.operation)];
  result.is_deferred = true;
  result.position = position;
}

bool Analysis::IsDeferrable(const ir::Instruction& instruction, uint32_t next_write) {
  const ir::Instruction& user = UserOf(instruction);
  if (user.block != instruction.block || user.opcode == Opcode::kPhi) return false;
  const ir::Operand result = ir::Operand::Value(instruction.value);
  switch (instruction.opcode) {
    case Opcode::kICmp:
    case Opcode::kFCmp:
      if (instruction.type->IsVector()) return false;
      if (user.opcode == Opcode::kBr) return true;
      return user.opcode == Opcode::kSelect && function_->OperandOf(user, 0) == result &&
             !user.type->IsVector();
    case Opcode::kGetElementPtr:
      if (instruction.type->IsVector()) return false;
      if (user.opcode == Opcode::kLoad) return !user.IsAtomic();
      return user.opcode == Opcode::kStore && !user.IsAtomic() &&
             function_->OperandOf(user, 0) == result;
    case Opcode::kLoad:
      return IsLoadDeferrable(instruction, user, next_write);
    default:
      return false;
  }
}

bool Analysis::IsLoadDeferrable(const ir::Instruction& load, const ir::Instruction& user,
                                uint32_t next_write) {
  if (!load.IsSimple()) return false;
  // Nothing that may write stands between the load and where its user is computed.
  const uint32_t of_user = NumberOf(user);
  if (of_user == kNone || next_write > values_[of_user].position) return false;
  const ir::Type* type = load.type;
  if (user.opcode == Opcode::kZExt || user.opcode == Opcode::kSExt) {
    return (type->IsInteger(8) || type->IsInteger(16) || type->IsInteger(32)) &&
           user.type->IsInteger() && user.type->number <= 64;
  }
  if (ir::IsBinary(user.opcode) && values_[of_user].is_deferred) {
    return UpdateBeginningWith(*function_, load).operation == &user;
  }
  const bool is_compared = user.opcode == Opcode::kICmp;
  const bool is_operand =
      type->IsInteger(32) || type->IsInteger(64) || type->IsFloat() || type->IsDouble();
  const bool is_compared_only = type->IsPointer() || type->IsInteger(8) || type->IsInteger(16);
  if (!is_operand && !(is_compared && is_compared_only)) return false;
  if (!MayReadOperandFromMemory(user)) return false;
  // The other operand may be a load that was found to be computed late first.
  const bool is_left = function_->OperandOf(user, 0) == ir::Operand::Value(load.value);
  const ir::Operand other = function_->OperandOf(user, is_left ? 1 : 0);
  if (is_left && !is_compared && !(IsSwappable(user) && !other.IsConstant())) return false;
  const uint32_t number = NumberOf(other);
  return number == kNone || !values_[number].is_deferred;
}

void Analysis::CollectWhatDies() {
  for (uint32_t number = 0; number < values_.size(); number += values_[number].parts) {
    ValuePart& value = values_[number];
    if (value.first_block == value.last_block || value.is_alloca) continue;
    uint32_t& list = facts_[value.last_block].first_to_die;
    value.next_to_die = list;
    list = number;
  }
}

}  // namespace firstcall::baseline
