#include "backend/baseline/function_features.h"

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

// `of_machine`: a feature that counts if the function names no CPU.
llvm::StringMap<bool> FeaturesOf(const ir::AttributeSet& function, llvm::StringRef of_machine) {
  const llvm::StringRef cpu = ValueOf(function, "target-cpu");
  llvm::StringMap<bool> has;
  if (cpu.empty()) {
    if (!of_machine.empty()) has[of_machine] = true;
  } else if (llvm::X86::parseArchX86(cpu) != llvm::X86::CK_None) {
    llvm::SmallVector<llvm::StringRef, 64> of_cpu;
    llvm::X86::getFeaturesForCPU(cpu, of_cpu);
    for (llvm::StringRef feature : of_cpu) {
      has[feature] = true;
      llvm::X86::updateImpliedFeatures(feature, true, has);
    }
  }
  llvm::SmallVector<llvm::StringRef, 64> features;
  ValueOf(function, "target-features").split(features, ',');
  for (llvm::StringRef feature : features) {
    const bool is_on = feature.consume_front("+");
    if (!is_on && !feature.consume_front("-")) continue;
    has[feature] = is_on;
    llvm::X86::updateImpliedFeatures(feature, is_on, has);
  }
  return has;
}

bool NamesFeatures(const ir::AttributeSet& function) {
  return function.HasString("target-cpu") || function.HasString("target-features");
}

}  // namespace

bool FusesMultiplications(const ir::AttributeSet& function, bool has_fusion) {
  if (!NamesFeatures(function)) return has_fusion;
  const llvm::StringMap<bool> has = FeaturesOf(function, has_fusion ? "fma" : "");
  return has.lookup("fma") || has.lookup("fma4");
}

// If the function names a CPU and no features, the features that the client has given for the
// machine count for LLVM, and those of the machine's CPU do not. Here both do.
bool UsesWideRegisters(const ir::AttributeSet& function, bool has_avx) {
  if (has_avx && !function.HasString("target-features")) return true;
  return FeaturesOf(function, has_avx ? "avx" : "").lookup("avx");
}

}  // namespace firstcall::baseline
