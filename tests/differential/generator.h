// Makes random programs: C of Csmith, IR of llvm-stress, or IR with random attributes.

#ifndef FIRSTCALL_TESTS_DIFFERENTIAL_GENERATOR_H_
#define FIRSTCALL_TESTS_DIFFERENTIAL_GENERATOR_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "tests/differential/program.h"

namespace firstcall::testing {

// Paths of what makes and runs the programs.
struct Tools {
  std::string firstcall;
  std::string clang;
  std::string csmith;
  std::string csmith_headers;  // directory
  std::string llvm_stress;
};

// The tools this binary was built with; `argv0` is its own name. NotFound if one is missing.
absl::StatusOr<Tools> FindTools(const std::string& argv0);

enum class Source { kCsmith, kStress, kAttributes };

std::string SourceName(Source source);

struct ProgramForm {
  // Only those ways to run it in which LLVM generates little code, because that takes long in an
  // emulator.
  bool is_quick = false;
  // With debug information and hardening (decoration.h). Programs with random attributes have none.
  bool is_decorated = false;
};

// Makes the program of `seed` in `directory`, which exists: IR as the front end makes it and
// optimized, executables of both, and the ways to run them. The same seed makes the same program.
// Internal if one of the tools fails. Thread-safe.
absl::StatusOr<Program> MakeProgram(const Tools& tools, Source source, uint32_t seed,
                                    const ProgramForm& form, const std::string& directory);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_DIFFERENTIAL_GENERATOR_H_
