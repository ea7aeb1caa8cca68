// How many instructions the functions of a source module have, as far as somebody has counted them.
// Whether a function is small enough to be imported is then known without reading and simplifying
// its body in another view.
//
// Thread-safe. Tested in tests/splitter/body_sizes_test.cc.

#ifndef FIRSTCALL_SPLITTER_BODY_SIZES_H_
#define FIRSTCALL_SPLITTER_BODY_SIZES_H_

#include <cstddef>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"

namespace firstcall {

// The most instructions that a body may have, before and after it is simplified.
struct BodyLimits {
  size_t as_read = 0;
  size_t simplified = 0;
};

class BodySizes {
 public:
  // Whether the body of `function` is within `limits`, as far as its sizes are known.
  bool MayBeWithin(const BodyLimits& limits, SymbolOrdinal function) const
      ABSL_LOCKS_EXCLUDED(mutex_);

  void NoteAsRead(SymbolOrdinal function, size_t instructions) ABSL_LOCKS_EXCLUDED(mutex_);
  // See SimplifiedBodies.
  void NoteSimplified(SymbolOrdinal function, size_t instructions) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Sizes {
    size_t as_read = 0;  // 0 if it is not known.
    size_t simplified = 0;
  };

  mutable absl::Mutex mutex_;
  absl::flat_hash_map<SymbolOrdinal, Sizes> sizes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_BODY_SIZES_H_
