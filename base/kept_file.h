// A file that stays open while a program runs in this process. A program may close all descriptors,
// as daemons do (closefrom(3)), and then open files of its own under the same numbers. So whoever
// keeps a file from one call to the next asks, before each use, for its number.
//
// Thread-safe. Tested in tests/base/kept_file_test.cc.

#ifndef FIRSTCALL_BASE_KEPT_FILE_H_
#define FIRSTCALL_BASE_KEPT_FILE_H_

#include <sys/types.h>

#include <atomic>
#include <string>

#include "base/file.h"

namespace firstcall {

class KeptFile {
 public:
  // Kept files have numbers from this one on, if the limit of open files allows: a program's own
  // files get the numbers that they have without this library. It is below 64, up to which the
  // system needs no larger table of a process's files.
  static constexpr int kLeastNumber = 32;

  KeptFile() = default;
  // Takes over `file`. `path`, if it is not empty, is the path of a file or directory that is to be
  // opened again, with the flags of open(2) in `flags`, if the program has closed it.
  explicit KeptFile(File file, std::string path = "", int flags = 0);
  ~KeptFile() { Close(); }
  KeptFile(const KeptFile&) = delete;
  KeptFile& operator=(const KeptFile&) = delete;

  // The descriptor. Negative if there is none: the program has closed the file, and it could not be
  // opened again, or another file is at its path now. Async-signal-safe if there is no path.
  int number() const;

  // Closes the file, unless the program has done that. Then there is none. No other thread may use
  // the number meanwhile.
  void Close();

 private:
  bool IsTheFile(int number) const;

  mutable std::atomic<int> number_{-1};
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::string path_;
  int flags_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_KEPT_FILE_H_
