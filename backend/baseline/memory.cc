// Addresses, loads, stores, allocas.

#include <algorithm>

#include "backend/baseline/element_indices.h"
#include "backend/baseline/lowering.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

// Whether a displacement fits into an instruction, for all parts of a value: the last one may be
// this far from the first.
bool FitsDisplacement(int64_t value) {
  constexpr int64_t kMostOfValue = 4096;
  return INT32_MIN + kMostOfValue <= value && value <= INT32_MAX - kMostOfValue;
}

}  // namespace

// The address is read for the last time, so that its registers may be the result's.
void Lowering::Release(const Mem& mem) {
  locations_.Release(mem.base);
  locations_.Release(mem.index);
}

// The same address, computed into one register. Lets go of the registers of `mem`.
Mem Lowering::WithBaseOnly(const Mem& mem) {
  if (mem.IsBase()) return mem;
  const Register reg = locations_.Temporary(false);
  assembler_.Lea(reg, mem);
  locations_.registers().Unpin(mem.base);
  locations_.registers().Unpin(mem.index);
  return Mem::At(reg);
}

Mem Lowering::AddressOf(ir::Operand pointer) {
  if (const ir::Constant* constant = ConstantOf(pointer)) {
    const ConstantPart part = PartOf(*constant, 0);
    if (part.kind == ConstantPart::Kind::kAddress &&
        FitsDisplacement(static_cast<int64_t>(part.low))) {
      const int32_t offset = static_cast<int32_t>(part.low);
      if (const uint32_t table = PoolPlaceOf(part.global); table != kNone) {
        return Mem::Relative(RelativeTo::kPool, table, offset);
      }
      const uint32_t symbol = SymbolOf(part.global);
      if (IsNear(part.global)) {
        if (!IsCloseToSymbol(offset)) return Mem::At(In(pointer));
        return Mem::Relative(RelativeTo::kSymbol, symbol, offset);
      }
      const Register reg = locations_.Temporary(false);
      assembler_.Load(8, reg, LiteralOf(symbol));
      return Mem::At(reg, offset);
    }
    return Mem::At(In(pointer));
  }
  const uint32_t number = NumberOf(pointer);
  const ValuePart& value = analysis_.values()[number];
  if (value.is_alloca) return SlotOf(frame_, value);
  if (const ir::Instruction* deferred = DeferredOf(pointer);
      deferred != nullptr && deferred->opcode == ir::Opcode::kGetElementPtr) {
    return AddressOfElement(*deferred);
  }
  return Mem::At(In(pointer));
}

Mem Lowering::AddressOfElement(const ir::Instruction& element) {
  Mem mem = AddressOf(OperandAt(element, 0));
  uint64_t sum = 0;  // Of the constant distances. Wraps, as addresses do.
  ForEachIndex(
      *function_, element, [&](uint64_t offset) { sum += offset; },
      [&](ir::Operand index, uint64_t stride) {
        if (const ir::Constant* constant = IntegerOf(index)) {
          sum += stride * constant->bits();
        } else if (stride != 0) {
          AddIndex(mem, index, stride);
        }
      });
  const auto displacement = [&] {
    return static_cast<int64_t>(sum + static_cast<uint64_t>(mem.disp));
  };
  const bool is_near_symbol =
      mem.relative_to == RelativeTo::kSymbol || mem.relative_to == RelativeTo::kPool;
  if (is_near_symbol && !IsCloseToSymbol(displacement())) mem = WithBaseOnly(mem);
  if (FitsDisplacement(displacement())) {
    mem.disp = static_cast<int32_t>(displacement());
    return mem;
  }
  const Register reg = locations_.Temporary(false);
  assembler_.MovImmediate(reg, sum, false);
  Mem base = WithBaseOnly(mem);
  base.index = reg;
  return base;
}

void Lowering::AddIndex(Mem& mem, ir::Operand index, uint64_t size) {
  if (mem.relative_to != RelativeTo::kNothing || mem.index != kNoRegister) mem = WithBaseOnly(mem);
  const Register extended = InExtended(index, true, 8);
  if (size == 1 || size == 2 || size == 4 || size == 8) {
    mem.index = extended;
    mem.scale = static_cast<uint8_t>(__builtin_ctzll(size));
    return;
  }
  const Register product = locations_.Temporary(false);
  if (size == static_cast<uint64_t>(static_cast<int32_t>(size))) {
    assembler_.MultiplyRri(8, product, extended, static_cast<int32_t>(size));
  } else {
    assembler_.MovImmediate(product, size, true);
    assembler_.MultiplyRr(8, product, extended);
  }
  locations_.registers().Unpin(extended);
  mem.index = product;
  mem.scale = 0;
}

void Lowering::LowerElementAddress(const ir::Instruction& element) {
  const Mem mem = AddressOfElement(element);
  const ir::Operand base = OperandAt(element, 0);
  // A distance from a base that dies is added to it.
  if (mem.relative_to == RelativeTo::kNothing && mem.index == kNoRegister && DiesHere(base) &&
      mem.base == locations_.RegisterOf(NumberOf(base))) {
    const Register dst = DefineFrom(element, base);
    if (mem.disp != 0) assembler_.AluRi(Alu::kAdd, 8, dst, mem.disp);
    return;
  }
  Release(mem);
  const Register dst = Define(element);
  if (mem.IsBase()) {
    assembler_.Mov(8, dst, mem.base);
  } else {
    assembler_.Lea(dst, mem);
  }
}

// Loads an integer of `bits`, which lies in as many bytes as it needs.
void Lowering::LoadPart(Register dst, const Mem& mem, unsigned bits) {
  const unsigned bytes = (bits + 7) / 8;
  if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) return assembler_.Load(bytes, dst, mem);
  const Register upper = architecture_.scratch;
  // 3, 5, 6, 7: pieces from the upper end down, collected in the scratch register because `dst` may
  // be part of the address.
  assembler_.MovImmediate(upper, 0, true);
  unsigned left = bytes;
  while (left != 0) {
    const unsigned piece = (left & 1) != 0 ? 1 : (left & 2) != 0 ? 2 : 4;
    left -= piece;
    const Register reg = left == 0 ? dst : upper;
    assembler_.ShiftRi(Shift::kShl, 8, upper, static_cast<uint8_t>(8 * piece));
    if (left == 0) {
      assembler_.Load(piece, reg, mem);
      assembler_.AluRr(Alu::kOr, 8, dst, upper);
      return;
    }
    // A piece of fewer than four bytes: its operation leaves the others alone.
    assembler_.AluRm(Alu::kOr, piece, upper, mem.Plus(static_cast<int32_t>(left)));
  }
}

void Lowering::LowerLoad(const ir::Instruction& load) {
  if (load.IsAtomic()) return LowerAtomicLoad(load);
  const PartList list = PartsOf(load.type);
  const PartOffsets places = OffsetsOf(load.type);
  const Mem mem = AddressOf(OperandAt(load, 0));
  if (list.count == 1) Release(mem);
  for (unsigned i = 0; i < list.count; ++i) {
    const PartType& part = list.parts[i];
    const Register dst = Define(load, i);
    if (part.is_vector) {
      assembler_.VectorLoad(part.bytes, dst, mem.Plus(places.offsets[i]));
    } else {
      LoadPart(dst, mem.Plus(places.offsets[i]), part.bits);
    }
    locations_.registers().Unpin(dst);  // There may be more parts than registers.
  }
}

void Lowering::StorePart(const Mem& mem, ir::Operand value, unsigned number, const PartType& part) {
  if (part.is_vector) {
    const ir::Constant* constant = ConstantOf(value);
    if (constant != nullptr && part.bytes <= 8) {
      const ConstantPart bits = PartOf(*constant, number);
      if (bits.kind == ConstantPart::Kind::kBits) {
        if (part.bytes <= 4) {
          return assembler_.StoreImmediate(part.bytes, mem, static_cast<int32_t>(bits.low));
        }
        if (static_cast<int64_t>(bits.low) == static_cast<int32_t>(bits.low)) {
          return assembler_.StoreImmediate(8, mem, static_cast<int32_t>(bits.low));
        }
      }
    }
    const Register source = In(value, number);
    assembler_.VectorStore(part.bytes, mem, source);
    return locations_.registers().Unpin(source);
  }
  const unsigned bytes = (part.bits + 7u) / 8;
  const bool is_whole = part.bits == 8 || part.bits == 16 || part.bits == 32 || part.bits == 64;
  int32_t immediate = 0;
  if (is_whole && ImmediateOf(value, immediate, number)) {
    return assembler_.StoreImmediate(bytes, mem, immediate);
  }
  const Register source = In(value, number);
  Register reg = source;
  if (!is_whole) {  // LLVM stores zeros above the width.
    reg = locations_.Temporary(false);
    Extend(reg, source, part.bits, false, part.bits <= 32 ? 4 : 8);
  }
  if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) {
    assembler_.Store(bytes, mem, reg);
  } else {
    int32_t done = 0;
    for (unsigned piece = 4; piece != 0; piece /= 2) {
      if ((bytes & piece) == 0) continue;
      assembler_.Store(piece, mem.Plus(done), reg);
      done += piece;
      assembler_.ShiftRi(Shift::kShr, 8, reg, static_cast<uint8_t>(8 * piece));
    }
  }
  if (reg != source) locations_.registers().Unpin(reg);
  locations_.registers().Unpin(source);
}

bool Lowering::IsEmittedAsOne(const MemoryUpdate& update) const {
  return update.load != nullptr && DeferredOf(ir::Operand::Value(update.load->value)) != nullptr;
}

// The flags are those of the result, which a TestOfUpdate needs.
void Lowering::EmitUpdate(const ir::Instruction& store, const MemoryUpdate& update) {
  const auto bytes = static_cast<unsigned>(update.load->type->store_size);
  const Mem mem = AddressOf(OperandAt(store, 0));
  const Alu alu = AluOf(*update.operation);
  int32_t immediate = 0;
  if (ImmediateOf(update.operand, immediate)) {
    assembler_.AluMi(alu, bytes, mem, immediate);
  } else {
    assembler_.AluMr(alu, bytes, mem, In(update.operand));
  }
}

void Lowering::LowerStore(const ir::Instruction& store) {
  if (store.IsAtomic()) return LowerAtomicStore(store);
  if (const MemoryUpdate update = UpdateEndingIn(*function_, store); IsEmittedAsOne(update)) {
    return EmitUpdate(store, update);
  }
  const ir::Operand value = OperandAt(store, 1);
  const PartList list = PartsOf(TypeOf(value));
  const PartOffsets places = OffsetsOf(TypeOf(value));
  const Mem mem = AddressOf(OperandAt(store, 0));
  for (unsigned i = 0; i < list.count; ++i) {
    StorePart(mem.Plus(places.offsets[i]), value, i, list.parts[i]);
  }
}

void Lowering::LowerAlloca(const ir::Instruction& alloca) {
  const uint32_t number = NumberOf(alloca);
  if (analysis_.values()[number].is_alloca) return;
  const uint64_t size = alloca.source_type->alloc_size;
  const Register bytes = locations_.Temporary(false);
  const Register count = InExtended(OperandAt(alloca, 0), false, 8);
  if (size == static_cast<uint64_t>(static_cast<int32_t>(size))) {
    assembler_.MultiplyRri(8, bytes, count, static_cast<int32_t>(size));
  } else {
    assembler_.MovImmediate(bytes, size, true);
    assembler_.MultiplyRr(8, bytes, count);
  }
  const int64_t alignment = std::max<int64_t>(static_cast<int64_t>(alloca.alignment()), 16);
  assembler_.AluRi(Alu::kAdd, 8, bytes, 15);
  assembler_.AluRi(Alu::kAnd, 8, bytes, -16);
  const Register stack_pointer = architecture_.stack_pointer;
  assembler_.AluRr(Alu::kSub, 8, stack_pointer, bytes);
  if (alignment > 16) {
    assembler_.AluRi(Alu::kAnd, 8, stack_pointer, static_cast<int32_t>(-alignment));
  }
  assembler_.Mov(8, Define(alloca), stack_pointer);
}

}  // namespace firstcall::baseline
