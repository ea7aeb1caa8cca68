// HMAC-SHA256 (RFC 2104): a digest that cannot be made or checked without the key.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_CACHE_HMAC_H_
#define FIRSTCALL_CACHE_HMAC_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firstcall {

// 32 bytes.
std::string HmacSha256(absl::string_view key, absl::string_view message);

// Whether two strings are the same, in a time that does not depend on where they differ.
bool IsEqualInConstantTime(absl::string_view a, absl::string_view b);

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_HMAC_H_
