// A random program in all the forms in which it is run. Plain values.

#ifndef FIRSTCALL_TESTS_DIFFERENTIAL_PROGRAM_H_
#define FIRSTCALL_TESTS_DIFFERENTIAL_PROGRAM_H_

#include <array>
#include <string>
#include <vector>

namespace firstcall::testing {

// One way for firstcall to run the program.
struct Variant {
  std::string module;  // file in the program's directory
  std::vector<std::string> options;
  size_t native = 0;  // which of the executables was made of the same IR
};

struct Program {
  std::string directory;
  std::array<std::string, 2> natives;  // executables in the directory, at different levels
  std::vector<Variant> variants;
  std::vector<std::string> arguments;
};

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_DIFFERENTIAL_PROGRAM_H_
