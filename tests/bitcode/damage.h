// Changes bytes at random, but the same arguments always give the same bytes, so a change that
// finds a fault can be repeated by its number.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_TESTS_BITCODE_DAMAGE_H_
#define FIRSTCALL_TESTS_BITCODE_DAMAGE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace firstcall::testing {

// `original` with the change `number` of the series `seed`. Half of the changes flip one bit: in
// bitcode, most of these change one operand of one record. The others flip several bits, overwrite
// bytes, overwrite bytes by others of `original`, insert or delete bytes, or cut off the end.
std::string Damaged(absl::string_view original, uint64_t seed, uint64_t number);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_BITCODE_DAMAGE_H_
