// Limits of what this process may use, for as long as an object lives.
//
// For one thread at a time.

#ifndef FIRSTCALL_TESTS_TESTING_LIMITS_H_
#define FIRSTCALL_TESTS_TESTING_LIMITS_H_

#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <iterator>

#include "absl/base/config.h"
#include "gtest/gtest.h"

namespace firstcall::testing {

// Whether a sanitizer watches this process that opens a pipe before it looks at an object of a type
// that is new to it, and takes the object for a wrong one if it gets none. Tests in which no file
// can be opened are skipped then.
#if ABSL_HAVE_FEATURE(undefined_behavior_sanitizer)
inline constexpr bool kSanitizerOpensPipes = true;
#else
inline constexpr bool kSanitizerOpensPipes = false;
#endif

// The limit of a resource, such as RLIMIT_NOFILE.
class LimitTo {
 public:
  LimitTo(decltype(RLIMIT_AS) resource, rlim_t limit) : resource_(resource) {
    EXPECT_EQ(getrlimit(resource_, &before_), 0);
    rlimit now = before_;
    now.rlim_cur = limit;
    EXPECT_EQ(setrlimit(resource_, &now), 0);
  }
  ~LimitTo() { EXPECT_EQ(setrlimit(resource_, &before_), 0); }
  LimitTo(const LimitTo&) = delete;
  LimitTo& operator=(const LimitTo&) = delete;

 private:
  const decltype(RLIMIT_AS) resource_;
  rlimit before_ = {};
};

// The size of files, in bytes (RLIMIT_FSIZE). The signal that the system sends beside its error is
// ignored.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes)
      : old_handler_(signal(SIGXFSZ, SIG_IGN)), limit_(RLIMIT_FSIZE, bytes) {}
  ~FileSizeLimit() { signal(SIGXFSZ, old_handler_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*const old_handler_)(int);
  const LimitTo limit_;
};

// How many files this process has open.
inline int OpenFiles() {
  const int with_the_directory =
      static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  return with_the_directory - 1;
}

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_TESTING_LIMITS_H_
