// Addresses, loads, stores, allocas.

#include "backend/baseline/lowering.h"
#include "backend/baseline/value_slots.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/Support/MathExtras.h"

namespace firstcall::baseline {
namespace {

// Whether a displacement fits into an instruction, for all parts of a value: the last one may be
// this far from the first.
bool FitsDisplacement(int64_t value) {
  constexpr int64_t kMostOfValue = 4096;
  return llvm::isInt<32>(value - kMostOfValue) && llvm::isInt<32>(value + kMostOfValue);
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

Mem Lowering::AddressOf(const llvm::Value* pointer) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(pointer)) {
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
  if (const llvm::Instruction* deferred = DeferredOf(pointer)) {
    if (const auto* element = llvm::dyn_cast<llvm::GEPOperator>(deferred)) {
      return AddressOfElement(*element);
    }
  }
  return Mem::At(In(pointer));
}

Mem Lowering::AddressOfElement(const llvm::GEPOperator& element) {
  Mem mem = AddressOf(element.getPointerOperand());
  int64_t distance = 0;
  for (auto it = llvm::gep_type_begin(element), end = llvm::gep_type_end(element); it != end;
       ++it) {
    const llvm::Value* index = it.getOperand();
    if (llvm::StructType* type = it.getStructTypeOrNull()) {
      const uint64_t field = llvm::cast<llvm::ConstantInt>(index)->getZExtValue();
      distance += layout_->getStructLayout(type)->getElementOffset(field).getFixedValue();
      continue;
    }
    if (llvm::isa<llvm::Constant>(index) && llvm::cast<llvm::Constant>(index)->isNullValue()) {
      continue;  // Whatever the size, which takes time to compute.
    }
    const uint64_t size = it.getSequentialElementStride(*layout_).getFixedValue();
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index)) {
      distance += static_cast<int64_t>(size) * constant->getValue().sextOrTrunc(64).getSExtValue();
    } else if (size != 0) {
      AddIndex(mem, index, size);
    }
  }
  const bool is_near_symbol =
      mem.relative_to == RelativeTo::kSymbol || mem.relative_to == RelativeTo::kPool;
  if (is_near_symbol && !IsCloseToSymbol(distance + mem.disp)) mem = WithBaseOnly(mem);
  if (FitsDisplacement(distance + mem.disp)) return mem.Plus(static_cast<int32_t>(distance));
  const Register reg = locations_.Temporary(false);
  assembler_.MovImmediate(reg, static_cast<uint64_t>(distance), false);
  Mem base = WithBaseOnly(mem);
  base.index = reg;
  return base;
}

void Lowering::AddIndex(Mem& mem, const llvm::Value* index, uint64_t size) {
  if (mem.relative_to != RelativeTo::kNothing || mem.index != kNoRegister) mem = WithBaseOnly(mem);
  const Register extended = InExtended(index, true, 8);
  if (llvm::isPowerOf2_64(size) && size <= 8) {
    mem.index = extended;
    mem.scale = static_cast<uint8_t>(llvm::Log2_64(size));
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

void Lowering::LowerElementAddress(const llvm::GetElementPtrInst& element) {
  const Mem mem = AddressOfElement(llvm::cast<llvm::GEPOperator>(element));
  const llvm::Value* base = element.getPointerOperand();
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

void Lowering::LowerLoad(const llvm::LoadInst& load) {
  if (load.isAtomic()) return LowerAtomicLoad(load);
  const PartList list = PartsOf(load.getType());
  const PartOffsets places = OffsetsOf(load.getType(), *layout_);
  const Mem mem = AddressOf(load.getPointerOperand());
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

void Lowering::StorePart(const Mem& mem, const llvm::Value* value, unsigned number,
                         const PartType& part) {
  if (part.is_vector) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
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
  return update.load != nullptr && DeferredOf(update.load) != nullptr;
}

// The flags are those of the result, which a TestOfUpdate needs.
void Lowering::EmitUpdate(const llvm::StoreInst& store, const MemoryUpdate& update) {
  const unsigned bytes = BytesOf(update.load);
  const Mem mem = AddressOf(store.getPointerOperand());
  const Alu alu = AluOf(*update.operation);
  int32_t immediate = 0;
  if (ImmediateOf(update.operand, immediate)) {
    assembler_.AluMi(alu, bytes, mem, immediate);
  } else {
    assembler_.AluMr(alu, bytes, mem, In(update.operand));
  }
}

void Lowering::LowerStore(const llvm::StoreInst& store) {
  if (store.isAtomic()) return LowerAtomicStore(store);
  if (const MemoryUpdate update = UpdateEndingIn(store); IsEmittedAsOne(update)) {
    return EmitUpdate(store, update);
  }
  const llvm::Value* value = store.getValueOperand();
  const PartList list = PartsOf(value->getType());
  const PartOffsets places = OffsetsOf(value->getType(), *layout_);
  const Mem mem = AddressOf(store.getPointerOperand());
  for (unsigned i = 0; i < list.count; ++i) {
    StorePart(mem.Plus(places.offsets[i]), value, i, list.parts[i]);
  }
}

void Lowering::LowerAlloca(const llvm::AllocaInst& alloca) {
  const uint32_t number = NumberOf(&alloca);
  if (analysis_.values()[number].is_alloca) return;
  const uint64_t size = layout_->getTypeAllocSize(alloca.getAllocatedType());
  const Register bytes = locations_.Temporary(false);
  const Register count = InExtended(alloca.getArraySize(), false, 8);
  if (size == static_cast<uint64_t>(static_cast<int32_t>(size))) {
    assembler_.MultiplyRri(8, bytes, count, static_cast<int32_t>(size));
  } else {
    assembler_.MovImmediate(bytes, size, true);
    assembler_.MultiplyRr(8, bytes, count);
  }
  const int64_t alignment = std::max<int64_t>(alloca.getAlign().value(), 16);
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
