// How a running first body is left at a loop, for the function's OSR continuation: where the values
// that the continuation needs are while the loop polls in machine code (backend/baseline/polls.h).
// The compiler half finds that out when it makes the continuation, by generating the first body
// again, and the runtime half makes sure that this is the body that runs.
//
// Plain values.

#ifndef FIRSTCALL_SEAM_LOOP_EXIT_H_
#define FIRSTCALL_SEAM_LOOP_EXIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firstcall {

// A part of a live-in, and its place in the memory of live-ins. Registers have DWARF's numbers.
struct LiveInMove {
  enum class From : uint8_t {
    kGeneralRegister,
    kVectorRegister,
    kMemory,   // At `offset` from what `reg` holds.
    kAddress,  // The part is that address.
  };
  From from = From::kGeneralRegister;
  uint8_t reg = 0;
  uint8_t bytes = 0;  // 1 to 16.
  uint8_t bits = 0;   // If not 0: only so many bits of the part count, and the others are to be 0.
  // The part is the address of a block of the function; what is passed is its index in `targets`,
  // in 4 bytes.
  bool is_label = false;
  // If not 0: the part is a vector of so many i1, whose lanes are masks that fill 16 bytes; in
  // memory each is a bit.
  uint8_t lanes = 0;
  int32_t offset = 0;
  uint32_t to = 0;
};

// The alignment of the memory of live-ins: what the entry of polls gives it.
inline constexpr uint32_t kLiveInAlignment = 64;

// DWARF's number of the first vector register: psABI, figure 3.36, and DWARF for the Arm 64-bit
// Architecture, 4.1.
inline constexpr uint8_t kFirstVectorX86_64 = 17, kFirstVectorAArch64 = 64;

// Offsets are distances from the beginning of the first body's code.
struct LeavableLoop {
  uint32_t leave = 0;          // The code to which control goes (stubs/poll_entry.h).
  uint32_t live_in_bytes = 0;  // Of the memory of live-ins.
  std::vector<LiveInMove> moves;
  std::vector<uint32_t> targets;  // The blocks whose addresses may be live-ins.
  std::string body;               // A relocatable object with the first body.

  std::string Encode() const;
  // Nullopt if the bytes are not what Encode makes.
  static std::optional<LeavableLoop> Decode(absl::string_view bytes);
};

// The section of a continuation's object that has its LeavableLoop. It is not loaded.
inline constexpr char kLoopExitSection[] = ".firstcall.exit";

// The same for a body in this process.
struct LoopExit {
  // The entry of polls reads these three, so they are the first and stay in this order.
  const void* continuation = nullptr;
  const void* leave = nullptr;
  uint64_t live_in_bytes = 0;
  std::vector<LiveInMove> moves;
  std::vector<const void*> targets;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_LOOP_EXIT_H_
