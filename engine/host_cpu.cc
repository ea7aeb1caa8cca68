// On x86-64 all that LLVM asks are results of the instruction CPUID. In a virtual machine each
// CPUID is a call of the hypervisor, which takes about as long as a page fault, and LLVM needs
// about sixteen. The dynamic linker has the same results already (since glibc 2.33), together with
// those features that the system has enabled.

#include "engine/host_cpu.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <cpuid.h>
#define _Bool bool  // A word of C, which the header uses.
#include <sys/platform/x86.h>
#undef _Bool
#else
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#endif

namespace firstcall {

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)

namespace {

// The linker's leaves are those of LLVM, but for the one with the version of AVX10.
constexpr unsigned kLeaves = CPUID_INDEX_14_ECX_0 + 1;
constexpr unsigned kAvx10Leaf = 0x24;
constexpr uint32_t kHasAvx10 = 1u << 19;  // In leaf 7.1, EDX.

enum Register { kEax, kEbx, kEcx, kEdx };

// Whether the value says what the CPU is, not which of a machine's processors this is or how much
// memory its state takes at the moment.
bool IsOfEachProcessor(unsigned leaf, int number) {
  return (leaf != CPUID_INDEX_1 || number != kEbx) &&
         (leaf != CPUID_INDEX_D_ECX_1 || number == kEax);
}

}  // namespace

std::string DescribeHostCpu() {
  uint32_t most = 0, vendor[3] = {};
  __cpuid(0, most, vendor[0], vendor[2], vendor[1]);
  char name[sizeof(vendor)];
  std::memcpy(name, vendor, sizeof(name));
  std::string text(name, strnlen(name, sizeof(name)));
  const auto add = [&text](uint32_t value) { absl::StrAppend(&text, absl::Hex(value), ","); };
  const uint32_t model = __x86_get_cpuid_feature_leaf(CPUID_INDEX_1)->cpuid_array[kEax];
  absl::StrAppend(&text, "-", absl::Hex(model), " ");
  add(most);
  for (unsigned leaf = 0; leaf < kLeaves; ++leaf) {
    const cpuid_feature& found = *__x86_get_cpuid_feature_leaf(leaf);
    for (int number : {kEax, kEbx, kEcx, kEdx}) {
      if (!IsOfEachProcessor(leaf, number)) continue;
      add(found.cpuid_array[number]);
      add(found.active_array[number]);
    }
  }
  if (__x86_get_cpuid_feature_leaf(CPUID_INDEX_7_ECX_1)->cpuid_array[kEdx] & kHasAvx10) {
    uint32_t values[4] = {};
    __cpuid_count(kAvx10Leaf, 0, values[0], values[1], values[2], values[3]);
    for (uint32_t value : values) add(value);
  }
  return text;
}

#else

std::string DescribeHostCpu() {
  std::vector<std::string> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    features.push_back(absl::StrCat(feature.second ? "+" : "-", feature.first().str()));
  }
  // A hash table's order depends on the build of LLVM.
  std::sort(features.begin(), features.end());
  return absl::StrCat(llvm::sys::getHostCPUName().str(), " ", absl::StrJoin(features, ","));
}

#endif

}  // namespace firstcall
