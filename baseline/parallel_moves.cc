#include "baseline/parallel_moves.h"

namespace firstcall::baseline {
namespace {

using Source = Move::Source;

bool IsCopy(const Move& move) {
  return move.source == Source::kRegister || move.source == Source::kMemory;
}

// Whether the place that `writer` writes is the one that `reader` reads: places do not overlap.
bool Overwrites(const Move& writer, const Move& reader) {
  return writer.to == kNoRegister && reader.source == Source::kMemory &&
         reader.from_memory.base == writer.to_memory.base &&
         reader.from_memory.relative_to == writer.to_memory.relative_to &&
         reader.from_memory.disp == writer.to_memory.disp;
}

}  // namespace

void ParallelMoves::Extend(Assembler& assembler, Register reg, const Move& move) {
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

void ParallelMoves::Store(Assembler& assembler, Register reg, const Move& move) {
  if (IsVector(reg)) {
    assembler.VectorStore(move.bytes, move.to_memory, reg);
  } else {
    assembler.Store(move.bytes, move.to_memory, reg);
  }
}

void ParallelMoves::EmitCopy(Assembler& assembler, const Move& move) {
  Register reg = move.to;
  if (move.source == Source::kRegister) {
    if (reg == kNoRegister && move.extended_bits == 0) return Store(assembler, move.from, move);
    if (reg == kNoRegister) reg = architecture_.scratch;
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
    if (reg == kNoRegister) {
      reg = move.bytes == 16 ? architecture_.vector_scratch : architecture_.scratch;
    }
    if (IsVector(reg)) {
      assembler.VectorLoad(move.bytes, reg, move.from_memory);
    } else {
      assembler.Load(move.bytes, reg, move.from_memory);
    }
  }
  if (move.extended_bits != 0) Extend(assembler, reg, move);
  if (move.to == kNoRegister) Store(assembler, reg, move);
}

void ParallelMoves::EmitFrameAddress(Assembler& assembler, const Move& move) {
  const Register reg = move.to == kNoRegister ? architecture_.scratch : move.to;
  assembler.Lea(reg, move.from_memory);
  if (move.to == kNoRegister) Store(assembler, reg, move);
}

bool ParallelMoves::IsRead(const Move& writer) const {
  if (writer.to != kNoRegister) {
    const unsigned own = writer.source == Source::kRegister && writer.from == writer.to ? 1 : 0;
    return readers_[writer.to] > own;
  }
  if (writer.to_memory.base != architecture_.frame_pointer) return false;
  for (const Move& move : moves_) {
    if (&move != &writer && Overwrites(writer, move)) return true;
  }
  return false;
}

// Everything that is left waits for something else: what `move` overwrites is kept elsewhere.
void ParallelMoves::BreakCycle(Assembler& assembler, Move& move) {
  if (move.to != kNoRegister) {
    if (IsVector(move.to)) {
      assembler.VectorMov(architecture_.cycle_scratch, move.to);
    } else {
      assembler.ToVector(8, architecture_.cycle_scratch, move.to);
    }
  } else {
    assembler.VectorLoad(move.bytes, architecture_.cycle_scratch, move.to_memory);
  }
  for (Move& other : moves_) {
    if (move.to != kNoRegister ? other.source == Source::kRegister && other.from == move.to
                               : Overwrites(move, other)) {
      if (other.source == Source::kRegister) --readers_[other.from];
      other.source = Source::kRegister;
      other.from = architecture_.cycle_scratch;
      ++readers_[architecture_.cycle_scratch];
    }
  }
}

void ParallelMoves::EmitCopies(Assembler& assembler) {
  for (uint16_t& readers : readers_) readers = 0;
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
