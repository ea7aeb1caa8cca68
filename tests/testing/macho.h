// Mach-O objects for tests, made by LLVM from IR or assembly, as LLVM writes them.

#ifndef FIRSTCALL_TESTS_TESTING_MACHO_H_
#define FIRSTCALL_TESTS_TESTING_MACHO_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firstcall {

inline constexpr absl::string_view kX86_64Macho = "x86_64-unknown-linux-gnu-macho";
inline constexpr absl::string_view kAArch64Macho = "aarch64-unknown-linux-gnu-macho";

// The object of the module that `text` describes, for `triple`. Fails the running test and returns
// nothing if the text is wrong or cannot be compiled.
std::string CompileToMacho(absl::string_view text, absl::string_view triple);

// The same of assembly.
std::string AssembleToMacho(absl::string_view assembly, absl::string_view triple);

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_MACHO_H_
