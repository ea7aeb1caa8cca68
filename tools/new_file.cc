#include "tools/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace firstcall {

File MakeNewFile(const std::string& path, int flags) {
  // Somebody may take the name again at once, but has no reason to go on for ever.
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // With O_EXCL no link is followed.
    File file(open(path.c_str(), flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (file.is_open() || errno != EEXIST) return file;
    if (unlink(path.c_str()) != 0 && errno != ENOENT) break;
  }
  return File();
}

}  // namespace firstcall
