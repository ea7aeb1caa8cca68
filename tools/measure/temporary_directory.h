// A new directory below the system's one for temporary files, which lasts as long as its owner.

#ifndef FIRSTCALL_TOOLS_MEASURE_TEMPORARY_DIRECTORY_H_
#define FIRSTCALL_TOOLS_MEASURE_TEMPORARY_DIRECTORY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall::measure {

class TemporaryDirectory {
 public:
  // Its name begins with `prefix`. Only its owner may read it. Unavailable, with the path and the
  // system's reason, if it cannot be made.
  static absl::StatusOr<TemporaryDirectory> Make(absl::string_view prefix);

  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  // Removes it with all that is in it, as far as that is possible.
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }
  // Leaves the directory where it is, and returns its path.
  std::string Keep() &&;

 private:
  explicit TemporaryDirectory(std::string path);

  std::string path_;  // Empty if there is nothing to remove.
};

}  // namespace firstcall::measure

#endif  // FIRSTCALL_TOOLS_MEASURE_TEMPORARY_DIRECTORY_H_
