#include "tools/hot_functions_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/forks.h"
#include "base/kept_file.h"
#include "seam/promotion_stats.h"

namespace firstcall {
namespace {

// Never destroyed: they are used at exit.
const Engine* hot_engine = nullptr;
KeptFile* kept = nullptr;
uint64_t owner = 0;

void WarnOfLoss() {
  std::fprintf(stderr, "firstcall: warning: the list of hot functions is not complete: %s\n",
               std::strerror(errno));
}

// Of a forked child the file is not.
void Write() {
  if (ProcessIdentity() != owner) return;
  std::FILE* const file = fdopen(dup(kept->number()), "w");
  if (file == nullptr) return WarnOfLoss();
  for (const FunctionHotness& function : hot_engine->stats().promotions.functions) {
    if (function.tier == 0 && function.continuations == 0) continue;
    std::fprintf(file, "%s\n", function.function.c_str());
  }
  if (std::fclose(file) != 0) WarnOfLoss();
}

}  // namespace

absl::Status WriteHotFunctionsAtExit(const Engine& engine, const std::string& path) {
  File file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open()) {
    return absl::PermissionDeniedError(
        absl::StrCat("writing hot functions to '", path, "': ", std::strerror(errno)));
  }
  kept = new KeptFile(std::move(file), path, O_WRONLY);
  owner = ProcessIdentity();
  hot_engine = &engine;
  std::atexit(Write);
  return absl::OkStatus();
}

}  // namespace firstcall
