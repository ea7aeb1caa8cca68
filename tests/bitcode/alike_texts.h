// Whether two texts of ir::TextOf say the same of one module or function, though LLVM changes some
// of what it reads.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_TESTS_BITCODE_ALIKE_TEXTS_H_
#define FIRSTCALL_TESTS_BITCODE_ALIKE_TEXTS_H_

#include "absl/strings/string_view.h"

namespace firstcall::testing {

// What wrote the bitcode. In each case, more is taken for the same than in the case before.
enum class BitcodeOrigin {
  // LLVM 19. Undefined elements of a shuffle's mask may be undef or poison.
  kThisVersion,
  // Another version. LLVM gives intrinsics the attributes that it knows itself.
  kOtherVersion,
  // Nobody: the bitcode is damaged. LLVM simplifies constants that no writer leaves as they are,
  // and drops metadata and attributes that do not fit. What the reader of bitcode finds may be
  // "unknown", or have debug information, where LLVM has nothing. Which blocks have addresses that
  // other functions use is told twice in bitcode, and the two readers believe different places.
  kDamaged,
};

// `expected`: of what LLVM has read. `found`: of what the reader of bitcode has read.
bool AreAlike(absl::string_view expected, absl::string_view found, BitcodeOrigin origin);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_BITCODE_ALIKE_TEXTS_H_
