#include "stubs/poll_entry.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/no_interruption.h"
#include "seam/hotness_counter.h"
#include "seam/loop_exit.h"

namespace firstcall {
namespace {

using From = LiveInMove::From;

// What the entry saves. Registers have DWARF's numbers, less kFirstVector for vector registers.
struct SavedRegisters {
  uint64_t general[32];
  unsigned char vectors[32][16];
};

#if defined(__x86_64__)
constexpr unsigned kFirstVector = kFirstVectorX86_64;
#else
constexpr unsigned kFirstVector = kFirstVectorAArch64;
#endif

// The assembly knows these, and kLiveInAlignment.
static_assert(offsetof(SavedRegisters, vectors) == 256 && sizeof(SavedRegisters) == 768);
static_assert(offsetof(LoopExit, continuation) == 0 && offsetof(LoopExit, leave) == 8 &&
              offsetof(LoopExit, live_in_bytes) == 16 && kLiveInAlignment == 64);

void Read(const LiveInMove& move, const SavedRegisters& saved, unsigned char (&part)[16]) {
  switch (move.from) {
    case From::kGeneralRegister:
      std::memcpy(part, &saved.general[move.reg % 32], 8);
      break;
    case From::kVectorRegister:
      std::memcpy(part, saved.vectors[(move.reg - kFirstVector) % 32], 16);
      break;
    case From::kMemory:
    case From::kAddress: {
      const uint64_t address = saved.general[move.reg % 32] + static_cast<uint64_t>(move.offset);
      if (move.from == From::kAddress) {
        std::memcpy(part, &address, 8);
      } else {
        std::memcpy(part, reinterpret_cast<const void*>(address), move.bytes);
      }
      break;
    }
  }
}

void KeepBits(unsigned bits, unsigned char (&part)[16]) {
  uint64_t value;
  std::memcpy(&value, part, 8);
  if (bits < 64) value &= (uint64_t{1} << bits) - 1;
  std::memcpy(part, &value, 8);
}

// The bits of a mask of so many lanes. The lanes are as wide as those of the next power of two of
// lanes, at least two, that fill the part.
uint16_t BitsOf(unsigned lanes, const unsigned char (&part)[16]) {
  unsigned room = 2;
  while (room < lanes) room *= 2;
  uint16_t bits = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const unsigned last_byte = (lane + 1) * 16 / room - 1;
    bits = static_cast<uint16_t>(bits | (part[last_byte] >> 7) << lane);
  }
  return bits;
}

// The index of the only target at the address in `part`. False if there is none, or several: a
// label that is only compared may have the address of another one.
bool FindLabel(const LoopExit& exit, const unsigned char (&part)[16], uint32_t& index) {
  const void* address;
  std::memcpy(&address, part, sizeof(address));
  if (address == nullptr) return false;  // No block; what is null in `targets` has no address.
  unsigned matches = 0;
  for (uint32_t i = 0; i < exit.targets.size(); ++i) {
    if (exit.targets[i] != address) continue;
    index = i;
    ++matches;
  }
  return matches == 1;
}

}  // namespace

extern "C" {

#if defined(__x86_64__)
__attribute__((visibility("hidden"))) extern const char firstcall_poll_x86_64[];
#elif defined(__aarch64__)
__attribute__((visibility("hidden"))) extern const char firstcall_poll_aarch64[];
#endif

// Called by the entry's assembly.
__attribute__((visibility("hidden"))) const LoopExit* firstcall_poll_answer(HotnessCounter* counter,
                                                                            uint32_t loop) {
  return WithoutInterruption(
      [&] { return counter->leaving_handler.load(std::memory_order_acquire)(counter, loop); });
}

// Called by the entry's assembly: writes the live-ins. False if the body cannot be left now.
__attribute__((visibility("hidden"))) bool firstcall_poll_fill(const LoopExit* exit,
                                                               const SavedRegisters* saved,
                                                               unsigned char* live_ins) {
  for (const LiveInMove& move : exit->moves) {
    unsigned char part[16] = {};
    Read(move, *saved, part);
    if (move.bits != 0) KeepBits(move.bits, part);
    if (move.lanes != 0) {
      const uint16_t bits = BitsOf(move.lanes, part);
      std::memcpy(live_ins + move.to, &bits, (move.lanes + 7) / 8);
      continue;
    }
    if (!move.is_label) {
      std::memcpy(live_ins + move.to, part, move.bytes);
      continue;
    }
    uint32_t index = 0;
    if (!FindLabel(*exit, part, index)) return false;
    std::memcpy(live_ins + move.to, &index, sizeof(index));
  }
  return true;
}

}  // extern "C"

const void* PollEntry() {
#if defined(__x86_64__)
  return firstcall_poll_x86_64;
#elif defined(__aarch64__)
  return firstcall_poll_aarch64;
#else
  return nullptr;
#endif
}

}  // namespace firstcall
