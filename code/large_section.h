// The sections of large variables, which may be out of reach of code. Their names are those of the
// medium code model of x86-64 (psABI, 4.2.1).
//
// Thread-safe: constants and a pure function.

#ifndef FIRSTCALL_CODE_LARGE_SECTION_H_
#define FIRSTCALL_CODE_LARGE_SECTION_H_

#include "absl/strings/string_view.h"

namespace firstcall {

inline constexpr char kLargeZeroSection[] = ".lbss";
inline constexpr char kLargeDataSection[] = ".ldata";
inline constexpr char kLargeConstantSection[] = ".lrodata";

// Whether `name` is one of these, or one of these followed by a dot and more.
inline bool IsLargeSectionName(absl::string_view name) {
  for (const absl::string_view known :
       {kLargeZeroSection, kLargeDataSection, kLargeConstantSection}) {
    if (name.substr(0, known.size()) != known) continue;
    if (name.size() == known.size() || name[known.size()] == '.') return true;
  }
  return false;
}

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_LARGE_SECTION_H_
