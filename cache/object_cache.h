// Where compiled objects are kept from one run to the next.

#ifndef FIRSTCALL_CACHE_OBJECT_CACHE_H_
#define FIRSTCALL_CACHE_OBJECT_CACHE_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "llvm/ADT/SmallVector.h"

namespace firstcall {

// What stands for an object. Two objects of one signature are the same code.
struct ObjectKey {
  absl::string_view module;     // The source module's name: a path, if it was read from a file.
  absl::string_view signature;  // A line of text: all that can change the code.
};

// To be implemented by whoever keeps objects. Must be thread-safe. What Find returns is linked and
// run, so an implementation must be sure that it is what Store was given.
class ObjectCache {
 public:
  using Bytes = llvm::SmallVector<char, 0>;

  virtual ~ObjectCache() = default;

  // A copy of the object that was stored under the key; nothing if there is none that can be
  // trusted.
  virtual std::optional<Bytes> Find(const ObjectKey& key) = 0;

  // Keeps `object`, or does not.
  virtual void Store(const ObjectKey& key, absl::string_view object) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_OBJECT_CACHE_H_
