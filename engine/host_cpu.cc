#include "engine/host_cpu.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

namespace firstcall {

std::string DescribeHostCpu() {
  std::vector<std::string> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    features.push_back(absl::StrCat(feature.second ? "+" : "-", feature.first().str()));
  }
  // A hash table's order depends on the build of LLVM.
  std::sort(features.begin(), features.end());
  return absl::StrCat(llvm::sys::getHostCPUName().str(), " ", absl::StrJoin(features, ","));
}

}  // namespace firstcall
