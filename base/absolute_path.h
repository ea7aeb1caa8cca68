// Names a file for as long as the process runs: the program may change the working directory.

#ifndef FIRSTCALL_BASE_ABSOLUTE_PATH_H_
#define FIRSTCALL_BASE_ABSOLUTE_PATH_H_

#include <filesystem>
#include <string>
#include <system_error>

namespace firstcall {

// `path` in the working directory of now, or `path` itself if it is empty or absolute, or the
// directory is not known.
// Thread-safe.
inline std::string AbsolutePath(const std::string& path) {
  if (path.empty() || path.front() == '/') return path;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.string();
}

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_ABSOLUTE_PATH_H_
