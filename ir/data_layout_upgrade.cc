// What LLVM adds to the data layouts of older bitcode: DataLayout::Upgraded.

#include <cstddef>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/data_layout.h"
#include "third_party/llvm/version/data_layout.h"

namespace firstcall::ir {
namespace {

constexpr absl::string_view kShortPointers = "-p270:32:32-p271:32:32-p272:64:64";
constexpr absl::string_view kAlignedI128 = "-i128:128";
constexpr absl::string_view kFunctionPointers = "-Fn32";

// The architecture of a triple: what precedes the first '-'.
absl::string_view ArchitectureOf(absl::string_view triple) {
  return triple.substr(0, triple.find('-'));
}

bool IsX86(absl::string_view architecture) {
  return architecture == "x86_64" || architecture == "amd64" || architecture == "x86_64h";
}

bool IsAArch64(absl::string_view architecture) {
  return architecture == "aarch64" || architecture == "arm64" || architecture == "arm64e" ||
         architecture == "arm64ec";
}

// Whether the address spaces of short pointers may stand in front of `rest`.
bool MayFollowShortPointers(absl::string_view rest) {
  if constexpr (llvm_version::kHasShortPointersEverywhere) return absl::StartsWith(rest, "-");
  return absl::StartsWith(rest, "-i64:") || absl::StartsWith(rest, "-f64:");
}

// Adds the address spaces of 32-bit and 64-bit pointers to a layout that begins with the byte order
// and the mangling, perhaps with pointers of 32 bits, and goes on with what may follow.
void AddShortPointers(std::string& layout) {
  if (absl::StrContains(layout, kShortPointers)) return;
  absl::string_view rest = layout;
  if (!absl::ConsumePrefix(&rest, "e-m:") &&
      !(llvm_version::kHasShortPointersEverywhere && absl::ConsumePrefix(&rest, "E-m:"))) {
    return;
  }
  if (rest.empty() || rest[0] < 'a' || rest[0] > 'z') return;
  rest.remove_prefix(1);
  absl::string_view behind_pointers = rest;
  if (absl::ConsumePrefix(&behind_pointers, "-p:32:32") &&
      MayFollowShortPointers(behind_pointers)) {
    rest = behind_pointers;
  }
  if (!MayFollowShortPointers(rest)) return;
  const size_t place = layout.size() - rest.size();
  layout.insert(place, kShortPointers.data(), kShortPointers.size());
}

bool IsFirstPart(absl::string_view specification) {
  return !specification.empty() &&
         (specification[0] == 'm' || specification[0] == 'p' || specification[0] == 'i');
}

// Adds the alignment of i128 behind the first specifications, those of the mangling, pointers and
// integers, unless others of these kinds follow later.
void AddAlignedI128(std::string& layout) {
  if (absl::StrContains(layout, kAlignedI128)) return;
  if (layout.empty() || layout[0] != 'e' || (layout.size() > 1 && layout[1] != '-')) return;
  size_t place = layout.size();
  for (size_t dash = layout.find('-'); dash != std::string::npos;
       dash = layout.find('-', dash + 1)) {
    const bool is_first_part = IsFirstPart(absl::string_view(layout).substr(dash + 1));
    if (!is_first_part && place == layout.size()) place = dash;
    if (is_first_part && place != layout.size()) return;
  }
  layout.insert(place, kAlignedI128.data(), kAlignedI128.size());
}

}  // namespace

std::string DataLayout::Upgraded(absl::string_view text, absl::string_view triple) {
  std::string layout(text);
  const absl::string_view architecture = ArchitectureOf(triple);
  if (IsAArch64(architecture)) {
    if (!layout.empty() && !absl::StrContains(layout, kFunctionPointers)) {
      absl::StrAppend(&layout, kFunctionPointers);
    }
    if constexpr (llvm_version::kHasShortPointersEverywhere) AddShortPointers(layout);
  } else if (IsX86(architecture)) {
    AddShortPointers(layout);
    // The operating system Intel MCU keeps the small alignment.
    if (!absl::StrContains(triple, "-elfiamcu")) AddAlignedI128(layout);
  }
  return layout;
}

}  // namespace firstcall::ir
