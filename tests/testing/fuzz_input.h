// What a test sends to code that must bear anything: random numbers and bytes, and bytes that are
// nearly right. The same numbers in every run.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_TESTING_FUZZ_INPUT_H_
#define FIRSTCALL_TESTS_TESTING_FUZZ_INPUT_H_

#include <cstdint>
#include <random>
#include <string>

namespace firstcall {

class FuzzInput {
 public:
  explicit FuzzInput(uint32_t seed) : numbers_(seed) {}

  // Below `limit`, which is above zero.
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(numbers_()) % limit; }
  // True once in `times`.
  bool Once(uint32_t times) { return Below(times) == 0; }
  // Fewer bytes than `limit`.
  std::string Bytes(uint32_t limit = 64);
  // `bytes` as they are, without their end, with some other bits, or others altogether.
  std::string Damaged(std::string bytes);

 private:
  std::minstd_rand numbers_;
};

// Takes --messages=N from the arguments, which is how much a test sends, and runs all tests.
// Returns the exit status.
int RunFuzzTests(int argc, char** argv, int& messages);

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_FUZZ_INPUT_H_
