#include "tools/hot_functions_file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/promotion_stats.h"

namespace firstcall {
namespace {

// Never destroyed: they are used at exit.
const Engine* hot_engine = nullptr;
std::FILE* file = nullptr;

void Write() {
  for (const FunctionHotness& function : hot_engine->stats().promotions.functions) {
    if (function.tier == 0 && function.continuations == 0) continue;
    std::fprintf(file, "%s\n", function.function.c_str());
  }
  if (std::fclose(file) != 0) {
    std::fprintf(stderr, "firstcall: warning: the list of hot functions is not complete: %s\n",
                 std::strerror(errno));
  }
}

}  // namespace

absl::Status WriteHotFunctionsAtExit(const Engine& engine, const std::string& path) {
  file = std::fopen(path.c_str(), "we");
  if (file == nullptr) {
    return absl::PermissionDeniedError(
        absl::StrCat("writing hot functions to '", path, "': ", std::strerror(errno)));
  }
  hot_engine = &engine;
  std::atexit(Write);
  return absl::OkStatus();
}

}  // namespace firstcall
