#include "tools/isolation.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/variant_environment.h"

namespace firstcall {
namespace {

constexpr int kTimedOutStatus = 124;

bool is_child = false;

[[noreturn]] void ExitAs(const ChildEnd& end, const ChildLimits& limits) {
  switch (end.how) {
    case ChildEnd::How::kExited:
      std::exit(end.code);
    case ChildEnd::How::kTimedOut:
      std::fprintf(stderr, "firstcall: the isolated program was ended after %s\n",
                   absl::FormatDuration(limits.time).c_str());
      std::exit(kTimedOutStatus);
    case ChildEnd::How::kSignaled:
      break;
  }
  const bool has_limit = limits.memory != ChildLimits().memory;
  const std::string limit =
      has_limit ? absl::StrCat("; its memory was limited to ", limits.memory >> 20, " MiB") : "";
  std::fprintf(stderr, "firstcall: the isolated program was ended by signal %d (%s)%s\n", end.code,
               strsignal(end.code), limit.c_str());
  std::exit(128 + end.code);
}

}  // namespace

void Isolate(const ChildLimits& limits) {
  if (is_child) return;
  const absl::StatusOr<std::optional<ChildEnd>> end = ContinueInChild(limits);
  if (!end.ok()) {
    std::fprintf(stderr, "firstcall: %s\n", std::string(end.status().message()).c_str());
    std::exit(1);
  }
  if (*end) ExitAs(**end, limits);
  is_child = true;
}

// The parent's number makes sure that the mark is meant for this process.
void MarkIsolatedChild() {
  if (is_child) setenv(kIsolatedByVariable, absl::StrCat(getppid()).c_str(), /*replace=*/1);
}

void FindMarkOfIsolatedChild() {
  const char* const mark = std::getenv(kIsolatedByVariable);
  pid_t parent = 0;
  is_child = mark != nullptr && absl::SimpleAtoi(mark, &parent) && parent == getppid();
  unsetenv(kIsolatedByVariable);
}

}  // namespace firstcall
