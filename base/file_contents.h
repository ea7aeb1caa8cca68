// The bytes of a file, or bytes in memory, with a zero byte behind the last one.
//
// Immutable but for Discard, therefore thread-safe. Tested in tests/base/file_contents_test.cc.

#ifndef FIRSTCALL_BASE_FILE_CONTENTS_H_
#define FIRSTCALL_BASE_FILE_CONTENTS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_identity.h"

namespace firstcall {

class FileContents : public std::enable_shared_from_this<FileContents> {
 public:
  // Reads the file `path` ("-": standard input, to its end). Large files are mapped, so that only
  // the pages that are used are read: see Settled. NotFound, with the system's reason, if it cannot
  // be read.
  static absl::StatusOr<std::shared_ptr<const FileContents>> Read(const std::string& path);

  static std::shared_ptr<const FileContents> Copy(absl::string_view bytes);

  // Maps the first `size` bytes of an open file, which has one more: a zero byte. Nobody may change
  // the file while this object exists. ResourceExhausted, with the system's reason, if that fails.
  static absl::StatusOr<std::shared_ptr<const FileContents>> Map(int file, size_t size);

  ~FileContents();
  FileContents(const FileContents&) = delete;
  FileContents& operator=(const FileContents&) = delete;

  // The byte behind the last one is zero.
  absl::string_view bytes() const { return bytes_; }

  // The same bytes in memory that does not change when somebody writes to the file, as compilers
  // and copying do: then pages of a mapped file have new contents, or none, and a signal is raised.
  //
  // The pages that were read so far are released, as by ReleasePages: the copy is read from now on.
  //
  // `digest` is what ContentDigest (base/content_digest) has made of the contents; empty if nobody
  // relies on them yet. It is compared if the file cannot be opened at its path any more, where its
  // identity would tell.
  //
  // FailedPrecondition if the file has been written to since it was opened; ResourceExhausted if
  // there is no memory, or, without a digest, no descriptor; Unavailable if the file cannot be
  // read.
  absl::StatusOr<std::shared_ptr<const FileContents>> Settled(absl::string_view digest = "") const;

  // Lets the system take back the memory of bytes that are mapped. They are read again when they
  // are used.
  void ReleasePages() const;

  // Gives back the memory of `part`, bytes() that nobody will read again. In memory that Settled
  // has made, the bytes of its whole pages are zero afterwards; otherwise nothing happens. No other
  // thread may read `part` meanwhile.
  void Discard(absl::string_view part) const;

  // The identity of the file when it was opened. Nothing for bytes in memory, and for what is not a
  // regular file.
  const std::optional<FileIdentity>& identity() const { return identity_; }

 private:
  FileContents() = default;
  absl::Status CopyFrom(const FileContents& mapped, absl::string_view digest);
  absl::Status CopyPages(const FileContents& mapped);
  absl::Status ReadAgain(int file, const FileContents& mapped);

  std::string path_;  // Of a mapped file that may change.
  // Either `copy_` has the bytes, or they are `mapped_`.
  std::string copy_;
  void* mapped_ = nullptr;
  size_t mapped_size_ = 0;
  bool is_anonymous_ = false;  // What is mapped is memory.
  absl::string_view bytes_;
  std::optional<FileIdentity> identity_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_FILE_CONTENTS_H_
