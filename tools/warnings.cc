#include "tools/warnings.h"

#include <cstdio>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "tools/variant.h"

namespace firstcall {
namespace {

struct Warnings {
  absl::Mutex mutex;
  bool is_kept_back ABSL_GUARDED_BY(mutex) = MayBecomeTheOther();
  std::string kept ABSL_GUARDED_BY(mutex);
};

// Never destroyed: threads may warn until the process has ended.
Warnings& All() {
  static auto* const all = new Warnings;
  return *all;
}

}  // namespace

void Warn(absl::string_view message) {
  const std::string line = absl::StrCat("firstcall: warning: ", message, "\n");
  Warnings& all = All();
  absl::MutexLock lock(&all.mutex);
  if (all.is_kept_back) {
    all.kept += line;
  } else {
    std::fputs(line.c_str(), stderr);
  }
}

void PrintWarnings() {
  Warnings& all = All();
  absl::MutexLock lock(&all.mutex);
  std::fputs(all.kept.c_str(), stderr);
  all.kept.clear();
  all.is_kept_back = false;
}

}  // namespace firstcall
