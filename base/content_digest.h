// Tells whether bytes are those that were seen before.
//
// Thread-safe: pure functions. Tested in tests/base/file_contents_test.cc.

#ifndef FIRSTCALL_BASE_CONTENT_DIGEST_H_
#define FIRSTCALL_BASE_CONTENT_DIGEST_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firstcall {

// BLAKE3, 32 bytes long. Takes some 0.3 ms per MB.
std::string ContentDigest(absl::string_view bytes);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_CONTENT_DIGEST_H_
