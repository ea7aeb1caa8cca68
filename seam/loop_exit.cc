#include "seam/loop_exit.h"

#include <cstddef>
#include <utility>

#include "base/coding.h"

namespace firstcall {
namespace {

constexpr size_t kMoveBytes = 14;

// x86-64 and AArch64 have lower numbers only.
constexpr uint8_t kGeneralRegisters = 32;
constexpr uint8_t kEndOfVectors = kFirstVectorAArch64 + 32;

bool IsPossible(const LiveInMove& move, uint32_t live_in_bytes) {
  const uint64_t stored = move.is_label ? 4 : move.lanes != 0 ? (move.lanes + 7) / 8 : move.bytes;
  const bool has_register =
      move.from == LiveInMove::From::kVectorRegister
          ? move.reg >= kFirstVectorX86_64 && move.reg < kEndOfVectors
          : move.reg < kGeneralRegisters && move.from <= LiveInMove::From::kAddress;
  if (move.lanes > 16 || (move.lanes != 0 && move.bytes != 16)) return false;
  return has_register && move.bytes >= 1 && move.bytes <= 16 && move.bits <= 64 &&
         move.to + stored <= live_in_bytes;
}

}  // namespace

std::string LeavableLoop::Encode() const {
  Encoder encoder;
  encoder.U32(leave);
  encoder.U32(live_in_bytes);
  encoder.U32(static_cast<uint32_t>(moves.size()));
  for (const LiveInMove& move : moves) {
    encoder.U8(static_cast<uint8_t>(move.from));
    encoder.U8(move.reg);
    encoder.U8(move.bytes);
    encoder.U8(move.bits);
    encoder.U8(move.is_label ? 1 : 0);
    encoder.U8(move.lanes);
    encoder.U32(static_cast<uint32_t>(move.offset));
    encoder.U32(move.to);
  }
  encoder.U32(static_cast<uint32_t>(targets.size()));
  for (uint32_t target : targets) encoder.U32(target);
  encoder.String(body);
  return std::move(encoder).Take();
}

std::optional<LeavableLoop> LeavableLoop::Decode(absl::string_view bytes) {
  Decoder decoder(bytes);
  LeavableLoop loop;
  loop.leave = decoder.U32();
  loop.live_in_bytes = decoder.U32();
  loop.moves.resize(decoder.Count(kMoveBytes));
  for (LiveInMove& move : loop.moves) {
    move.from = static_cast<LiveInMove::From>(decoder.U8());
    move.reg = decoder.U8();
    move.bytes = decoder.U8();
    move.bits = decoder.U8();
    move.is_label = decoder.U8() != 0;
    move.lanes = decoder.U8();
    move.offset = static_cast<int32_t>(decoder.U32());
    move.to = decoder.U32();
    if (!IsPossible(move, loop.live_in_bytes)) return std::nullopt;
  }
  loop.targets.resize(decoder.Count(4));
  for (uint32_t& target : loop.targets) target = decoder.U32();
  loop.body = std::string(decoder.String());
  if (!decoder.IsComplete()) return std::nullopt;
  return loop;
}

}  // namespace firstcall
