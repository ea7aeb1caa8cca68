// An open file that is closed with its owner.
//
// Thread-compatible.

#ifndef FIRSTCALL_BASE_FILE_H_
#define FIRSTCALL_BASE_FILE_H_

#include <unistd.h>

#include <utility>

namespace firstcall {

class File {
 public:
  File() = default;
  explicit File(int number) : number_(number) {}
  ~File() { Close(); }
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  // Negative if there is none.
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  int Release() { return std::exchange(number_, -1); }
  void Close() {
    if (is_open()) close(Release());
  }

 private:
  int number_ = -1;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_FILE_H_
