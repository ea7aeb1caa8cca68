// The tags of what a cache that machines share keeps on its server. A tag binds bytes to the
// complete signature and to their place in the cache, so they can neither be changed nor be put in
// another place unnoticed. The tag is a BLAKE3 digest of all that, which finds damage. With a key,
// the tag is the digest's HMAC-SHA256: only a process that has the key can have made it. (SHA-256
// of the bytes themselves would take longer than all else that a start does with them.)
//
// Immutable, therefore thread-safe.

#ifndef FIRSTCALL_CACHE_SEAL_H_
#define FIRSTCALL_CACHE_SEAL_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace firstcall {

class Seal {
 public:
  static constexpr size_t kTagSize = 32;

  // `key` may be empty.
  explicit Seal(std::string key) : key_(std::move(key)) {}

  bool has_key() const { return !key_.empty(); }

  // The tag of `bytes` at `place`. A place is the text of a ModulePart, or a name that begins with
  // '#'. Has kTagSize bytes.
  std::string TagOf(absl::string_view signature, absl::string_view place,
                    absl::string_view bytes) const;

  // The tag and then `bytes`.
  std::string Close(absl::string_view signature, absl::string_view place,
                    absl::string_view bytes) const;

  // The bytes that `sealed`, which must outlive the result, has behind the tag. Nullopt if the tag
  // is missing or wrong.
  std::optional<absl::string_view> Open(absl::string_view signature, absl::string_view place,
                                        absl::string_view sealed) const;

 private:
  const std::string key_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_SEAL_H_
