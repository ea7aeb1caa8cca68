// An object cache for tests.

#ifndef FIRSTCALL_TESTS_API_MEMORY_CACHE_H_
#define FIRSTCALL_TESTS_API_MEMORY_CACHE_H_

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "cache/object_cache.h"

namespace firstcall {

// Keeps everything, and lets the test look at it. Thread-safe.
class MemoryCache final : public ObjectCache {
 public:
  std::optional<Bytes> Find(const ObjectKey& key) override {
    absl::MutexLock lock(&mutex_);
    auto found = objects_.find(NameOf(key));
    if (found == objects_.end()) return std::nullopt;
    return Bytes(found->second);
  }

  void Store(const ObjectKey& key, Bytes object) override {
    absl::MutexLock lock(&mutex_);
    objects_[NameOf(key)] = std::string(object);
    ++stores_;
  }

  void Flush() override { ++flushes; }

  // What is kept of parts whose names contain `text`.
  std::vector<std::string> Objects(absl::string_view text) {
    absl::MutexLock lock(&mutex_);
    std::vector<std::string> objects;
    for (const auto& [name, object] : objects_) {
      if (absl::StrContains(name, text)) objects.push_back(object);
    }
    return objects;
  }

  void ReplaceAll(absl::string_view text, const std::string& bytes) {
    absl::MutexLock lock(&mutex_);
    for (auto& [name, object] : objects_) {
      if (absl::StrContains(name, text)) object = bytes;
    }
  }

  // How often something was stored.
  int stores() const {
    absl::MutexLock lock(&mutex_);
    return stores_;
  }
  std::atomic<int> flushes{0};

 private:
  static std::string NameOf(const ObjectKey& key) {
    return absl::StrCat(key.part.ToString(), "\n", key.signature);
  }

  mutable absl::Mutex mutex_;
  std::map<std::string, std::string> objects_ ABSL_GUARDED_BY(mutex_);
  int stores_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_API_MEMORY_CACHE_H_
