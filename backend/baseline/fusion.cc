#include "backend/baseline/fusion.h"

#include "absl/strings/string_view.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace firstcall::baseline {
namespace {

llvm::StringRef ValueOf(const ir::AttributeSet& attributes, absl::string_view name) {
  const absl::string_view value = attributes.ValueOf(name);
  return {value.data(), value.size()};
}

}  // namespace

bool FusesMultiplications(const ir::AttributeSet& function, bool has_fusion) {
  const llvm::StringRef cpu = ValueOf(function, "target-cpu");
  const llvm::StringRef named = ValueOf(function, "target-features");
  if (cpu.empty() && named.empty()) return has_fusion;
  llvm::StringMap<bool> has;
  if (cpu.empty()) {
    has["fma"] = has_fusion;
  } else if (llvm::X86::parseArchX86(cpu) != llvm::X86::CK_None) {
    llvm::SmallVector<llvm::StringRef, 64> of_cpu;
    llvm::X86::getFeaturesForCPU(cpu, of_cpu);
    for (llvm::StringRef feature : of_cpu) has[feature] = true;
  }
  llvm::SmallVector<llvm::StringRef, 64> features;
  named.split(features, ',');
  for (llvm::StringRef feature : features) {
    const bool is_on = feature.consume_front("+");
    if (!is_on && !feature.consume_front("-")) continue;
    has[feature] = is_on;
    llvm::X86::updateImpliedFeatures(feature, is_on, has);
  }
  return has.lookup("fma") || has.lookup("fma4");
}

}  // namespace firstcall::baseline
