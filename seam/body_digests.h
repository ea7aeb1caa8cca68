// Digests of the parts of a source module: of each function's body, and of its frame, which is
// everything else. They tell which functions two versions of a module have in common.
//
// Plain values. Tested in tests/api/earlier_version_test.cc.

#ifndef FIRSTCALL_SEAM_BODY_DIGESTS_H_
#define FIRSTCALL_SEAM_BODY_DIGESTS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firstcall {

struct BodyDigests {
  static constexpr size_t kFrameSize = 32;
  static constexpr size_t kBodySize = 16;

  // The bodies of two modules can be compared only if their frames are equal: what the numbers in a
  // body mean depends on the frame.
  std::string frame;
  // By the function's ordinal; empty for a symbol without a body.
  std::vector<std::string> bodies;

  // Converts to bytes and back. Nullopt if the bytes have another form, or are for another number
  // of symbols.
  std::string Encode() const;
  static std::optional<BodyDigests> Decode(absl::string_view bytes, size_t symbol_count);

  // For each symbol, whether the body is the same in `other`, whose frame is equal.
  std::vector<bool> CompareWith(const BodyDigests& other) const;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_BODY_DIGESTS_H_
