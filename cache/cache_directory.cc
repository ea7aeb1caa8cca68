#include "cache/cache_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file_io.h"
#include "cache/pack.h"
#include "cache/trust.h"

namespace firstcall {
namespace {

constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

}  // namespace

absl::StatusOr<std::unique_ptr<CacheDirectory>> CacheDirectory::Open(std::string path,
                                                                     Existence existence) {
  const std::string where = absl::StrCat("object cache '", path, "': ");
  if (existence == Existence::kCreate) {
    if (absl::Status created = CreateDirectories(path); !created.ok()) {
      return absl::UnavailableError(absl::StrCat(where, created.message()));
    }
  }
  File file(open(path.c_str(), kFlags));
  struct stat status = {};
  if (!file.is_open() || fstat(file.number(), &status) != 0) {
    return absl::UnavailableError(absl::StrCat(where, std::strerror(errno)));
  }
  if (std::string reason = ReasonForDistrust(status); !reason.empty()) {
    return absl::PermissionDeniedError(
        absl::StrCat(where, "not used, because its contents would run and ", reason));
  }
  return std::unique_ptr<CacheDirectory>(new CacheDirectory(std::move(path), std::move(file)));
}

CacheDirectory::CacheDirectory(std::string path, File file)
    : path_(std::move(path)), file_(std::move(file), path_, kFlags) {}

absl::StatusOr<std::vector<std::string>> CacheDirectory::PackNames() const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (absl::StartsWith(name, kPackPrefix) && absl::EndsWith(name, kPackSuffix)) {
      names.push_back(std::move(name));
    }
  }
  if (error) {
    return absl::UnavailableError(absl::StrCat("object cache '", path_, "': ", error.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status CacheDirectory::Remove(const std::string& name) const {
  if (unlinkat(file(), name.c_str(), 0) == 0 || errno == ENOENT) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("object cache '", path_, "/", name, "': ", std::strerror(errno)));
}

}  // namespace firstcall
