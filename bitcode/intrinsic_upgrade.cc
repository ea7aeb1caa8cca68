#include "bitcode/intrinsic_upgrade.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace firstcall::bitcode {
namespace {

// What a name begins with, behind "llvm.", of the intrinsics that LLVM replaces.
constexpr absl::string_view kReplaced[] = {
    "dbg.addr",
    "flt.rounds",
    "experimental.vector.deinterleave2",
    "experimental.vector.extract.",
    "experimental.vector.insert.",
    "experimental.vector.interleave2",
    "experimental.vector.reverse",
    "experimental.vector.splice",
    "aarch64.sve.bfdot.lane",
    "aarch64.sve.bfmlalb.lane",
    "aarch64.sve.bfmlalt.lane",
    "aarch64.sve.ld2.",
    "aarch64.sve.ld3.",
    "aarch64.sve.ld4.",
    "aarch64.sve.tuple.",
    // Since LLVM 16, on bfloat.
    "x86.avx512bf16.",
};

// The machines for which no code is made. (32-bit ARM is none of them only because some of its
// intrinsics are AArch64's, too.)
constexpr absl::string_view kForeign[] = {
    "amdgcn.", "bpf.",  "hexagon.", "mips.", "nvvm.", "ppc.",   "r600.",
    "riscv.",  "s390.", "spv.",     "ve.",   "wasm.", "xcore.",
};

}  // namespace

bool IsUpgradedIntrinsic(absl::string_view name, const ir::Type& type) {
  if (!absl::ConsumePrefix(&name, "llvm.")) return false;
  for (absl::string_view prefix : kReplaced) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  for (absl::string_view prefix : kForeign) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  // Has a third parameter since LLVM 18.
  return name == "coro.end" && type.IsFunction() && type.parameters().size() == 2;
}

}  // namespace firstcall::bitcode
