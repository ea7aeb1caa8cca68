// What tests say of two texts that should be equal, and of many messages at once.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_TESTS_BITCODE_TEXT_DIFFERENCE_H_
#define FIRSTCALL_TESTS_BITCODE_TEXT_DIFFERENCE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firstcall::testing {

// Of two texts of ir::TextOf: the first line that differs, with the line before it. Lines that
// differ only in where a value is used count if no other line differs. Empty if the texts are the
// same.
std::string FirstDifference(absl::string_view expected, absl::string_view found);

// `message` with … in place of what stands in quotes and # in place of numbers.
std::string WithoutNames(absl::string_view message);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_BITCODE_TEXT_DIFFERENCE_H_
