#include "tests/bitcode/damage.h"

#include <algorithm>
#include <cstddef>

namespace firstcall::testing {
namespace {

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  explicit Random(uint64_t state) : state_(state) {}

  uint64_t Next() {
    uint64_t bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
  }
  // Less than `bound`, which is not 0.
  size_t Below(size_t bound) { return Next() % bound; }

 private:
  uint64_t state_;
};

void FlipBit(std::string& bytes, Random& random) {
  const size_t bit = random.Below(bytes.size() * 8);
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
}

void Overwrite(std::string& bytes, Random& random) {
  const size_t place = random.Below(bytes.size());
  const size_t count = std::min(1 + random.Below(8), bytes.size() - place);
  const bool is_extreme = random.Below(2) == 0;
  const char extreme = random.Below(2) == 0 ? '\0' : '\xff';
  for (size_t i = 0; i < count; ++i) {
    bytes[place + i] = is_extreme ? extreme : static_cast<char>(random.Next());
  }
}

// Streams of bits consist of words of 32 bits, so whole words keep more of what follows readable.
size_t SomeCount(Random& random) {
  return random.Below(2) == 0 ? 1 + random.Below(7) : 4 * (1 + random.Below(8));
}

void CopyWithin(std::string& bytes, Random& random) {
  const size_t from = random.Below(bytes.size()), to = random.Below(bytes.size());
  const size_t count = std::min(SomeCount(random), bytes.size() - std::max(from, to));
  bytes.replace(to, count, std::string(bytes, from, count));
}

void Insert(std::string& bytes, Random& random) {
  std::string inserted(SomeCount(random), '\0');
  for (char& byte : inserted) byte = static_cast<char>(random.Next());
  bytes.insert(random.Below(bytes.size()) & ~size_t{3}, inserted);
}

}  // namespace

std::string Damaged(absl::string_view original, uint64_t seed, uint64_t number) {
  std::string bytes(original);
  if (bytes.empty()) return bytes;
  Random random(Random(seed).Next() + number);
  switch (random.Below(12)) {
    case 0:
    case 1:
      for (size_t left = 2 + random.Below(4); left > 0; --left) FlipBit(bytes, random);
      break;
    case 2:
      Overwrite(bytes, random);
      break;
    case 3:
      CopyWithin(bytes, random);
      break;
    case 4:
      random.Below(2) == 0 ? Insert(bytes, random)
                           : void(bytes.erase(random.Below(bytes.size()), SomeCount(random)));
      break;
    case 5:
      bytes.resize(random.Below(bytes.size()));
      break;
    default:
      FlipBit(bytes, random);
      break;
  }
  return bytes;
}

}  // namespace firstcall::testing
