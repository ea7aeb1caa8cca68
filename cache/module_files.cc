#include "cache/module_files.h"

#include <sys/stat.h>

#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cache/cache_directory.h"
#include "cache/trust.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

namespace firstcall {
namespace {

// The object is followed by this mark, the digest of its signature, and its own digest.
constexpr absl::string_view kMark = "firstcall object";
using Digest = std::array<uint8_t, 32>;
constexpr size_t kTrailerSize = kMark.size() + 2 * sizeof(Digest);

llvm::StringRef ToLlvm(absl::string_view text) { return {text.data(), text.size()}; }

std::string DigestOf(absl::string_view text) {
  const Digest digest = llvm::SHA256::hash(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
}

std::string TrailerOf(absl::string_view signature, absl::string_view object) {
  return absl::StrCat(kMark, DigestOf(signature), DigestOf(object));
}

// The file gets its name when it is complete.
llvm::Error Write(llvm::StringRef path, absl::string_view object, absl::string_view trailer) {
  namespace fs = llvm::sys::fs;
  const llvm::StringRef directory = llvm::sys::path::parent_path(path);
  if (std::error_code error =
          fs::create_directories(directory, /*IgnoreExisting=*/true, fs::owner_all)) {
    return llvm::errorCodeToError(error);
  }
  llvm::Expected<fs::TempFile> file =
      fs::TempFile::create(path + ".%%%%%%%%", fs::owner_read | fs::owner_write);
  if (!file) return file.takeError();
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << ToLlvm(object) << ToLlvm(trailer);
  stream.flush();
  if (!stream.has_error()) return file->keep(path);
  llvm::Error error = llvm::errorCodeToError(stream.error());
  stream.clear_error();
  return llvm::joinErrors(std::move(error), file->discard());
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
  llvm::SmallString<128> path(directory_);
  // A module's ".." must not lead out of the directory.
  llvm::SmallString<128> module(ToLlvm(key.module));
  if (!directory_.empty()) {
    llvm::sys::fs::make_absolute(module);
    llvm::sys::path::remove_dots(module, /*remove_dot_dot=*/true);
  }
  llvm::sys::path::append(path, llvm::sys::path::relative_path(module));
  if (directory_.empty()) path = module;
  llvm::sys::path::replace_extension(path, "o");
  return path.str().str();
}

std::optional<ObjectCache::Bytes> ModuleFiles::Find(const ObjectKey& key) {
  if (key.part.kind != ModulePart::Kind::kModule) return std::nullopt;
  const std::string path = PathOf(key);
  const auto reject = [&](absl::string_view reason) {
    warn_(absl::StrCat("cached object '", path, "' is not used: ", reason));
    return std::nullopt;
  };
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return std::nullopt;
  }
  struct stat status = {};
  auto buffer = llvm::MemoryBuffer::getOpenFile(*file, path, /*FileSize=*/-1,
                                                /*RequiresNullTerminator=*/false);
  const bool is_known = fstat(*file, &status) == 0;
  llvm::sys::fs::closeFile(*file);
  if (!buffer || !is_known) return reject("it cannot be read");
  if (std::string reason = ReasonForDistrust(status); !reason.empty()) return reject(reason);
  absl::string_view contents((*buffer)->getBufferStart(), (*buffer)->getBufferSize());
  if (contents.size() < kTrailerSize) return reject("it was not written by firstcall");
  const std::string trailer(contents.substr(contents.size() - kTrailerSize));
  contents.remove_suffix(kTrailerSize);
  if (!absl::StartsWith(trailer, kMark)) return reject("it was not written by firstcall");
  // Not worth a warning: the module or the options have changed.
  if (!absl::StartsWith(trailer, absl::StrCat(kMark, DigestOf(key.signature)))) return std::nullopt;
  // Copied before the check: the file may change while it is mapped.
  Bytes object(contents);
  if (trailer != TrailerOf(key.signature, object)) {
    return reject("it is damaged");
  }
  return object;
}

void ModuleFiles::Store(const ObjectKey& key, absl::string_view object) {
  if (key.part.kind != ModulePart::Kind::kModule) return;
  const std::string path = PathOf(key);
  if (llvm::Error error = Write(path, object, TrailerOf(key.signature, object))) {
    warn_(absl::StrCat("object '", path, "' is not kept: ", llvm::toString(std::move(error))));
  }
}

}  // namespace firstcall
