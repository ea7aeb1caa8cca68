#include "backend/baseline/lowering.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "backend/baseline/code_map_recorder.h"
#include "backend/baseline/code_writer.h"
#include "backend/baseline/edges.h"
#include "backend/baseline/effects.h"
#include "backend/baseline/instructions.h"
#include "backend/baseline/memory.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/parameters.h"
#include "backend/baseline/polls.h"
#include "backend/baseline/stack_guard.h"
#include "backend/baseline/stack_probe.h"
#include "backend/baseline/symbols.h"
#include "backend/baseline/value_slots.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"
#include "seam/hotness_counter.h"

namespace firstcall::baseline {
namespace {

// In larger frames, distances do not fit the types that hold them.
constexpr int64_t kLargestFrame = int64_t{1} << 30;

// Whether control comes to the block from the unwinder.
bool IsLandingPad(const ir::Function& function, const ir::Block& block) {
  return function.FirstBehindPhis(block).opcode == ir::Opcode::kLandingPad;
}

// Whether the instruction must be executed even if nothing uses its result.
bool HasEffect(const ir::Function& function, const ir::Instruction& instruction) {
  return MayWriteToMemory(function, instruction) || ir::IsTerminator(instruction.opcode) ||
         instruction.opcode == ir::Opcode::kLandingPad ||
         // LLVM takes it for one that may not return.
         (instruction.opcode == ir::Opcode::kCall &&
          function.IntrinsicOf(instruction) == ir::IntrinsicId::kEhTypeidFor);
}

unsigned CountOf(RegisterSet set) { return __builtin_popcountll(set); }

// How the frame, which has this many bytes, must be probed.
StackProbe FrameProbeOf(const FunctionCode& code, int64_t frame_size) {
  const StackProbe probe = StackProbeOf(code.function->attributes().function);
  // The stack also holds the saved frame pointer, the return address and padding for alignment.
  const bool is_small = frame_size <= code.architecture.frame.least_probed - 32;
  // With this attribute, smaller frames may have to be probed, too.
  const bool is_special = probe == StackProbe::kOther &&
                          code.function->attributes().function.HasString("stack-probe-size");
  return is_small && !is_special ? StackProbe::kNone : probe;
}

// The bytes of a static alloca.
uint64_t SizeOf(const FunctionCode& code, const ir::Instruction& alloca) {
  // The size is known to be small.
  const uint64_t count = ConstantOf(code, OperandAt(code, alloca, 0))->LimitedTo(kLargestFrame);
  return std::max<uint64_t>(alloca.source_type->alloc_size * count, 1);
}

// Of the variables that lie next to the guard.
void ReserveGuardedAllocas(FunctionCode& code) {
  for (const ir::Instruction* instruction : code.facts.guarded_variables) {
    ValuePart& alloca = code.facts.values[NumberOf(code, *instruction)];
    alloca.is_incoming = code.frame.OuterIsIncoming();
    alloca.slot = code.frame.AllocateOuter(SizeOf(code, *instruction), instruction->alignment());
  }
}

void ReserveAllocas(FunctionCode& code) {
  for (const ir::Instruction& instruction :
       code.function->InstructionsOf(code.function->blocks[0])) {
    if (instruction.opcode != ir::Opcode::kAlloca) continue;
    ValuePart& alloca = code.facts.values[NumberOf(code, instruction)];
    if (!alloca.is_alloca || alloca.slot != 0) continue;
    alloca.slot = code.frame.Allocate(SizeOf(code, instruction), instruction.alignment());
  }
}

// Computes the addresses of static allocas that are aligned to more than the frame is.
void PlaceAlignedAllocas(FunctionCode& code) {
  const Register scratch = code.architecture.scratch;
  for (const ir::Instruction* instruction : code.facts.aligned_allocas) {
    ValuePart& address = code.facts.values[NumberOf(code, *instruction)];
    if (address.uses == 0) continue;
    const auto alignment = static_cast<int32_t>(instruction->alignment());
    const int64_t bytes = static_cast<int64_t>(SizeOf(code, *instruction)) + alignment - 16;
    code.assembler.Lea(scratch, code.frame.At(code.frame.Allocate(bytes, 16)).Plus(alignment - 16));
    code.assembler.AluRi(Alu::kAnd, 8, scratch, -alignment);
    if (address.is_fixed) {
      code.assembler.Mov(8, address.reg, scratch);
    } else {
      GiveSlot(code.frame, address);
      address.is_spilled = true;
      code.assembler.Store(8, SlotOf(code.frame, address), scratch);
    }
  }
}

void Begin(FunctionCode& code) {
  code.refusal = Refusal::kNone;
  code.assembler.Clear();
  code.pool.Clear();
  code.symbols.Clear();
  code.exceptions.Clear();
  code.polls.Clear();
  code.lanes.Clear();
  code.native.frame.Begin(code);
  code.labels.Begin(code.facts.order.blocks().size());
  code.frame.Clear(8 * CountOf(SavedRegisters(code)),
                   /*keeps_slots=*/code.facts.has_second_return);
  code.locations.Begin(code.options.coverage.has_few_registers
                           ? code.architecture.registers.few_allocatable
                           : code.architecture.registers.allocatable);
  for (uint32_t i = 0; i < code.architecture.frame.prologue_room; i += 8)
    code.assembler.Immediate(0, 8);
  for (const ir::Global* table : code.facts.label_tables) PoolPlaceOf(code, table);
  if (code.facts.has_guard) {
    ReserveGuard(code);
    ReserveGuardedAllocas(code);
    StoreGuard(code);
  }
  ReserveAllocas(code);
  code.stack_pointer_place = code.facts.keeps_stack_pointer ? code.frame.Allocate(8, 8) : 0;
  KeepStackPointer(code);
  BindParameters(code);
  PlaceAlignedAllocas(code);
  if (code.function->polls_when_called) EmitPoll(code, kNoLoop);
}

void BeginBlock(FunctionCode& code, uint32_t number) {
  code.locations.SetBlock(number);
  if (code.facts.order.IsInnermostHeader(number)) code.native.frame.AlignLoop(code);
  code.labels.Bind(number);
  const ir::Block& block = code.function->blocks[code.facts.order.blocks()[number].block];
  if (code.native.frame.is_protected() &&
      (block.has_address_taken || IsLandingPad(*code.function, block))) {
    code.assembler.LandingMark();
  }
  for (const ir::Instruction& phi : code.function->InstructionsOf(block)) {
    if (phi.opcode != ir::Opcode::kPhi) break;
    if (code.function->values[phi.value].uses == 0) continue;
    const uint32_t first = NumberOf(code, phi);
    for (uint32_t i = first; i < first + code.facts.values[first].parts; ++i) {
      ValuePart& part = code.facts.values[i];
      if (part.is_fixed) continue;
      GiveSlot(code.frame, part);
      part.is_spilled = true;
    }
  }
}

// Counts down the uses of the instruction's operands, and unpins all registers.
void EndInstruction(FunctionCode& code, const ir::Instruction& instruction) {
  CountDownOperands(code, instruction);
  code.locations.registers().UnpinAll();
}

// `Recorder`: a CodeMapRecorder, or NoRecorder.
template <typename Recorder>
void CompileBlock(FunctionCode& code, uint32_t number, Recorder& recorder) {
  BeginBlock(code, number);
  const uint32_t block_number = code.facts.order.blocks()[number].block;
  if (!code.facts.polled_loops.empty() && code.facts.polled_loops[block_number] != kNone) {
    EmitPoll(code, code.facts.polled_loops[block_number]);
    recorder.AtPoll(code, code.facts.polled_loops[block_number]);
  }
  const ir::Block& block = code.function->blocks[block_number];
  for (const ir::Instruction& instruction : code.function->InstructionsOf(block)) {
    if (instruction.opcode == ir::Opcode::kPhi) continue;
    const uint32_t value = NumberOf(code, instruction);
    if (value != kNone && code.facts.values[value].is_deferred) continue;
    recorder.BeginInstruction(code, instruction);
    if (instruction.opcode == ir::Opcode::kCall &&
        IsNoOperation(code.function->IntrinsicOf(instruction))) {
      CountDownOperands(code, instruction);
      continue;
    }
    if (value != kNone && code.facts.values[value].uses == 0 &&
        !HasEffect(*code.function, instruction)) {
      EndInstruction(code, instruction);
      continue;
    }
    Lower(code, instruction);
    recorder.EndInstruction(code, instruction);
    if (IsTerminator(instruction.opcode)) {
      const bool keeps_registers = KeepsRegisters(code, instruction);
      EndInstruction(code, instruction);
      CountDownEdges(code, instruction);
      code.locations.EndBlock();
      if (!keeps_registers) code.locations.ForgetRegisters();
      break;
    }
    EndInstruction(code, instruction);
    if (value != kNone) code.locations.DropIfUnused(value);
  }
}

}  // namespace

Refusal Lowering::Run(const ir::Function& function, const LoweringOptions& options,
                      CompiledCode& compiled, CodeMap* map) {
  code_.options = options;
  code_.function = &function;
  Begin(code_);
  const size_t count = code_.facts.order.blocks().size();
  std::optional<CodeMapRecorder> recorder;
  if (map == nullptr) {
    NoRecorder none;
    for (uint32_t block = 0; block < count; ++block) CompileBlock(code_, block, none);
  } else {
    recorder.emplace(*map);
    for (uint32_t block = 0; block < count; ++block) CompileBlock(code_, block, *recorder);
  }
  if (code_.refusal != Refusal::kNone) return code_.refusal;
  if (code_.locations.has_failed()) return Refusal::kRegisters;
  const int64_t frame_size = code_.frame.used() + code_.frame.outgoing();
  if (frame_size > kLargestFrame) return Refusal::kSize;
  const StackProbe probe = FrameProbeOf(code_, frame_size);
  if (probe == StackProbe::kOther) return Refusal::kFunctionAttribute;
  code_.probes_frame = probe == StackProbe::kInline;
  EmitAsks(code_);
  code_.native.frame.EndBody(code_);
  if (code_.facts.has_guard) EmitGuardFailure(code_);
  const uint32_t begin = code_.native.frame.WritePrologue(code_);
  const uint32_t end = code_.assembler.size();
  if (!WriteCode(code_, begin, compiled)) return Refusal::kReach;
  if (recorder) recorder->Finish(code_, begin, end);
  return Refusal::kNone;
}

}  // namespace firstcall::baseline
