// A cache that keeps the object of each module in a file of its own, named after the module, as
// lli's cache manager does: a/b.bc is kept in DIRECTORY/a/b.o, or next to the module without a
// directory. Such a file is an ordinary object file. Digests of its
// signature and of itself follow the object, so that one that was made from something else, or that
// is damaged, is not used.
//
// Thread-safe; processes may share a directory: files appear complete or not at all.

#ifndef FIRSTCALL_CACHE_MODULE_FILES_H_
#define FIRSTCALL_CACHE_MODULE_FILES_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cache/object_cache.h"

namespace firstcall {

class ModuleFiles final : public ObjectCache {
 public:
  // Told what went wrong with a file that was there and could not be used, or could not be written.
  using Warn = std::function<void(absl::string_view message)>;

  // `directory` is created if it is not there; "" keeps each object next to its module.
  // PermissionDenied, because its contents will run, if it belongs to another user or others may
  // write to it; Unavailable if it cannot be created or opened.
  static absl::StatusOr<std::unique_ptr<ModuleFiles>> Open(std::string directory, Warn warn);

  std::optional<Bytes> Find(const ObjectKey& key) override;
  void Store(const ObjectKey& key, absl::string_view object) override;

 private:
  ModuleFiles(std::string directory, Warn warn)
      : directory_(std::move(directory)), warn_(std::move(warn)) {}

  std::string PathOf(const ObjectKey& key) const;

  const std::string directory_;
  const Warn warn_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_MODULE_FILES_H_
