// The features are those that llvm::sys::getHostCPUFeatures finds: on x86-64 bits of CPUID, and for
// features that need the AVX registers, that the system saves these registers. In a virtual machine
// each CPUID is a call of the hypervisor, so the dynamic linker's results are used where it has
// them (engine/host_cpu.cc).

#include "direct/host_target.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/triple.h"
#include "object/machine.h"
#include "third_party/llvm/version/data_layout.h"

#if defined(__x86_64__)
#include <cpuid.h>
#if __has_include(<sys/platform/x86.h>)
#define _Bool bool  // A word of C, which the header uses.
#include <sys/platform/x86.h>
#undef _Bool
#define FIRSTCALL_HAS_CPUID_LEAVES
#endif
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace firstcall::direct {
namespace {

#if defined(__x86_64__)

constexpr absl::string_view kTriple = "x86_64-pc-linux-gnu";
constexpr absl::string_view kLayout = llvm_version::kX8664Layout;

// The register ECX of CPUID's leaves 1 and 0x80000001; EAX and EDX of the second part of leaf 7.
struct Leaves {
  uint32_t basic = 0;
  uint32_t extended = 0;
  uint32_t later_eax = 0;
  uint32_t later_edx = 0;
};

Leaves ReadLeaves() {
  Leaves leaves;
#if defined(FIRSTCALL_HAS_CPUID_LEAVES)
  constexpr int kEax = 0, kEcx = 2, kEdx = 3;
  leaves.basic = __x86_get_cpuid_feature_leaf(CPUID_INDEX_1)->cpuid_array[kEcx];
  leaves.extended = __x86_get_cpuid_feature_leaf(CPUID_INDEX_80000001)->cpuid_array[kEcx];
  const unsigned* const later = __x86_get_cpuid_feature_leaf(CPUID_INDEX_7_ECX_1)->cpuid_array;
  leaves.later_eax = later[kEax];
  leaves.later_edx = later[kEdx];
#else
  uint32_t eax = 0, ebx = 0, edx = 0;
  __get_cpuid(1, &eax, &ebx, &leaves.basic, &edx);
  __get_cpuid(0x80000001, &eax, &ebx, &leaves.extended, &edx);
  uint32_t ecx = 0;
  __get_cpuid_count(7, 1, &leaves.later_eax, &ebx, &ecx, &leaves.later_edx);
#endif
  return leaves;
}

// Which registers the system saves, as XGETBV says; 0 if there is no AVX.
uint32_t SavedStates(uint32_t basic) {
  constexpr uint32_t kHasXgetbv = 1u << 27, kHasAvx = 1u << 28;
  if ((basic & kHasXgetbv) == 0 || (basic & kHasAvx) == 0) return 0;
  uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

std::vector<std::string> ReadFeatures() {
  constexpr uint32_t kFma = 1u << 12, kSse41 = 1u << 19, kPopcnt = 1u << 23, kFma4 = 1u << 16;
  constexpr uint32_t kF16c = 1u << 29, kCx16 = 1u << 13, kBf16 = 1u << 5, kNeConvert = 1u << 5;
  constexpr uint32_t kAvxStates = 0x06, kAvx512States = 0xe6;
  const Leaves leaves = ReadLeaves();
  const uint32_t states = SavedStates(leaves.basic);
  const bool saves_avx = (states & kAvxStates) == kAvxStates;
  const bool saves_avx512 = (states & kAvx512States) == kAvx512States;
  std::vector<std::string> features;
  features.reserve(9);
  if ((leaves.basic & kSse41) != 0) features.push_back("sse4.1");
  if ((leaves.basic & kPopcnt) != 0) features.push_back("popcnt");
  if ((leaves.basic & kFma) != 0 && saves_avx) features.push_back("fma");
  if ((leaves.extended & kFma4) != 0 && saves_avx) features.push_back("fma4");
  if ((leaves.basic & kF16c) != 0 && saves_avx) features.push_back("f16c");
  if ((leaves.basic & kCx16) != 0) features.push_back("cx16");
  if (saves_avx) features.push_back("avx");
  if ((leaves.later_eax & kBf16) != 0 && saves_avx512) features.push_back("avx512bf16");
  if ((leaves.later_edx & kNeConvert) != 0 && saves_avx) features.push_back("avxneconvert");
  return features;
}

#elif defined(__aarch64__)

constexpr absl::string_view kTriple = "aarch64-unknown-linux-gnu";
constexpr absl::string_view kLayout = llvm_version::kAArch64Layout;

std::vector<std::string> ReadFeatures() {
  constexpr unsigned long kHasAtomics = 1ul << 8;  // HWCAP_ATOMICS.
  if ((getauxval(AT_HWCAP) & kHasAtomics) == 0) return {};
  return {"lse"};
}

#else

constexpr absl::string_view kTriple = "";
constexpr absl::string_view kLayout = "";

std::vector<std::string> ReadFeatures() { return {}; }

#endif

// The third part of a triple, without the version that may follow the system's name.
bool IsForLinux(absl::string_view triple) {
  for (int i = 0; i < 2; ++i) {
    const size_t hyphen = triple.find('-');
    if (hyphen == absl::string_view::npos) return false;
    triple.remove_prefix(hyphen + 1);
  }
  return triple.substr(0, 5) == "linux";
}

}  // namespace

bool IsHostTarget(const TargetSettings& settings) {
  return settings.codegen_level == CodegenLevel::kO0 &&
         (settings.backend == Backend::kAuto || settings.backend == Backend::kBaseline) &&
         settings.baseline != Baseline::kOff && settings.triple.empty() &&
         settings.architecture.empty() && settings.cpu.empty() && settings.features.empty() &&
         !settings.relocation_model && !settings.code_model && settings.llvm_arguments.empty() &&
         settings.target_options == nullptr && !kTriple.empty();
}

bitcode::DefaultTarget HostTarget() { return {kTriple, kLayout}; }

absl::Span<const char* const> FeatureNames() {
  return baseline::BaselineCompiler::Features(kTriple);
}

std::vector<std::string> HostFeatures() {
  static const auto* const features = new std::vector<std::string>(ReadFeatures());
  return *features;
}

absl::Status CheckTarget(absl::string_view triple, absl::string_view layout) {
  if (baseline::MachineOf(triple) != HostMachine() || !IsForLinux(triple) ||
      !baseline::HasElfOrMacho(triple) || absl::EndsWith(triple, "macho")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its triple '", triple, "' conflicts with the engine's target '", kTriple, "'"));
  }
  if (layout != kLayout) {
    return absl::InvalidArgumentError(
        absl::StrCat("its data layout '", layout, "' conflicts with the engine's '", kLayout, "'"));
  }
  return absl::OkStatus();
}

}  // namespace firstcall::direct
