#include "backend/baseline/parallel_moves.h"

namespace firstcall::baseline {
namespace {

using Source = Move::Source;

bool IsCopy(const Move& move) {
  return move.source == Source::kRegister || move.source == Source::kMemory;
}

// Of a place in the frame. Places do not overlap.
uint64_t KeyOf(const Mem& place) {
  return uint64_t{static_cast<uint8_t>(place.relative_to)} << 32 |
         static_cast<uint32_t>(place.disp);
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

// Null if nothing writes there.
ParallelMoves::Place* ParallelMoves::PlaceReadBy(const Move& move) {
  if (move.source == Source::kRegister) return &registers_[move.from];
  if (in_frame_.empty() || move.from_memory.base != architecture_.frame_pointer) return nullptr;
  const auto found = in_frame_.find(KeyOf(move.from_memory));
  return found == in_frame_.end() ? nullptr : &found->second;
}

// Null if nothing reads there: those of the arguments of a call.
ParallelMoves::Place* ParallelMoves::PlaceWrittenBy(const Move& move) {
  if (move.to != kNoRegister) return &registers_[move.to];
  if (move.to_memory.base != architecture_.frame_pointer) return nullptr;
  return &in_frame_[KeyOf(move.to_memory)];
}

// Whether no other move has to read what it overwrites.
bool ParallelMoves::IsReady(const Move& move) {
  const Place* const to = PlaceWrittenBy(move);
  if (to == nullptr) return true;
  return to->readers == (PlaceReadBy(move) == to ? 1 : 0);
}

// Emits the move, then the one that waited for that, and so on.
void ParallelMoves::EmitWithFollowers(Assembler& assembler, uint32_t number) {
  while (number != kNoMove && IsCopy(moves_[number]) && IsReady(moves_[number])) {
    Move& move = moves_[number];
    Place* const from = PlaceReadBy(move);
    EmitCopy(assembler, move);
    move.source = Source::kDone;
    if (from == nullptr) return;
    --from->readers;
    number = from->writer;
  }
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
  Place& kept = *PlaceWrittenBy(move);
  for (Move& other : moves_) {
    if (!IsCopy(other) || PlaceReadBy(other) != &kept) continue;
    other.source = Source::kRegister;
    other.from = architecture_.cycle_scratch;
    --kept.readers;
    ++registers_[architecture_.cycle_scratch].readers;
  }
}

void ParallelMoves::EmitCopies(Assembler& assembler) {
  if (moves_.size() < 2) {
    for (const Move& move : moves_) {
      if (IsCopy(move)) EmitCopy(assembler, move);
    }
    return;
  }
  registers_[architecture_.cycle_scratch] = {};
  for (const Move& move : moves_) {
    if (move.to != kNoRegister) registers_[move.to] = {};
    if (move.source == Source::kRegister) registers_[move.from] = {};
  }
  if (!in_frame_.empty()) in_frame_.clear();
  for (uint32_t i = 0; i < moves_.size(); ++i) {
    if (!IsCopy(moves_[i])) continue;
    if (Place* const to = PlaceWrittenBy(moves_[i])) to->writer = i;
  }
  for (const Move& move : moves_) {
    if (!IsCopy(move)) continue;
    if (Place* const from = PlaceReadBy(move)) ++from->readers;
  }
  for (uint32_t i = 0; i < moves_.size(); ++i) EmitWithFollowers(assembler, i);
  // What is left is cycles, in which each place is read once.
  for (uint32_t i = 0; i < moves_.size(); ++i) {
    if (!IsCopy(moves_[i])) continue;
    BreakCycle(assembler, moves_[i]);
    EmitWithFollowers(assembler, i);
  }
}

}  // namespace firstcall::baseline
