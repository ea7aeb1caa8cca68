// The sections of large variables, which may be out of reach of code. Given objects have the names
// of the medium code model of x86-64 (psABI, 4.2.1). What is compiled here has another one for
// variables that are zero: LLVM 19 writes all the bytes of a variable that names `.lbss`.
//
// Thread-safe: constants and a pure function.

#ifndef FIRSTCALL_OBJECT_LARGE_SECTION_H_
#define FIRSTCALL_OBJECT_LARGE_SECTION_H_

#include "absl/strings/string_view.h"

namespace firstcall {

inline constexpr char kLargeZeroSection[] = ".bss.fc_large";
inline constexpr char kLargeDataSection[] = ".ldata";
inline constexpr char kLargeConstantSection[] = ".lrodata";

// Whether `name` is one of these or `.lbss`, or one of them followed by a dot and more.
inline bool IsLargeSectionName(absl::string_view name) {
  for (const absl::string_view known :
       {kLargeZeroSection, ".lbss", kLargeDataSection, kLargeConstantSection}) {
    if (name.substr(0, known.size()) != known) continue;
    if (name.size() == known.size() || name[known.size()] == '.') return true;
  }
  return false;
}

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_LARGE_SECTION_H_
