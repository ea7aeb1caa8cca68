// The conditions under which a comparison holds, as tests of the flags.
//
// Plain values.

#ifndef FIRSTCALL_BACKEND_BASELINE_FLAG_TEST_H_
#define FIRSTCALL_BACKEND_BASELINE_FLAG_TEST_H_

#include <cstdint>

#include "backend/baseline/assembler.h"

namespace firstcall::baseline {

// One condition, or two combined.
struct FlagTest {
  enum class Combination : uint8_t { kOne, kBoth, kEither };
  Cond first = Cond::kNe;
  Cond second = Cond::kNe;
  Combination combination = Combination::kOne;
};

inline FlagTest One(Cond cond) { return {cond, cond, FlagTest::Combination::kOne}; }

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_FLAG_TEST_H_
