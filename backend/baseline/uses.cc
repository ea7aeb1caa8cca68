#include "backend/baseline/uses.h"

#include <algorithm>
#include <cstddef>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "backend/baseline/argument_places.h"
#include "backend/baseline/assembly_plan.h"
#include "backend/baseline/call_attributes.h"
#include "backend/baseline/effects.h"
#include "backend/baseline/empty_assembly.h"
#include "backend/baseline/memory_update.h"
#include "backend/baseline/own_registers.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

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

// The first user of the instruction's result, which must have one.
const ir::Instruction& UserOf(const FunctionFacts& facts, const ir::Instruction& instruction) {
  return facts.function->instructions[facts.function->values[instruction.value].first_user];
}

// Makes the value's life reach to `block`.
void Cover(ValuePart& value, uint32_t block) {
  value.first_block = std::min(value.first_block, block);
  value.last_block = std::max(value.last_block, block);
}

// For a use of a variable in the block. What a loop leaves in a variable, its next iteration may
// read, wherever the variable was allocated.
void ExtendVariablesLife(FunctionFacts& facts, ValuePart& variable, uint32_t block) {
  Cover(variable, block);
  if (facts.order.has_irreducible_loop()) {
    Cover(variable, 0);
    Cover(variable, facts.order.blocks().size() - 1);
    return;
  }
  uint32_t loop = facts.order.blocks()[block].loop;
  if (loop == kNone) return;
  while (facts.order.loops()[loop].parent != kNone) loop = facts.order.loops()[loop].parent;
  Cover(variable, facts.order.loops()[loop].first_block);
  Cover(variable, facts.order.loops()[loop].last_block);
}

// For a use in the block. If the value lives in no other block, there is nothing to do. Not
// inlined: most uses are such.
ABSL_ATTRIBUTE_NOINLINE void ExtendLife(FunctionFacts& facts, ValuePart& value, uint32_t block) {
  if (value.is_alloca) return ExtendVariablesLife(facts, value, block);
  if (facts.order.has_irreducible_loop()) {
    value.first_block = 0;
    value.last_block = facts.order.blocks().size() - 1;
    return;
  }
  Cover(value, block);
  // Through every loop around the use that the definition is not in, the value is needed again.
  // (first_block is where a value is defined, or the first that writes a phi.)
  uint32_t loop = facts.order.blocks()[block].loop;
  while (loop != kNone) {
    const Loop& around = facts.order.loops()[loop];
    if (around.first_block <= value.first_block && value.first_block <= around.last_block) break;
    value.last_block = std::max(value.last_block, around.last_block);
    loop = around.parent;
  }
}

void Wish(FunctionFacts& facts, ir::Operand value, Register reg, uint32_t block) {
  const uint32_t number = facts.NumberOf(value);
  if (number == kNone) return;
  ValuePart& part = facts.values[number];
  // Only what is used once: for others it would be moved away again.
  if (part.first_block != block || part.is_phi || part.is_alloca || part.uses != 0 ||
      part.parts != 1 || part.is_vector != IsVector(reg) ||
      facts.function->DefinitionOf(value) == nullptr ||
      !facts.function->HasOneUse(value.number())) {
    return;
  }
  part.wish = reg;
  facts.wishes.push_back(number);
}

// Notes the registers in which `instruction`, a call or a return, wants its operands.
void WishForPlaces(FunctionFacts& facts, const Architecture& architecture,
                   const ir::Instruction& instruction, uint32_t block) {
  if (instruction.opcode == Opcode::kRet) {
    if (instruction.operand_count == 0) return;
    const ir::Operand value = facts.function->OperandOf(instruction, 0);
    const PartList list = PartsOf(facts.function->TypeOf(value));
    ResultPlaces places(architecture.ConventionOf(facts.function->global().convention()));
    if (list.count == 1) {
      Wish(facts, value, places.Next(list.parts[0].is_vector, list.parts[0].bytes), block);
    }
    return;
  }
  if (facts.function->IntrinsicOf(instruction) != ir::IntrinsicId::kNone ||
      CallsEmptyAssembly(*facts.function, instruction) ||
      CallsAssembly(*facts.function, instruction)) {
    return;
  }
  ArgumentPlaces places(architecture.ConventionOf(facts.function->CallOf(instruction).convention));
  const bool may_pass_by_value = MayPassByValue(*facts.function, instruction);
  const OwnRegisters own(*facts.function, instruction, architecture, facts.swift_registers);
  const absl::Span<const ir::Operand> arguments = facts.function->ArgumentsOf(instruction);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const ir::Operand value = arguments[i];
    if (may_pass_by_value && ArgumentHas(*facts.function, instruction, i, ir::Attribute::kByVal)) {
      continue;
    }
    if (own.Of(i) != kNoRegister) continue;
    const ir::Type* type = facts.function->TypeOf(value);
    const PartList list = PartsOf(type);
    places.ForEachPart(*type, list, [&](unsigned, const ArgumentPlace& place) {
      if (list.count == 1 && place.reg != kNoRegister) Wish(facts, value, place.reg, block);
    });
  }
}

bool IsLifetimeMarker(ir::IntrinsicId intrinsic) {
  return intrinsic == ir::IntrinsicId::kLifetimeStart || intrinsic == ir::IntrinsicId::kLifetimeEnd;
}

// Of each use in the block.
uint32_t WeightIn(const FunctionFacts& facts, uint32_t block) {
  return 1u << (3 * std::min(facts.order.blocks()[block].depth, kMostDepth));
}

// `weight`: WeightIn(facts, block).
void CountUse(FunctionFacts& facts, ir::Operand operand, uint32_t block, uint32_t weight) {
  const uint32_t number = facts.NumberOf(operand);
  if (number == kNone) return;
  ValuePart& value = facts.values[number];
  ++value.uses;
  facts.weights[number] += weight;
  value.contents = Contents::kNone;
  if (value.first_block != block || value.last_block != block) ExtendLife(facts, value, block);
}

// Counts the use of `pointer` by an access of `type`.
void CountAccess(FunctionFacts& facts, ir::Operand pointer, const ir::Instruction& access,
                 const ir::Type* type, uint32_t block, uint32_t weight) {
  const uint32_t number = facts.NumberOf(pointer);
  if (number == kNone) return;
  ValuePart& value = facts.values[number];
  const Contents contents = value.contents;
  CountUse(facts, pointer, block, weight);
  if (contents == Contents::kNone || contents != ContentsOf(type) || !access.IsSimple()) return;
  value.contents = contents;
}

void CountOperands(FunctionFacts& facts, const ir::Instruction& instruction, uint32_t block,
                   uint32_t weight) {
  const absl::Span<const ir::Operand> operands = facts.function->OperandsOf(instruction);
  switch (instruction.opcode) {
    case Opcode::kLoad:
      return CountAccess(facts, operands[0], instruction, instruction.type, block, weight);
    case Opcode::kStore:
      CountAccess(facts, operands[0], instruction, facts.function->TypeOf(operands[1]), block,
                  weight);
      return CountUse(facts, operands[1], block, weight);
    case Opcode::kCall:
      if (IsLifetimeMarker(facts.function->IntrinsicOf(instruction))) {
        // The last argument is the variable, of which LLVM 22 no longer says the size.
        const uint32_t number = facts.NumberOf(facts.function->ArgumentsOf(instruction).back());
        if (number != kNone && facts.values[number].contents != Contents::kNone) {
          ++facts.values[number].uses;
          return;
        }
      }
      break;
    default:
      break;
  }
  for (ir::Operand operand : operands) CountUse(facts, operand, block, weight);
}

void CountPhiUses(FunctionFacts& facts, const ir::Instruction& phi) {
  ValuePart& own = facts.values[facts.NumberOf(phi)];
  const absl::Span<const ir::Operand> incoming = facts.function->OperandsOf(phi);
  const absl::Span<const uint32_t> blocks = facts.function->TargetsOf(phi);
  for (size_t i = 0; i < incoming.size(); ++i) {
    const uint32_t predecessor = facts.order.NumberOf(blocks[i]);
    if (predecessor == kNone) continue;
    // The phi is written at the end of the predecessor.
    Cover(own, predecessor);
    CountUse(facts, incoming[i], predecessor, WeightIn(facts, predecessor));
  }
  if (facts.order.has_irreducible_loop()) {
    own.first_block = 0;
    own.last_block = facts.order.blocks().size() - 1;
  }
}

// If `store` ends an update in memory: defers the update's operation to `store`.
void DeferUpdate(FunctionFacts& facts, const ir::Instruction& store, uint32_t position) {
  const MemoryUpdate update = UpdateEndingIn(*facts.function, store);
  if (update.load == nullptr) return;
  ValuePart& result = facts.values[facts.NumberOf(*update.operation)];
  result.is_deferred = true;
  result.position = position;
}

bool IsLoadDeferrable(const FunctionFacts& facts, const ir::Instruction& load,
                      const ir::Instruction& user, uint32_t next_write) {
  if (!load.IsSimple()) return false;
  // Nothing that may write stands between the load and where its user is computed.
  const uint32_t of_user = facts.NumberOf(user);
  if (of_user == kNone || next_write > facts.values[of_user].position) return false;
  const ir::Type* type = load.type;
  if (user.opcode == Opcode::kZExt || user.opcode == Opcode::kSExt) {
    return (type->IsInteger(8) || type->IsInteger(16) || type->IsInteger(32)) &&
           user.type->IsInteger() && user.type->number <= 64;
  }
  if (ir::IsBinary(user.opcode) && facts.values[of_user].is_deferred) {
    return UpdateBeginningWith(*facts.function, load).operation == &user;
  }
  const bool is_compared = user.opcode == Opcode::kICmp;
  const bool is_operand =
      type->IsInteger(32) || type->IsInteger(64) || type->IsFloat() || type->IsDouble();
  const bool is_compared_only = type->IsPointer() || type->IsInteger(8) || type->IsInteger(16);
  if (!is_operand && !(is_compared && is_compared_only)) return false;
  if (!MayReadOperandFromMemory(user)) return false;
  // The other operand may be a load that was found to be computed late first.
  const bool is_left = facts.function->OperandOf(user, 0) == ir::Operand::Value(load.value);
  const ir::Operand other = facts.function->OperandOf(user, is_left ? 1 : 0);
  if (is_left && !is_compared && !(IsSwappable(user) && !other.IsConstant())) return false;
  const uint32_t number = facts.NumberOf(other);
  return number == kNone || !facts.values[number].is_deferred;
}

// Whether `instruction`, which has one use, is deferred to its user. `next_write`: the position of
// the next instruction that may write to memory.
bool IsDeferrable(const FunctionFacts& facts, const ir::Instruction& instruction,
                  uint32_t next_write) {
  const ir::Instruction& user = UserOf(facts, instruction);
  if (user.block != instruction.block || user.opcode == Opcode::kPhi) return false;
  const ir::Operand result = ir::Operand::Value(instruction.value);
  switch (instruction.opcode) {
    case Opcode::kICmp:
    case Opcode::kFCmp:
      if (instruction.type->IsVector() || instruction.is_strict) return false;
      // No call may stand where the user is computed.
      if (MayCall(*facts.function, instruction, facts.emulates_thread_locals)) return false;
      if (user.opcode == Opcode::kBr) return true;
      return user.opcode == Opcode::kSelect && facts.function->OperandOf(user, 0) == result &&
             !user.type->IsVector();
    case Opcode::kGetElementPtr:
      if (instruction.type->IsVector()) return false;
      if (user.opcode == Opcode::kLoad) return !user.IsAtomic();
      return user.opcode == Opcode::kStore && !user.IsAtomic() &&
             facts.function->OperandOf(user, 0) == result;
    case Opcode::kLoad:
      return IsLoadDeferrable(facts, instruction, user, next_write);
    default:
      return false;
  }
}

// For an instruction whose result has a number: sets its position, and decides whether it is
// deferred.
void DecideResult(FunctionFacts& facts, const ir::Instruction& instruction, uint32_t block,
                  uint32_t position, uint32_t next_write) {
  const uint32_t number = facts.NumberOf(instruction);
  ValuePart& part = facts.values[number];
  // The operation of an update in memory has a position already: it is computed where the update
  // ends.
  if (!part.is_deferred) part.position = position;
  // The wish is decided.
  if (part.wish != kNoRegister) {
    facts.wishes.erase(std::find(facts.wishes.begin(), facts.wishes.end(), number));
    if (part.parts == 1 && IsMadeInPlace(instruction)) {
      Wish(facts, facts.function->OperandOf(instruction, 0), part.wish, block);
    }
  }
  if (part.is_deferred || !facts.function->HasOneUse(instruction.value) ||
      !IsDeferrable(facts, instruction, next_write)) {
    return;
  }
  part.is_deferred = true;
  const uint32_t of_user = facts.NumberOf(UserOf(facts, instruction));
  part.position = of_user == kNone ? 0 : facts.values[of_user].position;
}

// Of the block.
void CountUsesOf(FunctionFacts& facts, const Architecture& architecture, uint32_t number) {
  const absl::Span<const ir::Instruction> instructions =
      facts.function->InstructionsOf(facts.function->blocks[facts.order.blocks()[number].block]);
  uint32_t position = 0;    // Of the instruction, counted from the end of the block.
  uint32_t next_write = 0;  // Of the nearest one behind it that may write to memory.
  const uint32_t weight = WeightIn(facts, number);
  facts.wishes.clear();
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it, ++position) {
    const ir::Instruction& instruction = *it;
    if (instruction.opcode == Opcode::kPhi) {
      CountPhiUses(facts, instruction);
      continue;
    }
    if (facts.NumberOf(instruction) != kNone) {
      DecideResult(facts, instruction, number, position, next_write);
    }
    if (instruction.opcode == Opcode::kStore) DeferUpdate(facts, instruction, position);
    const bool may_call = facts.blocks[number].has_call &&
                          MayCall(*facts.function, instruction, facts.emulates_thread_locals);
    if (may_call || MayWriteToMemory(*facts.function, instruction)) next_write = position;
    // What is computed before a call is not kept in a register for what comes after it.
    if (may_call) {
      for (uint32_t part : facts.wishes) facts.values[part].wish = kNoRegister;
      facts.wishes.clear();
    }
    if (instruction.IsCall() || instruction.opcode == Opcode::kRet) {
      WishForPlaces(facts, architecture, instruction, number);
    }
    CountOperands(facts, instruction, number, weight);
  }
}

void CollectWhatDies(FunctionFacts& facts) {
  for (uint32_t number = 0; number < facts.values.size(); number += facts.values[number].parts) {
    ValuePart& value = facts.values[number];
    if (value.first_block == value.last_block || value.is_alloca) continue;
    uint32_t& list = facts.blocks[value.last_block].first_to_die;
    value.next_to_die = list;
    list = number;
  }
}

}  // namespace

void CountUses(FunctionFacts& facts, const Architecture& architecture) {
  const uint32_t count = facts.order.blocks().size();
  for (uint32_t block = 0; block < count; ++block) CountUsesOf(facts, architecture, block);
  CollectWhatDies(facts);
}

}  // namespace firstcall::baseline
