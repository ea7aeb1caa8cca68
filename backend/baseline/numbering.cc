#include "backend/baseline/numbering.h"

#include <cstdint>

#include "backend/baseline/assembly_plan.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/coverage.h"
#include "backend/baseline/effects.h"
#include "backend/baseline/function_features.h"
#include "backend/baseline/own_registers.h"
#include "backend/baseline/static_alloca.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

constexpr uint32_t kMostInstructions = 2000000;

// What the walk has found so far.
struct Found {
  bool landing_pads = false;
  bool fused = false;  // Calls llvm.fmuladd.
};

// `value`: the number of a value of the function.
uint32_t AddValue(FunctionFacts& facts, uint32_t value, uint32_t block) {
  const ir::Type* const type = facts.function->values[value].type;
  const uint32_t number = facts.values.size();
  if (type->IsIntegerOrPointer() && PartCount(type) == 1) {
    facts.numbers[value] = number;
    ValuePart& part = facts.values.emplace_back();
    part.bytes = static_cast<uint8_t>(type->IsPointer() ? 8 : ContainerBytes(type->number));
    part.first_block = part.last_block = block;
    return number;
  }
  const PartList list = PartsOf(type);
  if (list.count == 0) return kNone;
  facts.numbers[value] = number;
  for (unsigned i = 0; i < list.count; ++i) {
    ValuePart& part = facts.values.emplace_back();
    part.is_vector = list.parts[i].is_vector;
    part.bytes = list.parts[i].bytes;
    part.index = static_cast<uint8_t>(i);
  }
  facts.values[number].parts = static_cast<uint8_t>(list.count);
  facts.values[number].first_block = facts.values[number].last_block = block;
  return number;
}

Refusal NumberArguments(FunctionFacts& facts) {
  for (uint32_t argument = 0; argument < facts.function->argument_count(); ++argument) {
    const uint32_t number = AddValue(facts, argument, 0);
    if (number == kNone) {
      if (facts.function->values[argument].uses != 0) return Refusal::kType;
      continue;
    }
    const ir::AttributeSet& attributes = facts.function->attributes().OfParameter(argument);
    ValuePart& value = facts.values[number];
    // A byval argument is the address of a place in the caller's frame. Like an alloca's, this
    // address is recomputed and not kept.
    if (attributes.Has(ir::Attribute::kByVal)) value.is_alloca = value.is_incoming = true;
    // For a swifterror argument, the contents of a variable are passed. The variable is in this
    // frame.
    if (attributes.Has(ir::Attribute::kSwiftError)) value.is_alloca = facts.returns_error = true;
  }
  return Refusal::kNone;
}

// Whether the instruction is an atomic one that writes 128 bits if they are as expected.
bool ExchangesWide(const ir::Function& function, const ir::Instruction& instruction) {
  return instruction.opcode == Opcode::kAtomicRmw ||
         (instruction.opcode == Opcode::kCmpXchg && PartCount(function.TypeAt(instruction, 1)) > 1);
}

Refusal NumberResult(FunctionFacts& facts, const Architecture& architecture,
                     const ir::Instruction& instruction, uint32_t block) {
  const uint32_t number = AddValue(facts, instruction.value, block);
  // A result that is no register's, such as an empty structure, must not be needed.
  if (number == kNone) {
    const bool is_needed = facts.function->values[instruction.value].uses != 0;
    return is_needed && !instruction.type->IsToken() ? Refusal::kType : Refusal::kNone;
  }
  ValuePart& value = facts.values[number];
  value.is_phi = instruction.opcode == Opcode::kPhi;
  if (value.parts > 1 && ExchangesWide(*facts.function, instruction) &&
      architecture.wide_exchange != kNoRegister) {
    facts.claimed_registers |= SetOf(architecture.wide_exchange);
  }
  if (instruction.opcode == Opcode::kAlloca) {
    if (!IsStaticAlloca(*facts.function, instruction)) {
      facts.has_dynamic_alloca = true;
    } else if (IsOverAligned(instruction)) {
      facts.aligned_allocas.push_back(&instruction);
    } else {
      value.is_alloca = true;
      value.contents = ContentsOf(instruction.source_type);
      value.first_block = kNone;  // The first use begins the life.
    }
  }
  return Refusal::kNone;
}

void BeginNumbering(FunctionFacts& facts, const CoverageOptions& options) {
  facts.numbers.assign(facts.function->values.size(), kNone);
  facts.values.clear();
  facts.blocks.assign(facts.order.blocks().size(), BlockFacts());
  facts.label_tables.clear();
  facts.has_call = facts.has_dynamic_alloca = facts.has_second_return = facts.returns_error = false;
  facts.emulates_thread_locals = options.emulates_thread_locals;
  facts.thread_local_addresses = 0;
  facts.has_guard = false;
  facts.guarded_variables.clear();
  facts.aligned_allocas.clear();
  facts.swift_registers = facts.claimed_registers = 0;
  facts.forwards_arguments = false;
}

// Of the instructions of the block.
Refusal NumberResults(FunctionFacts& facts, const Architecture& architecture,
                      const CoverageOptions& options, uint32_t number, Found& found) {
  const ir::Block& block = facts.function->blocks[facts.order.blocks()[number].block];
  for (const ir::Instruction& instruction : facts.function->InstructionsOf(block)) {
    Refusal refusal = RefusalOf(*facts.function, instruction, architecture, options);
    if (refusal != Refusal::kNone) return refusal;
    if (MayCall(*facts.function, instruction, options.emulates_thread_locals)) {
      facts.blocks[number].has_call = facts.has_call = true;
    } else if (ComputesThreadLocal(*facts.function, instruction)) {
      facts.has_call = true;  // Of a resolver, which changes no registers.
      ++facts.thread_local_addresses;
    }
    if (instruction.IsCall()) {
      facts.forwards_arguments |= facts.function->CallOf(instruction).is_must_tail;
      facts.has_second_return |= ReturnsTwice(*facts.function, instruction);
      facts.swift_registers |= SwiftRegistersOf(*facts.function, instruction, architecture);
      if (options.has_assembler && CallsAssembly(*facts.function, instruction)) {
        facts.claimed_registers |=
            PlanAssembly(*facts.function, instruction, architecture)->registers &
            architecture.registers.callee_saved;
      }
      found.fused |= facts.function->IntrinsicOf(instruction) == ir::IntrinsicId::kFmuladd &&
                     !IsLongDouble(instruction.type);
    }
    found.landing_pads |= instruction.opcode == Opcode::kLandingPad;
    if (instruction.value == ir::kNone) continue;
    refusal = NumberResult(facts, architecture, instruction, number);
    if (refusal != Refusal::kNone) return refusal;
  }
  return Refusal::kNone;
}

// The refusal because of blocks whose addresses are used.
Refusal RefusalOfLabels(FunctionFacts& facts) {
  bool has_labels = false, has_labels_with_phis = false;
  for (uint32_t number = 0; number < facts.function->blocks.size(); ++number) {
    const ir::Block& block = facts.function->blocks[number];
    if (!block.has_address_taken) continue;
    // The address of a block that is never reached may be used, but the block gets no code.
    if (facts.order.NumberOf(number) == kNone) return Refusal::kBlockAddress;
    has_labels = true;
    has_labels_with_phis |= facts.function->InstructionsOf(block)[0].opcode == Opcode::kPhi;
  }
  if (!has_labels) return Refusal::kNone;
  if (!KeepsItsLabels(*facts.function, facts.label_tables)) return Refusal::kBlockAddress;
  if (!has_labels_with_phis) return Refusal::kNone;
  // The moves for phis stand behind the branch.
  unsigned indirect_branches = 0;
  for (const OrderedBlock& block : facts.order.blocks()) {
    const ir::Instruction& terminator =
        facts.function->TerminatorOf(facts.function->blocks[block.block]);
    if (terminator.opcode == Opcode::kIndirectBr) ++indirect_branches;
  }
  return indirect_branches > 1 ? Refusal::kBlockAddress : Refusal::kNone;
}

}  // namespace

Refusal NumberValues(FunctionFacts& facts, const Architecture& architecture,
                     const CoverageOptions& options) {
  BeginNumbering(facts, options);
  Refusal refusal = NumberArguments(facts);
  if (refusal != Refusal::kNone) return refusal;
  Found found;
  uint64_t instructions = 0;
  for (uint32_t number = 0; number < facts.order.blocks().size(); ++number) {
    instructions += facts.function->blocks[facts.order.blocks()[number].block].instruction_count;
    if (instructions > kMostInstructions) return Refusal::kSize;
    refusal = NumberResults(facts, architecture, options, number, found);
    if (refusal != Refusal::kNone) return refusal;
  }
  facts.weights.assign(facts.values.size(), 0);
  if (found.fused &&
      FusesMultiplications(facts.function->attributes().function, options.has_fusion)) {
    return Refusal::kIntrinsic;
  }
  facts.keeps_stack_pointer = found.landing_pads && facts.has_dynamic_alloca;
  if (facts.has_second_return) {
    // What was allocated between the two returns is gone.
    if (facts.has_dynamic_alloca) return Refusal::kReturnsTwice;
    // The second return would bring back what the registers held at the call.
    for (ValuePart& value : facts.values) value.contents = Contents::kNone;
  }
  return RefusalOfLabels(facts);
}

}  // namespace firstcall::baseline
