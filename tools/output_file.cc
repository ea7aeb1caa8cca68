#include "tools/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/absolute_path.h"
#include "base/file.h"
#include "base/forks.h"
#include "base/positioned_write.h"
#include "tools/new_file.h"
#include "tools/warnings.h"

namespace firstcall {
namespace {

constexpr size_t kMostPrepared = 64 << 10;

void WarnOfError(absl::string_view what, const std::string& path) {
  const int error = errno;
  Warn(absl::StrCat(what, " '", path, "': ", std::strerror(error)));
}

}  // namespace

OutputFile::OutputFile(const std::string& name, std::string header, Name kind)
    : name_(AbsolutePath(name)),
      kind_(kind),
      header_(std::move(header)),
      maker_(ProcessIdentity()) {}

bool OutputFile::Open() {
  if (owner_ == ProcessIdentity()) return !has_failed_;
  owner_ = ProcessIdentity();
  if (file_) {
    // What the parent has prepared is the parent's to write.
    prepared_.clear();
    file_.reset();
  }
  has_failed_ = owner_ != maker_ && !absl::StrContains(name_, "%p");
  if (has_failed_) return false;
  end_ = 0;
  path_ = absl::StrReplaceAll(name_, {{"%p", absl::StrCat(getpid())}});
  File file = kind_ == Name::kGenerated
                  ? MakeNewFile(path_, O_WRONLY)
                  : File(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.is_open()) {
    WarnOfError("cannot write", path_);
    has_failed_ = true;
    return false;
  }
  is_stream_ = lseek(file.number(), 0, SEEK_CUR) < 0;
  const int no_links = kind_ == Name::kGenerated ? O_NOFOLLOW : 0;
  file_.emplace(std::move(file), path_, O_WRONLY | no_links);
  WriteOut(header_);
  return !has_failed_;
}

void OutputFile::WriteOut(absl::string_view bytes) {
  while (!bytes.empty() && !has_failed_) {
    const int file = file_->number();
    const ssize_t count = is_stream_ ? write(file, bytes.data(), bytes.size())
                                     : PositionedWrite(file, bytes, static_cast<uint64_t>(end_));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      WarnOfError("writing", path_);
      has_failed_ = true;
      return;
    }
    end_ += count;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void OutputFile::WritePrepared() {
  WriteOut(prepared_);
  prepared_.clear();
}

void OutputFile::Write(absl::string_view bytes) {
  absl::MutexLock lock(&mutex_);
  if (!Open()) return;
  if (prepared_.empty()) return WriteOut(bytes);
  prepared_.append(bytes.data(), bytes.size());
  WritePrepared();
}

void OutputFile::Prepare(absl::string_view bytes) {
  absl::MutexLock lock(&mutex_);
  if (!Open()) return;
  prepared_.append(bytes.data(), bytes.size());
  if (prepared_.size() >= kMostPrepared) WritePrepared();
}

void OutputFile::WriteFooter(absl::string_view footer) {
  absl::MutexLock lock(&mutex_);
  if (!Open()) return;
  WritePrepared();
  const off_t end = end_;
  WriteOut(footer);
  end_ = end;
}

}  // namespace firstcall
