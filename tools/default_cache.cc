#include "tools/default_cache.h"

#include <sys/auxv.h>

#include <cstdlib>

namespace firstcall {
namespace {

// The XDG base directory specification: a path that is not absolute is to be ignored.
std::string AbsoluteFrom(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

const char kDefaultCachePolicy[] = "prune_after=168h:cache_size=75%:cache_size_bytes=1g";

CacheChoice ChooseCache() {
  if (getauxval(AT_SECURE) != 0) return {};
  if (const char* chosen = std::getenv("FIRSTCALL_CACHE"); chosen != nullptr && *chosen != '\0') {
    if (std::string(chosen) == "off") return {};
    return {chosen, /*is_chosen=*/true};
  }
  std::string base = AbsoluteFrom("XDG_CACHE_HOME");
  if (base.empty()) {
    const std::string home = AbsoluteFrom("HOME");
    if (home.empty()) return {};
    base = home + "/.cache";
  }
  return {base + "/firstcall", /*is_chosen=*/false};
}

}  // namespace firstcall
