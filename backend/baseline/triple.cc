#include "backend/baseline/triple.h"

#include "absl/strings/match.h"

namespace firstcall::baseline {
namespace {

// The parts of a triple are architecture, vendor, system and environment. The last one may have
// hyphens.
constexpr int kParts = 4;

absl::string_view PartOf(absl::string_view triple, int part) {
  for (int i = 0; i < part; ++i) {
    const size_t hyphen = triple.find('-');
    if (hyphen == absl::string_view::npos) return {};
    triple.remove_prefix(hyphen + 1);
  }
  return part == kParts - 1 ? triple : triple.substr(0, triple.find('-'));
}

}  // namespace

Machine MachineOf(absl::string_view triple) {
  const absl::string_view name = PartOf(triple, 0);
  for (absl::string_view known : {"x86_64", "x86_64h", "amd64"}) {
    if (name == known) return Machine::kX86_64;
  }
  for (absl::string_view known : {"aarch64", "arm64", "arm64e", "arm64ec"}) {
    if (name == known) return Machine::kAArch64;
  }
  return Machine::kOther;
}

bool HasElfOrMacho(absl::string_view triple) {
  const absl::string_view environment = PartOf(triple, 3);
  for (absl::string_view other : {"coff", "goff", "wasm", "spirv"}) {
    if (absl::EndsWith(environment, other)) return false;
  }
  if (absl::EndsWith(environment, "elf") || absl::EndsWith(environment, "macho")) return true;
  const absl::string_view system = PartOf(triple, 2);
  for (absl::string_view other : {"windows", "win32", "uefi"}) {
    if (absl::StartsWith(system, other)) return false;
  }
  return true;
}

bool IsLinux(absl::string_view triple) {
  return absl::StartsWith(PartOf(triple, 2), "linux") &&
         !absl::StartsWith(PartOf(triple, 3), "android");
}

}  // namespace firstcall::baseline
