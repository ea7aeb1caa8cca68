#include "backend/baseline/masked_accesses.h"

#include <cstdint>

#include "backend/baseline/function_code.h"
#include "backend/baseline/memory.h"
#include "backend/baseline/operands.h"
#include "ir/intrinsic.h"

namespace firstcall::baseline {
namespace {

uint32_t MaskOfLoad(const FunctionCode& code, const ir::Instruction& load) {
  return ir::MaskOfLoad(code.function->CallOf(load).argument_count);
}
uint32_t MaskOfStore(const FunctionCode& code, const ir::Instruction& store) {
  return ir::MaskOfStore(code.function->CallOf(store).argument_count);
}

// Calls `access(lane)` where the mask says so.
template <typename Access>
void ForEachSetLane(FunctionCode& code, const Lanes& mask, unsigned count, const Access& access) {
  for (unsigned i = 0; i < count; ++i) {
    const uint32_t skip = code.labels.New();
    code.assembler.AluMi(Alu::kCmp, 1, mask.At(i), 0);
    code.assembler.Jcc(Cond::kE, skip);
    access(i);
    code.labels.Bind(skip);
  }
}

}  // namespace

void LoadSomeLanes(FunctionCode& code, const ir::Instruction& load, const Lanes& result,
                   Register value) {
  const ir::Operand others = OperandAt(code, load, MaskOfLoad(code, load) + 1);
  const ir::Constant* known = ConstantOf(code, others);
  if (known == nullptr || !known->IsUndefined()) StoreParts(code, result.mem, others);
  const Lanes mask = LanesOf(code, OperandAt(code, load, MaskOfLoad(code, load)));
  Lanes source = result;
  source.mem = AddressOf(code, OperandAt(code, load, 0));
  ForEachSetLane(code, mask, LaneCount(load.type), [&](unsigned i) {
    LoadLane(code, value, source, i, /*is_signed=*/false);
    StoreLane(code, result, i, value);
  });
  code.locations.registers().Unpin(source.mem.base);
  code.locations.registers().Unpin(source.mem.index);
}

void StoreSomeLanes(FunctionCode& code, const ir::Instruction& store, Register value) {
  const ir::Operand vector = OperandAt(code, store, 0);
  const Lanes source = LanesOf(code, vector);
  const Lanes mask = LanesOf(code, OperandAt(code, store, MaskOfStore(code, store)));
  Lanes target = source;
  target.mem = AddressOf(code, OperandAt(code, store, 1));
  ForEachSetLane(code, mask, LaneCount(TypeOf(code, vector)), [&](unsigned i) {
    LoadLane(code, value, source, i, /*is_signed=*/false);
    StoreLane(code, target, i, value);
  });
}

void GatherLanes(FunctionCode& code, const ir::Instruction& gather, const Lanes& result,
                 Register value) {
  const ir::Operand others = OperandAt(code, gather, MaskOfLoad(code, gather) + 1);
  const ir::Constant* known = ConstantOf(code, others);
  if (known == nullptr || !known->IsUndefined()) StoreParts(code, result.mem, others);
  const Lanes mask = LanesOf(code, OperandAt(code, gather, MaskOfLoad(code, gather)));
  const Lanes addresses = LanesOf(code, OperandAt(code, gather, 0));
  ForEachSetLane(code, mask, LaneCount(gather.type), [&](unsigned i) {
    LoadLane(code, value, addresses, i, /*is_signed=*/false);
    code.assembler.Load(result.stride, value, Mem::At(value));
    StoreLane(code, result, i, value);
  });
}

void ScatterLanes(FunctionCode& code, const ir::Instruction& scatter, Register value) {
  const ir::Operand vector = OperandAt(code, scatter, 0);
  const Lanes source = LanesOf(code, vector);
  const Lanes mask = LanesOf(code, OperandAt(code, scatter, MaskOfStore(code, scatter)));
  const Lanes addresses = LanesOf(code, OperandAt(code, scatter, 1));
  const Register address = code.locations.Temporary(false);
  ForEachSetLane(code, mask, LaneCount(TypeOf(code, vector)), [&](unsigned i) {
    LoadLane(code, address, addresses, i, /*is_signed=*/false);
    LoadLane(code, value, source, i, /*is_signed=*/false);
    code.assembler.Store(source.stride, Mem::At(address), value);
  });
}

void LoadNextLanes(FunctionCode& code, const ir::Instruction& load, const Lanes& result,
                   Register value) {
  const ir::Operand others = OperandAt(code, load, MaskOfLoad(code, load) + 1);
  const ir::Constant* known = ConstantOf(code, others);
  if (known == nullptr || !known->IsUndefined()) StoreParts(code, result.mem, others);
  const Lanes mask = LanesOf(code, OperandAt(code, load, MaskOfLoad(code, load)));
  const Register next = Copy(code, OperandAt(code, load, 0));
  ForEachSetLane(code, mask, LaneCount(load.type), [&](unsigned i) {
    code.assembler.Load(result.stride, value, Mem::At(next));
    StoreLane(code, result, i, value);
    code.assembler.AluRi(Alu::kAdd, 8, next, static_cast<int32_t>(result.stride));
  });
}

void StoreNextLanes(FunctionCode& code, const ir::Instruction& store, Register value) {
  const ir::Operand vector = OperandAt(code, store, 0);
  const Lanes source = LanesOf(code, vector);
  const Lanes mask = LanesOf(code, OperandAt(code, store, MaskOfStore(code, store)));
  const Register next = Copy(code, OperandAt(code, store, 1));
  ForEachSetLane(code, mask, LaneCount(TypeOf(code, vector)), [&](unsigned i) {
    LoadLane(code, value, source, i, /*is_signed=*/false);
    code.assembler.Store(source.stride, Mem::At(next), value);
    code.assembler.AluRi(Alu::kAdd, 8, next, static_cast<int32_t>(source.stride));
  });
}

}  // namespace firstcall::baseline
