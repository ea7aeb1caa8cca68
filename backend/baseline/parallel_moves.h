// Parallel moves: of values to phis on an edge, and of arguments to their places for a call.
//
// The moves are ordered so that no place is overwritten before it is read. A scratch register
// breaks cycles. Constants and addresses come last. Takes time proportional to the number of moves
// plus the product of moves and cycles.
//
// Thread-compatible; reused to keep its memory. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_PARALLEL_MOVES_H_
#define FIRSTCALL_BACKEND_BASELINE_PARALLEL_MOVES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "backend/baseline/architecture.h"
#include "backend/baseline/assembler.h"
#include "ir/constant.h"

namespace firstcall::baseline {

struct Move {
  enum class Source : uint8_t { kRegister, kMemory, kFrameAddress, kConstant, kDone };
  Source source = Source::kRegister;
  bool is_vector = false;  // The kind of the value, not of a place in memory.
  uint8_t bytes = 8;       // 4, 8 or 16; for a vector value also 2.
  // If not 0: the value is an integer of this many bits, which is extended to 32 or 64 bits.
  uint8_t extended_bits = 0;
  bool is_signed = false;
  Register from = kNoRegister;
  Mem from_memory;  // kMemory: the source. kFrameAddress: the address itself is the value.
  const ir::Constant* constant = nullptr;
  unsigned constant_part = 0;
  // The destination: the register `to` or, if `to` is kNoRegister, `to_memory`, a place in the
  // frame or among the arguments of a call.
  Register to = kNoRegister;
  Mem to_memory;
};

class ParallelMoves {
 public:
  explicit ParallelMoves(const Architecture& architecture) : architecture_(architecture) {}

  void Clear() { moves_.clear(); }
  bool empty() const { return moves_.empty(); }
  void Add(const Move& move) { moves_.push_back(move); }

  // Emits the added moves, then clears them. Clobbers the scratch registers and the flags.
  // `write_constant(reg, constant, part)` must load a part of a constant into a register.
  template <typename WriteConstant>
  void Emit(Assembler& assembler, WriteConstant write_constant) {
    EmitCopies(assembler);
    for (const Move& move : moves_) {
      if (move.source == Move::Source::kFrameAddress) {
        EmitFrameAddress(assembler, move);
      } else if (move.source == Move::Source::kConstant) {
        const Register reg = move.to != kNoRegister ? move.to
                             : move.is_vector       ? architecture_.vector_scratch
                                                    : architecture_.scratch;
        write_constant(reg, *move.constant, move.constant_part);
        if (move.extended_bits != 0) Extend(assembler, reg, move);
        if (move.to == kNoRegister) Store(assembler, reg, move);
      }
    }
    moves_.clear();
  }

 private:
  void EmitCopies(Assembler& assembler);
  void EmitCopy(Assembler& assembler, const Move& move);
  void EmitFrameAddress(Assembler& assembler, const Move& move);
  void BreakCycle(Assembler& assembler, Move& move);
  void EmitWithFollowers(Assembler& assembler, uint32_t number);
  bool IsReady(const Move& move);
  static void Extend(Assembler& assembler, Register reg, const Move& move);
  static void Store(Assembler& assembler, Register reg, const Move& move);

  const Architecture& architecture_;
  // The state of a place that moves read or write.
  struct Place {
    uint32_t readers = 0;  // The number of moves that still have to read the place.
    uint32_t writer = kNoMove;
  };
  static constexpr uint32_t kNoMove = ~uint32_t{0};

  Place* PlaceReadBy(const Move& move);
  Place* PlaceWrittenBy(const Move& move);

  std::vector<Move> moves_;
  Place registers_[kRegisterCount];  // Of registers that moves read or write.
  absl::flat_hash_map<uint64_t, Place>
      in_frame_;  // The places in the frame that moves write, by KeyOf.
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_PARALLEL_MOVES_H_
