#include "base/keep_for_ever.h"

#include <atomic>
#include <utility>

namespace firstcall {

void KeepForEver(std::shared_ptr<void> object) {
  struct Kept {
    const std::shared_ptr<void> object;
    const Kept* next;
  };
  static std::atomic<const Kept*> all{nullptr};
  auto* kept = new Kept{std::move(object), all.load()};
  while (!all.compare_exchange_weak(kept->next, kept)) {
  }
}

}  // namespace firstcall
