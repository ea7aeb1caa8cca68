#include "tools/freed_memory.h"

#include <malloc.h>

#include <cstdlib>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace firstcall {
namespace {

// glibc's own upper limits: what it adapts to, if a program frees a block of the first size
// (mallopt(3), M_MMAP_THRESHOLD).
constexpr int kLeastMappedBlock = 32 << 20;
constexpr int kMostFreedAtEnd = 2 * kLeastMappedBlock;

// The variables of mallopt(3) for the parameters that glibc adapts together, and its tunables.
bool HasUsersParameters() {
  constexpr const char* kVariables[] = {"MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_",
                                        "MALLOC_MMAP_THRESHOLD_", "MALLOC_MMAP_MAX_"};
  if (absl::c_any_of(kVariables, [](const char* name) { return std::getenv(name) != nullptr; })) {
    return true;
  }
  const char* tunables = std::getenv("GLIBC_TUNABLES");
  return tunables != nullptr && absl::StrContains(tunables, "glibc.malloc.");
}

}  // namespace

void KeepFreedMemory() {
  if (HasUsersParameters()) return;
  mallopt(M_MMAP_THRESHOLD, kLeastMappedBlock);
  mallopt(M_TRIM_THRESHOLD, kMostFreedAtEnd);
}

}  // namespace firstcall
