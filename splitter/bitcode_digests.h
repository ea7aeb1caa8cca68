// Digests of the parts of a module's bitcode: of each function's body, and of everything else. If
// one body is changed, and the change needs no new type, constant in data, global or metadata, then
// the bytes of all other parts remain the same.
//
// Thread-safe: pure functions. Tested in tests/splitter/bitcode_digests_test.cc.

#ifndef FIRSTCALL_SPLITTER_BITCODE_DIGESTS_H_
#define FIRSTCALL_SPLITTER_BITCODE_DIGESTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

struct BitcodeDigests {
  // Of everything but the bodies and their places in the file: 32 bytes of BLAKE3 over what lies
  // between blocks and over digests of blocks.
  std::string frame;
  // Of the bodies, in the order of the functions that have one: 16 bytes of XXH3 each. What the
  // numbers in a body mean depends on the frame, so bodies can be compared only if the frames are
  // equal.
  std::vector<std::string> bodies;
};

// InvalidArgument if `bitcode` is not the bitcode of one module.
absl::StatusOr<BitcodeDigests> DigestBitcode(absl::string_view bitcode);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_BITCODE_DIGESTS_H_
