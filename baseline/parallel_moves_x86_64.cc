#include "baseline/parallel_moves_x86_64.h"

namespace firstcall::baseline {
namespace {

using Source = Move::Source;

bool IsCopy(const Move& move) {
  return move.source == Source::kRegister || move.source == Source::kMemory;
}

// Whether the place that `writer` writes is the slot that `reader` reads.
bool Overwrites(const Move& writer, const Move& reader) {
  return writer.to == kNoRegister && writer.to_memory.base == kRbp &&
         reader.source == Source::kMemory && reader.from_slot == writer.to_memory.disp;
}

}  // namespace

void ParallelMoves::Extend(AssemblerX86_64& assembler, Register reg, const Move& move) {
  const unsigned bits = move.extended_bits;
  if (bits == 8 || bits == 16 || bits == 32) {
    if (move.is_signed) {
      assembler.SignExtend(bits / 8, bits == 32 ? 8 : 4, reg, reg);
    } else {
      assembler.ZeroExtend(bits / 8, reg, reg);
    }
    return;
  }
  const unsigned bytes = bits <= 32 ? 4 : 8;
  const uint8_t distance = static_cast<uint8_t>(bytes * 8 - bits);
  if (!move.is_signed && bits < 8) {
    return assembler.AluRi(Alu::kAnd, 4, reg, static_cast<int32_t>((1u << bits) - 1));
  }
  assembler.ShiftRi(Shift::kShl, bytes, reg, distance);
  assembler.ShiftRi(move.is_signed ? Shift::kSar : Shift::kShr, bytes, reg, distance);
}

void ParallelMoves::Store(AssemblerX86_64& assembler, Register reg, const Move& move) {
  if (IsVector(reg)) {
    assembler.VectorStore(move.bytes, move.to_memory, reg);
  } else {
    assembler.Store(move.bytes, move.to_memory, reg);
  }
}

void ParallelMoves::EmitCopy(AssemblerX86_64& assembler, const Move& move) {
  Register reg = move.to;
  if (move.source == Source::kRegister) {
    if (reg == kNoRegister && move.extended_bits == 0) return Store(assembler, move.from, move);
    if (reg == kNoRegister) reg = kScratch;
    if (reg != move.from) {
      if (IsVector(reg) && IsVector(move.from)) {
        assembler.VectorMov(reg, move.from);
      } else if (IsVector(move.from)) {
        assembler.FromVector(8, reg, move.from);  // From the register that breaks cycles.
      } else {
        assembler.Mov(move.bytes == 4 ? 4 : 8, reg, move.from);
      }
    }
  } else {
    if (reg == kNoRegister) reg = move.bytes == 16 ? kVectorScratch : kScratch;
    const Mem slot = Mem::At(kRbp, move.from_slot);
    if (IsVector(reg)) {
      assembler.VectorLoad(move.bytes, reg, slot);
    } else {
      assembler.Load(move.bytes, reg, slot);
    }
  }
  if (move.extended_bits != 0) Extend(assembler, reg, move);
  if (move.to == kNoRegister) Store(assembler, reg, move);
}

void ParallelMoves::EmitFrameAddress(AssemblerX86_64& assembler, const Move& move) {
  const Register reg = move.to == kNoRegister ? kScratch : move.to;
  assembler.Lea(reg, Mem::At(kRbp, move.from_slot));
  if (move.to == kNoRegister) Store(assembler, reg, move);
}

bool ParallelMoves::IsRead(const Move& writer) const {
  if (writer.to != kNoRegister) {
    const unsigned own = writer.source == Source::kRegister && writer.from == writer.to ? 1 : 0;
    return readers_[writer.to] > own;
  }
  if (writer.to_memory.base != kRbp) return false;
  for (const Move& move : moves_) {
    if (&move != &writer && Overwrites(writer, move)) return true;
  }
  return false;
}

// Everything that is left waits for something else: what `move` overwrites is kept elsewhere.
void ParallelMoves::BreakCycle(AssemblerX86_64& assembler, Move& move) {
  if (move.to != kNoRegister) {
    if (IsVector(move.to)) {
      assembler.VectorMov(kCycleScratch, move.to);
    } else {
      assembler.ToVector(8, kCycleScratch, move.to);
    }
  } else {
    assembler.VectorLoad(move.bytes, kCycleScratch, move.to_memory);
  }
  for (Move& other : moves_) {
    if (move.to != kNoRegister ? other.source == Source::kRegister && other.from == move.to
                               : Overwrites(move, other)) {
      if (other.source == Source::kRegister) --readers_[other.from];
      other.source = Source::kRegister;
      other.from = kCycleScratch;
      ++readers_[kCycleScratch];
    }
  }
}

void ParallelMoves::EmitCopies(AssemblerX86_64& assembler) {
  for (unsigned& readers : readers_) readers = 0;
  size_t left = 0;
  for (Move& move : moves_) {
    if (!IsCopy(move)) continue;
    if (move.source == Source::kRegister) ++readers_[move.from];
    ++left;
  }
  while (left != 0) {
    bool has_moved = false;
    Move* waiting = nullptr;
    for (Move& move : moves_) {
      if (!IsCopy(move)) continue;
      if (IsRead(move)) {
        waiting = &move;
        continue;
      }
      EmitCopy(assembler, move);
      if (move.source == Source::kRegister) --readers_[move.from];
      move.source = Source::kDone;
      --left;
      has_moved = true;
    }
    if (!has_moved) BreakCycle(assembler, *waiting);
  }
}

}  // namespace firstcall::baseline
