// LLVM widens a vector to the next power of two of lanes. If the processor has registers for
// vectors of so many such lanes, that is how the vector is passed. Otherwise a vector of a power of
// two of lanes is divided, or has wider lanes, until it fits registers; all others are passed lane
// by lane.

#include "backend/baseline/vector_passing.h"

#include "backend/baseline/value_parts.h"

namespace firstcall::baseline {
namespace {

using Kind = VectorPassing::Kind;

constexpr uint64_t kRegisterBits = 128;

}  // namespace

VectorPassing PassingOf(const ir::Type& vector, const CallingConvention& convention) {
  const ir::Type& element = *vector.element();
  const uint64_t count = vector.count;
  uint64_t room = 1;
  while (room < count) room *= 2;
  const bool is_power_of_two = room == count;
  VectorPassing passing;
  if (element.IsInteger(1)) {
    passing.kind = count == 1 || count > 16 || !is_power_of_two ? Kind::kLanes : Kind::kWider;
    // The smallest registers have 64 bits, if there are such.
    const uint64_t bits = convention.least_vector_bytes == 8 && count <= 8 ? 64 : kRegisterBits;
    if (passing.kind == Kind::kWider) passing.lane_bits = static_cast<unsigned>(bits / count);
    passing.is_wide = count > 16;
    return passing;
  }
  const uint64_t bits = room * element.bit_size;
  passing.is_wide = bits > kRegisterBits;
  if (convention.least_vector_bytes == 0) {
    // All registers have 128 bits, and smaller vectors of a power of two of lanes are widened.
    const bool is_widened = is_power_of_two || bits == kRegisterBits ||
                            (IsSmallFloat(&element) && bits < kRegisterBits);
    const bool is_lane = count == 1 && !IsSmallFloat(&element);
    passing.kind = is_widened && !is_lane ? Kind::kParts : Kind::kLanes;
    return passing;
  }
  const uint64_t least_bits = 8 * convention.least_vector_bytes;
  if (bits == least_bits || bits == kRegisterBits || count == 1 || IsSmallFloat(&element)) {
    passing.kind = is_power_of_two || bits <= kRegisterBits ? Kind::kParts : Kind::kLanes;
  } else if (!is_power_of_two) {
    passing.kind = Kind::kLanes;
  } else if (bits < least_bits) {
    passing.kind = Kind::kWider;
    passing.lane_bits = static_cast<unsigned>(least_bits / count);
  }
  return passing;
}

}  // namespace firstcall::baseline
