// A directory of a cache, which is opened and checked once, and the packs in it.
//
// Immutable after Open, therefore thread-safe. Tested in tests/cache/disk_cache_test.cc.

#ifndef FIRSTCALL_CACHE_CACHE_DIRECTORY_H_
#define FIRSTCALL_CACHE_CACHE_DIRECTORY_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file.h"
#include "base/kept_file.h"

namespace firstcall {

class CacheDirectory {
 public:
  // Opens `path`. With kCreate, a missing directory is created, accessible to this user only.
  // PermissionDenied if the directory belongs to another user or others may write to it, because
  // its contents will run; Unavailable if it cannot be opened.
  enum class Existence { kMustExist, kCreate };
  static absl::StatusOr<std::unique_ptr<CacheDirectory>> Open(std::string path,
                                                              Existence existence);

  CacheDirectory(const CacheDirectory&) = delete;
  CacheDirectory& operator=(const CacheDirectory&) = delete;

  const std::string& path() const { return path_; }

  // An open descriptor of the directory: the directory that was checked is the one that is used. To
  // be asked for before each use (base/kept_file.h); negative if the program has closed it and it
  // is not at its path any more.
  int file() const { return file_.number(); }

  // The names of the packs in the directory, sorted. Unavailable if it cannot be read.
  absl::StatusOr<std::vector<std::string>> PackNames() const;

  // Removes a file; succeeds if the file does not exist. Unavailable if it cannot be removed.
  absl::Status Remove(const std::string& name) const;

 private:
  CacheDirectory(std::string path, File file);

  const std::string path_;
  const KeptFile file_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_CACHE_DIRECTORY_H_
