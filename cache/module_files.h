// A cache that keeps the object of each module in a file of its own, named after the module as by
// lli's cache manager: the object of a/b.bc is DIRECTORY/a/b.o, or lies next to the module if there
// is no directory. Such a file is an ordinary object file. Digests of the signature and of the
// object follow the object, so that a file that was made from something else or is damaged is not
// used. A file that has not such an end was not written here, and is never replaced: it may be the
// module itself.
//
// Thread-safe. Processes may share a directory: a file appears complete or not at all.

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
  // Called with the reason if a file exists but cannot be used, or cannot be written.
  using Warn = std::function<void(absl::string_view message)>;

  // Creates `directory` if it does not exist; "" keeps each object next to its module.
  // PermissionDenied if the directory belongs to another user or others may write to it, because
  // its contents will run; Unavailable if it cannot be created or opened.
  static absl::StatusOr<std::unique_ptr<ModuleFiles>> Open(std::string directory, Warn warn);

  std::optional<Bytes> Find(const ObjectKey& key) override;
  void Store(const ObjectKey& key, Bytes object) override;

 private:
  ModuleFiles(std::string directory, Warn warn)
      : directory_(std::move(directory)), warn_(std::move(warn)) {}

  std::string PathOf(const ObjectKey& key) const;

  const std::string directory_;
  const Warn warn_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_MODULE_FILES_H_
