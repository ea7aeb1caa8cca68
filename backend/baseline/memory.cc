#include "backend/baseline/memory.h"

#include <algorithm>
#include <cstdint>

#include "backend/baseline/element_indices.h"
#include "backend/baseline/integers.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/register_variables.h"
#include "backend/baseline/stack_probe.h"
#include "backend/baseline/static_alloca.h"
#include "backend/baseline/symbols.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

// Whether a displacement fits into an instruction, for all parts of a value: the last one may be
// this far from the first.
bool FitsDisplacement(int64_t value) {
  constexpr int64_t kMostOfValue = 4096;
  return INT32_MIN + kMostOfValue <= value && value <= INT32_MAX - kMostOfValue;
}

void AddIndex(FunctionCode& code, Mem& mem, ir::Operand index, uint64_t size) {
  if (mem.relative_to != RelativeTo::kNothing || mem.index != kNoRegister) {
    mem = WithBaseOnly(code, mem);
  }
  const Register extended = InExtended(code, index, true, 8);
  if (size == 1 || size == 2 || size == 4 || size == 8) {
    mem.index = extended;
    mem.scale = static_cast<uint8_t>(__builtin_ctzll(size));
    return;
  }
  const Register product = code.locations.Temporary(false);
  if (size == static_cast<uint64_t>(static_cast<int32_t>(size))) {
    code.assembler.MultiplyRri(8, product, extended, static_cast<int32_t>(size));
  } else {
    code.assembler.MovImmediate(product, size, true);
    code.assembler.MultiplyRr(8, product, extended);
  }
  code.locations.registers().Unpin(extended);
  mem.index = product;
  mem.scale = 0;
}

Mem AddressOfElement(FunctionCode& code, const ir::Instruction& element) {
  Mem mem = AddressOf(code, OperandAt(code, element, 0));
  uint64_t sum = 0;  // Of the constant distances. Wraps, as addresses do.
  ForEachIndex(
      *code.function, element, [&](uint64_t offset) { sum += offset; },
      [&](ir::Operand index, uint64_t stride) {
        if (const ir::Constant* constant = IntegerOf(code, index)) {
          sum += stride * constant->bits();
        } else if (stride != 0) {
          AddIndex(code, mem, index, stride);
        }
      });
  const auto displacement = [&] {
    return static_cast<int64_t>(sum + static_cast<uint64_t>(mem.disp));
  };
  const bool is_near_symbol =
      mem.relative_to == RelativeTo::kSymbol || mem.relative_to == RelativeTo::kPool;
  if (is_near_symbol && !IsCloseToSymbol(displacement())) mem = WithBaseOnly(code, mem);
  if (FitsDisplacement(displacement())) {
    mem.disp = static_cast<int32_t>(displacement());
    return mem;
  }
  const Register reg = code.locations.Temporary(false);
  code.assembler.MovImmediate(reg, sum, false);
  Mem base = WithBaseOnly(code, mem);
  base.index = reg;
  return base;
}

// Loads an integer of `bits`, which lies in as many bytes as it needs.
void LoadPart(FunctionCode& code, Register dst, const Mem& mem, unsigned bits) {
  const unsigned bytes = (bits + 7) / 8;
  if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) {
    return code.assembler.Load(bytes, dst, mem);
  }
  const Register upper = code.architecture.scratch;
  // 3, 5, 6, 7: pieces from the upper end down, collected in the scratch register because `dst` may
  // be part of the address.
  code.assembler.MovImmediate(upper, 0, true);
  unsigned left = bytes;
  while (left != 0) {
    const unsigned piece = (left & 1) != 0 ? 1 : (left & 2) != 0 ? 2 : 4;
    left -= piece;
    const Register reg = left == 0 ? dst : upper;
    code.assembler.ShiftRi(Shift::kShl, 8, upper, static_cast<uint8_t>(8 * piece));
    if (left == 0) {
      code.assembler.Load(piece, reg, mem);
      code.assembler.AluRr(Alu::kOr, 8, dst, upper);
      return;
    }
    // A piece of fewer than four bytes: its operation leaves the others alone.
    code.assembler.AluRm(Alu::kOr, piece, upper, mem.Plus(static_cast<int32_t>(left)));
  }
}

// Whether the vector register has more bytes than the part has in memory.
bool IsPartOfRegister(const PartType& part) { return part.is_vector && part.bits < 8 * part.bytes; }

// Loads exactly the bytes of a part that does not fill its register, by way of the frame.
void LoadFewBytes(FunctionCode& code, Register dst, const Mem& mem, const PartType& part) {
  const int32_t slot = code.frame.AllocateSlot(16);
  CopyBytes(code, code.frame.At(slot), mem, part.bits / 8);
  code.assembler.VectorLoad(part.bytes, dst, code.frame.At(slot));
  code.frame.FreeSlot(slot, 16);
}

void StoreFewBytes(FunctionCode& code, const Mem& mem, Register source, const PartType& part) {
  const int32_t slot = code.frame.AllocateSlot(16);
  code.assembler.VectorStore(part.bytes, code.frame.At(slot), source);
  CopyBytes(code, mem, code.frame.At(slot), part.bits / 8);
  code.frame.FreeSlot(slot, 16);
}

void StorePart(FunctionCode& code, const Mem& mem, ir::Operand value, unsigned number,
               const PartType& part) {
  if (IsPartOfRegister(part)) {
    const Register source = In(code, value, number);
    StoreFewBytes(code, mem, source, part);
    return code.locations.registers().Unpin(source);
  }
  if (part.is_vector) {
    const ir::Constant* constant = ConstantOf(code, value);
    if (constant != nullptr && part.bytes <= 8) {
      const ConstantPart bits = PartOf(code, *constant, number);
      if (bits.kind == ConstantPart::Kind::kBits) {
        if (part.bytes <= 4) {
          return code.assembler.StoreImmediate(part.bytes, mem, static_cast<int32_t>(bits.low));
        }
        if (static_cast<int64_t>(bits.low) == static_cast<int32_t>(bits.low)) {
          return code.assembler.StoreImmediate(8, mem, static_cast<int32_t>(bits.low));
        }
      }
    }
    const Register source = In(code, value, number);
    code.assembler.VectorStore(part.bytes, mem, source);
    return code.locations.registers().Unpin(source);
  }
  const unsigned bytes = (part.bits + 7u) / 8;
  const bool is_whole = part.bits == 8 || part.bits == 16 || part.bits == 32 || part.bits == 64;
  int32_t immediate = 0;
  if (is_whole && ImmediateOf(code, value, immediate, number)) {
    return code.assembler.StoreImmediate(bytes, mem, immediate);
  }
  const Register source = In(code, value, number);
  Register reg = source;
  if (!is_whole) {  // LLVM stores zeros above the width.
    reg = code.locations.Temporary(false);
    Extend(code, reg, source, part.bits, false, part.bits <= 32 ? 4 : 8);
  }
  if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) {
    code.assembler.Store(bytes, mem, reg);
  } else {
    int32_t done = 0;
    for (unsigned piece = 4; piece != 0; piece /= 2) {
      if ((bytes & piece) == 0) continue;
      code.assembler.Store(piece, mem.Plus(done), reg);
      done += piece;
      code.assembler.ShiftRi(Shift::kShr, 8, reg, static_cast<uint8_t>(8 * piece));
    }
  }
  if (reg != source) code.locations.registers().Unpin(reg);
  code.locations.registers().Unpin(source);
}

// The flags are those of the result, which a TestOfUpdate needs.
void EmitUpdate(FunctionCode& code, const ir::Instruction& store, const MemoryUpdate& update) {
  const auto bytes = static_cast<unsigned>(update.load->type->store_size);
  const Mem mem = AddressOf(code, OperandAt(code, store, 0));
  const Alu alu = AluOf(*update.operation);
  int32_t immediate = 0;
  if (ImmediateOf(code, update.operand, immediate)) {
    code.assembler.AluMi(alu, bytes, mem, immediate);
  } else {
    code.assembler.AluMr(alu, bytes, mem, In(code, update.operand));
  }
}

// Moves the stack pointer down by the bytes in a register, which is changed, and then to a multiple
// of `alignment`. Touches each page on the way: by a load, because what is there may be another
// alloca's if the size is 0.
void EmitProbedAlloca(FunctionCode& code, Register bytes, int64_t alignment) {
  Assembler& assembler = code.assembler;
  const Register stack_pointer = code.architecture.stack_pointer;
  const Register scratch = code.architecture.scratch;
  const auto touch = [&] { assembler.Load(8, scratch, Mem::At(stack_pointer)); };
  assembler.Mov(8, scratch, stack_pointer);
  assembler.AluRr(Alu::kSub, 8, scratch, bytes);
  const Register end = bytes;
  assembler.Mov(8, end, scratch);
  if (alignment > 16) assembler.AluRi(Alu::kAnd, 8, end, static_cast<int32_t>(-alignment));
  const uint32_t loop = code.labels.New(), done = code.labels.New();
  touch();
  code.labels.Bind(loop);
  assembler.AluRi(Alu::kSub, 8, stack_pointer, kProbedBytes);
  assembler.AluRr(Alu::kCmp, 8, stack_pointer, end);
  assembler.Jcc(Cond::kB, done);
  touch();
  assembler.Jmp(loop);
  code.labels.Bind(done);
  assembler.Mov(8, stack_pointer, end);
  touch();
}

}  // namespace

Mem AddressOf(FunctionCode& code, ir::Operand pointer) {
  if (const ir::Constant* constant = ConstantOf(code, pointer)) {
    const ConstantPart part = PartOf(code, *constant, 0);
    if (part.kind == ConstantPart::Kind::kAddress &&
        FitsDisplacement(static_cast<int64_t>(part.low))) {
      const int32_t offset = static_cast<int32_t>(part.low);
      if (const uint32_t table = PoolPlaceOf(code, part.global); table != kNone) {
        return Mem::Relative(RelativeTo::kPool, table, offset);
      }
      const uint32_t symbol = code.symbols.NumberOf(part.global);
      if (IsNear(code, part.global)) {
        if (!IsCloseToSymbol(offset)) return Mem::At(In(code, pointer));
        return Mem::Relative(RelativeTo::kSymbol, symbol, offset);
      }
      const Register reg = code.locations.Temporary(false);
      code.assembler.Load(8, reg, LiteralOf(code, symbol));
      return Mem::At(reg, offset);
    }
    return Mem::At(In(code, pointer));
  }
  const uint32_t number = NumberOf(code, pointer);
  const ValuePart& value = code.facts.values[number];
  if (value.is_alloca) return SlotOf(code.frame, value);
  if (const ir::Instruction* deferred = DeferredOf(code, pointer);
      deferred != nullptr && deferred->opcode == ir::Opcode::kGetElementPtr) {
    return AddressOfElement(code, *deferred);
  }
  return Mem::At(In(code, pointer));
}

Mem WithBaseOnly(FunctionCode& code, const Mem& mem) {
  if (mem.IsBase()) return mem;
  const Register reg = code.locations.Temporary(false);
  code.assembler.Lea(reg, mem);
  code.locations.registers().Unpin(mem.base);
  code.locations.registers().Unpin(mem.index);
  return Mem::At(reg);
}

void Release(FunctionCode& code, const Mem& mem) {
  code.locations.Release(mem.base);
  code.locations.Release(mem.index);
}

void LowerElementAddress(FunctionCode& code, const ir::Instruction& element) {
  const Mem mem = AddressOfElement(code, element);
  const ir::Operand base = OperandAt(code, element, 0);
  // A distance from a base that dies is added to it.
  if (mem.relative_to == RelativeTo::kNothing && mem.index == kNoRegister && DiesHere(code, base) &&
      mem.base == code.locations.RegisterOf(NumberOf(code, base))) {
    const Register dst = DefineFrom(code, element, base);
    if (mem.disp != 0) code.assembler.AluRi(Alu::kAdd, 8, dst, mem.disp);
    return;
  }
  Release(code, mem);
  const Register dst = Define(code, element);
  if (mem.IsBase()) {
    code.assembler.Mov(8, dst, mem.base);
  } else {
    code.assembler.Lea(dst, mem);
  }
}

void LowerLoad(FunctionCode& code, const ir::Instruction& load) {
  if (load.IsAtomic()) return code.native.memory.LowerAtomicLoad(code, load);
  if (const Register variable = VariableAt(code, OperandAt(code, load, 0));
      variable != kNoRegister) {
    return LoadVariable(code, load, variable);
  }
  const PartList list = PartsOf(load.type);
  const PartOffsets places = OffsetsOf(load.type);
  const Mem mem = AddressOf(code, OperandAt(code, load, 0));
  if (list.count == 1) Release(code, mem);
  for (unsigned i = 0; i < list.count; ++i) {
    const PartType& part = list.parts[i];
    const Register dst = Define(code, load, i);
    if (IsPartOfRegister(part)) {
      LoadFewBytes(code, dst, mem.Plus(places.offsets[i]), part);
    } else if (part.is_vector) {
      code.assembler.VectorLoad(part.bytes, dst, mem.Plus(places.offsets[i]));
    } else {
      LoadPart(code, dst, mem.Plus(places.offsets[i]), part.bits);
    }
    code.locations.registers().Unpin(dst);  // There may be more parts than registers.
  }
}

bool IsEmittedAsOne(const FunctionCode& code, const MemoryUpdate& update) {
  if (update.load == nullptr ||
      DeferredOf(code, ir::Operand::Value(update.load->value)) == nullptr) {
    return false;
  }
  // A test needs the flags, which say nothing of a register variable.
  return code.function->HasOneUse(update.operation->value) ||
         VariableAt(code, OperandAt(code, *update.load, 0)) == kNoRegister;
}

void StoreValue(FunctionCode& code, ir::Operand pointer, ir::Operand value) {
  const PartList list = PartsOf(TypeOf(code, value));
  const PartOffsets places = OffsetsOf(TypeOf(code, value));
  const Mem mem = AddressOf(code, pointer);
  for (unsigned i = 0; i < list.count; ++i) {
    StorePart(code, mem.Plus(places.offsets[i]), value, i, list.parts[i]);
  }
}

void LowerStore(FunctionCode& code, const ir::Instruction& store) {
  if (store.IsAtomic()) return code.native.memory.LowerAtomicStore(code, store);
  const Register variable = VariableAt(code, OperandAt(code, store, 0));
  if (const MemoryUpdate update = UpdateEndingIn(*code.function, store);
      IsEmittedAsOne(code, update)) {
    if (variable != kNoRegister) return UpdateVariable(code, variable, update);
    return EmitUpdate(code, store, update);
  }
  if (variable != kNoRegister) return StoreVariable(code, variable, OperandAt(code, store, 1));
  StoreValue(code, OperandAt(code, store, 0), OperandAt(code, store, 1));
}

void KeepStackPointer(FunctionCode& code) {
  if (code.stack_pointer_place == 0) return;
  code.assembler.Mov(8, code.architecture.scratch, code.architecture.stack_pointer);
  code.assembler.Store(8, code.frame.At(code.stack_pointer_place), code.architecture.scratch);
}

void LowerAlloca(FunctionCode& code, const ir::Instruction& alloca) {
  if (IsStaticAlloca(*code.function, alloca)) return;
  const uint64_t size = alloca.source_type->alloc_size;
  const Register bytes = code.locations.Temporary(false);
  const Register count = InExtended(code, OperandAt(code, alloca, 0), false, 8);
  if (size == static_cast<uint64_t>(static_cast<int32_t>(size))) {
    code.assembler.MultiplyRri(8, bytes, count, static_cast<int32_t>(size));
  } else {
    code.assembler.MovImmediate(bytes, size, true);
    code.assembler.MultiplyRr(8, bytes, count);
  }
  const int64_t alignment = std::max<int64_t>(static_cast<int64_t>(alloca.alignment()), 16);
  code.assembler.AluRi(Alu::kAdd, 8, bytes, 15);
  code.assembler.AluRi(Alu::kAnd, 8, bytes, -16);
  const Register stack_pointer = code.architecture.stack_pointer;
  if (StackProbeOf(code.function->attributes().function) != StackProbe::kNone) {
    EmitProbedAlloca(code, bytes, alignment);
  } else {
    code.assembler.AluRr(Alu::kSub, 8, stack_pointer, bytes);
    if (alignment > 16) {
      code.assembler.AluRi(Alu::kAnd, 8, stack_pointer, static_cast<int32_t>(-alignment));
    }
  }
  KeepStackPointer(code);
  code.assembler.Mov(8, Define(code, alloca), stack_pointer);
}

unsigned PieceOf(uint64_t left) {
  return left >= 16 ? 16 : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

void CopyBytes(FunctionCode& code, const Mem& to, const Mem& from, uint64_t size) {
  for (uint64_t done = 0; done < size;) {
    const unsigned piece = PieceOf(size - done);
    const int32_t at = static_cast<int32_t>(done);
    if (piece == 16) {
      code.assembler.VectorLoad(16, code.architecture.vector_scratch, from.Plus(at));
      code.assembler.VectorStore(16, to.Plus(at), code.architecture.vector_scratch);
    } else {
      code.assembler.Load(piece, code.architecture.scratch, from.Plus(at));
      code.assembler.Store(piece, to.Plus(at), code.architecture.scratch);
    }
    done += piece;
  }
}

}  // namespace firstcall::baseline
