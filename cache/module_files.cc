#include "cache/module_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/file_io.h"
#include "base/status.h"
#include "cache/cache_directory.h"
#include "cache/trust.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/SHA256.h"

namespace firstcall {
namespace {

// The object is followed by this mark, the digest of its signature, and its own digest.
constexpr absl::string_view kMark = "firstcall object";
using Digest = std::array<uint8_t, 32>;
constexpr size_t kTrailerSize = kMark.size() + 2 * sizeof(Digest);

std::string DigestOf(absl::string_view text) {
  const Digest digest = llvm::SHA256::hash(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
}

std::string TrailerOf(absl::string_view signature, absl::string_view object) {
  return absl::StrCat(kMark, DigestOf(signature), DigestOf(object));
}

absl::Status SystemError() { return absl::UnavailableError(std::strerror(errno)); }

// Writes a file of which no other process sees a part: it gets its name when it is complete.
absl::Status Write(const std::filesystem::path& path, absl::string_view object,
                   absl::string_view trailer) {
  if (path.has_parent_path()) {
    FIRSTCALL_RETURN_IF_ERROR(CreateDirectories(path.parent_path().string()));
  }
  std::string new_path = absl::StrCat(path.string(), ".XXXXXX");
  const int file = mkostemp(new_path.data(), O_CLOEXEC);  // Accessible to this user only.
  if (file < 0) return SystemError();
  absl::Cleanup remove_file = [&] { unlink(new_path.c_str()); };
  absl::Status written = WriteAt(file, 0, object);
  if (written.ok()) written = WriteAt(file, object.size(), trailer);
  if (close(file) != 0 && written.ok()) written = SystemError();
  FIRSTCALL_RETURN_IF_ERROR(written);
  if (rename(new_path.c_str(), path.c_str()) != 0) return SystemError();
  std::move(remove_file).Cancel();
  return absl::OkStatus();
}

// Why a file of another kind at `path` stays; empty if the path is free, or has an object of ours.
std::string ReasonToKeep(const std::string& path) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) {
    return errno == ENOENT ? "" : absl::StrCat("there is a file already: ", std::strerror(errno));
  }
  struct stat status = {};
  std::string mark(kMark.size(), '\0');
  const bool is_ours = fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) &&
                       static_cast<uint64_t>(status.st_size) >= kTrailerSize &&
                       ReadAt(file.number(), static_cast<uint64_t>(status.st_size) - kTrailerSize,
                              mark.data(), mark.size())
                           .ok() &&
                       mark == kMark;
  return is_ours ? "" : "there is a file that firstcall did not write";
}

}  // namespace

absl::StatusOr<std::unique_ptr<ModuleFiles>> ModuleFiles::Open(std::string directory, Warn warn) {
  if (!directory.empty()) {
    FIRSTCALL_RETURN_IF_ERROR(
        CacheDirectory::Open(directory, CacheDirectory::Existence::kCreate).status());
  }
  return std::unique_ptr<ModuleFiles>(new ModuleFiles(std::move(directory), std::move(warn)));
}

std::string ModuleFiles::PathOf(const ObjectKey& key) const {
  std::filesystem::path path{std::string(key.module)};
  if (!directory_.empty()) {
    std::error_code error;
    std::filesystem::path working_directory = std::filesystem::current_path(error);
    if (error) working_directory = "/";
    // A module's ".." must not lead out of the directory, and cannot in an absolute path.
    path = directory_ / (working_directory / path).lexically_normal().relative_path();
  }
  return path.replace_extension("o").string();
}

std::optional<ObjectCache::Bytes> ModuleFiles::Find(const ObjectKey& key) {
  if (key.part.kind != ModulePart::Kind::kModule) return std::nullopt;
  const std::string path = PathOf(key);
  const auto reject = [&](absl::string_view reason) {
    warn_(absl::StrCat("cached object '", path, "' is not used: ", reason));
    return std::nullopt;
  };
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  absl::Cleanup close_file = [file] { close(file); };
  struct stat status = {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return reject("it cannot be read");
  if (std::string reason = ReasonForDistrust(status); !reason.empty()) return reject(reason);
  const uint64_t size = static_cast<uint64_t>(status.st_size);
  if (size < kTrailerSize) return reject("it was not written by firstcall");
  // The trailer comes first: of a file that is something else, however large, no more is read.
  std::string trailer(kTrailerSize, '\0');
  if (!ReadAt(file, size - kTrailerSize, trailer.data(), trailer.size()).ok()) {
    return reject("it cannot be read");
  }
  if (!absl::StartsWith(trailer, kMark)) return reject("it was not written by firstcall");
  // Not worth a warning: the module or the options have changed.
  if (!absl::StartsWith(trailer, absl::StrCat(kMark, DigestOf(key.signature)))) return std::nullopt;
  Bytes object(std::string(size - kTrailerSize, '\0'));
  if (!ReadAt(file, 0, object.data(), object.size()).ok()) return reject("it cannot be read");
  if (trailer != TrailerOf(key.signature, object)) return reject("it is damaged");
  return object;
}

void ModuleFiles::Store(const ObjectKey& key, Bytes object) {
  if (key.part.kind != ModulePart::Kind::kModule) return;
  const std::string path = PathOf(key);
  std::string reason =
      path == key.module ? "it would take the place of its module" : ReasonToKeep(path);
  if (reason.empty()) {
    reason = std::string(Write(path, object, TrailerOf(key.signature, object)).message());
  }
  if (!reason.empty()) warn_(absl::StrCat("object '", path, "' is not kept: ", reason));
}

}  // namespace firstcall
