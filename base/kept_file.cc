#include "base/kept_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/absolute_path.h"

namespace firstcall {

KeptFile::KeptFile(File file, std::string path, int flags) : flags_(flags) {
  struct stat status = {};
  if (fstat(file.number(), &status) != 0) return;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  // To open a pipe or a device has effects.
  const bool can_be_opened_again = S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
  if (can_be_opened_again) path_ = AbsolutePath(path);
  const int high = fcntl(file.number(), F_DUPFD_CLOEXEC, kLeastNumber);
  number_ = high < 0 ? file.Release() : high;
}

bool KeptFile::IsTheFile(int number) const {
  struct stat status = {};
  return fstat(number, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

int KeptFile::number() const {
  int number = number_.load(std::memory_order_acquire);
  if (number < 0 || IsTheFile(number)) return number;
  if (path_.empty()) return -1;
  KeptFile again(File(open(path_.c_str(), flags_ | O_CLOEXEC | O_NONBLOCK)));
  if (again.number_ < 0 || !IsTheFile(again.number_)) return -1;
  // Otherwise another thread has opened it, too.
  if (number_.compare_exchange_strong(number, again.number_)) again.number_ = -1;
  return number_;
}

void KeptFile::Close() {
  const int number = number_.exchange(-1);
  if (number >= 0 && IsTheFile(number)) close(number);
}

}  // namespace firstcall
