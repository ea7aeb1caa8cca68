// A limit of the sizes of this process's files (RLIMIT_FSIZE), for as long as the object lives.
//
// The signal that the system sends beside its error is ignored. For one thread at a time.

#ifndef FIRSTCALL_TESTS_TESTING_FILE_SIZE_LIMIT_H_
#define FIRSTCALL_TESTS_TESTING_FILE_SIZE_LIMIT_H_

#include <signal.h>
#include <sys/resource.h>

#include "gtest/gtest.h"

namespace firstcall::testing {

class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &old_), 0);
    const rlimit limit = {bytes, old_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &old_), 0);
    signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_ = {};
  void (*const old_handler_)(int);
};

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_TESTING_FILE_SIZE_LIMIT_H_
