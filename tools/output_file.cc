#include "tools/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace firstcall {

OutputFile::OutputFile(std::string name, std::string header, size_t buffer_bytes)
    : name_(std::move(name)), header_(std::move(header)), buffer_bytes_(buffer_bytes) {}

OutputFile::~OutputFile() {
  if (file_ >= 0) close(file_);
}

bool OutputFile::Open() {
  if (has_failed_) return false;
  if (file_ >= 0 && owner_ == getpid()) return true;
  const bool is_child = owner_ != 0;
  if (is_child) {
    // What the parent has buffered is the parent's to write.
    buffer_.clear();
    close(std::exchange(file_, -1));
    has_failed_ = !absl::StrContains(name_, "%p");
    if (has_failed_) return false;
  }
  owner_ = getpid();
  end_ = 0;
  const std::string path = absl::StrReplaceAll(name_, {{"%p", absl::StrCat(owner_)}});
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file_ < 0) {
    std::fprintf(stderr, "firstcall: warning: cannot write '%s': %s\n", path.c_str(),
                 std::strerror(errno));
    has_failed_ = true;
    return false;
  }
  WriteOut(header_);
  return !has_failed_;
}

void OutputFile::WriteOut(absl::string_view bytes) {
  while (!bytes.empty() && !has_failed_) {
    const ssize_t count = pwrite(file_, bytes.data(), bytes.size(), end_);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      std::fprintf(stderr, "firstcall: warning: writing '%s': %s\n", name_.c_str(),
                   std::strerror(errno));
      has_failed_ = true;
      return;
    }
    end_ += count;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void OutputFile::Write(absl::string_view bytes) {
  absl::MutexLock lock(&mutex_);
  if (!Open()) return;
  absl::StrAppend(&buffer_, bytes);
  if (buffer_.size() < buffer_bytes_) return;
  WriteOut(buffer_);
  buffer_.clear();
}

void OutputFile::Flush(absl::string_view footer) {
  absl::MutexLock lock(&mutex_);
  if (!Open()) return;
  WriteOut(buffer_);
  buffer_.clear();
  const off_t end = end_;
  WriteOut(footer);
  end_ = end;
}

}  // namespace firstcall
