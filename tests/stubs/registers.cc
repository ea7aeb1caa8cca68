#include "tests/stubs/registers.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace firstcall::testing {

using ::testing::ElementsAreArray;

#if defined(__x86_64__)

std::vector<NamedLevel> VectorLevels() {
  return {{"Sse", VectorLevel::kSse}, {"Avx", VectorLevel::kAvx}, {"Avx512", VectorLevel::kAvx512}};
}

bool HasRegisters(VectorLevel level) {
  switch (level) {
    case VectorLevel::kSse:
      return true;
    case VectorLevel::kAvx:
      return __builtin_cpu_supports("avx");
    case VectorLevel::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  }
  return false;
}

namespace {

int VectorLengthOfThread() { return 0; }

bool SetVectorLength(int) { return true; }

void MakeValid(VectorLevel, RegisterImage&) {}

}  // namespace

void ExpectAllRegistersAreFound(VectorLevel level) {
  EXPECT_THAT(firstcall_test_found.integers, ElementsAreArray(firstcall_test_given.integers));
  const size_t count = level == VectorLevel::kAvx512 ? 32 : 16;
  const size_t size = size_t{16} << static_cast<uint32_t>(level);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(std::memcmp(firstcall_test_found.vectors[i], firstcall_test_given.vectors[i], size),
              0)
        << "vector register " << i;
  }
  if (level == VectorLevel::kAvx512) {
    EXPECT_THAT(firstcall_test_found.masks, ElementsAreArray(firstcall_test_given.masks));
  }
}

#elif defined(__aarch64__)

std::vector<NamedLevel> VectorLevels() {
  return {{"Neon", VectorLevel::kNeon},
          {"Sve128", VectorLevel::kSve, 16},
          {"Sve256", VectorLevel::kSve, 32},
          {"Sve512", VectorLevel::kSve, 64},
          {"Sve2048", VectorLevel::kSve, 256}};
}

bool HasRegisters(VectorLevel level) {
  return level != VectorLevel::kSve || (getauxval(AT_HWCAP) & HWCAP_SVE) != 0;
}

namespace {

int VectorLengthOfThread() {
  return HasRegisters(VectorLevel::kSve) ? prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK : 0;
}

// What it changes to is the longest that the CPU has and that is not longer.
bool SetVectorLength(int bytes) {
  if (prctl(PR_SVE_SET_VL, bytes) != bytes) return false;
  EXPECT_EQ(firstcall_test_vector_length(), static_cast<uint64_t>(bytes));
  return true;
}

// The first-fault register may only hold ones followed by zeros.
void MakeValid(VectorLevel level, RegisterImage& image) {
  if (level != VectorLevel::kSve) return;
  const size_t size = firstcall_test_vector_length() / 8;
  uint8_t* first_fault = image.predicates + 16 * size;
  std::memset(first_fault, 0, size);
  first_fault[0] = 0x1f;
}

}  // namespace

void ExpectAllRegistersAreFound(VectorLevel level) {
  EXPECT_THAT(firstcall_test_found.integers, ElementsAreArray(firstcall_test_given.integers));
  const size_t size = level == VectorLevel::kSve ? firstcall_test_vector_length() : 16;
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(std::memcmp(firstcall_test_found.vectors + i * size,
                          firstcall_test_given.vectors + i * size, size),
              0)
        << "vector register " << i;
  }
  if (level != VectorLevel::kSve) return;
  for (size_t i = 0; i < 17; ++i) {
    EXPECT_EQ(std::memcmp(firstcall_test_found.predicates + i * size / 8,
                          firstcall_test_given.predicates + i * size / 8, size / 8),
              0)
        << "predicate " << i;
  }
}

#endif

SelectedLevel::SelectedLevel(const NamedLevel& level)
    : length_before_(VectorLengthOfThread()),
      is_available_(HasRegisters(level.level) &&
                    (level.vector_length == 0 || SetVectorLength(level.vector_length))) {}

SelectedLevel::~SelectedLevel() {
  if (length_before_ != 0) SetVectorLength(length_before_);
}

void SetUpRegisters(VectorLevel level) {
  firstcall_test_level = level;
  auto* bytes = reinterpret_cast<uint8_t*>(&firstcall_test_given);
  // None as firstcall_test_clobber_registers leaves them.
  for (size_t i = 0; i < sizeof(RegisterImage); ++i) {
    bytes[i] = static_cast<uint8_t>(i * 7 + i / 64 + i / 2048);
  }
  MakeValid(level, firstcall_test_given);
  std::memset(&firstcall_test_found, 0, sizeof(RegisterImage));
}

ExecutorAddress ClobberAndFind(const std::atomic<void*>&) {
  firstcall_test_clobber_registers();
  return ExecutorAddress::Of(reinterpret_cast<const void*>(&firstcall_test_find_registers));
}

}  // namespace firstcall::testing
