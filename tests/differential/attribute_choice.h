// Chooses attributes of LLVM IR at random, as text: all those on which optimized code for another
// CPU than the program's is allowed (backend/llvm/compared_constructs), and some others.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_DIFFERENTIAL_ATTRIBUTE_CHOICE_H_
#define FIRSTCALL_TESTS_DIFFERENTIAL_ATTRIBUTE_CHOICE_H_

#include <random>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firstcall::testing {

// What clang says of the CPU of each function, `main` included. (A function without these is for
// the machine's CPU, also with what is inlined into it.)
inline constexpr char kCpuAttributes[] =
    " \"target-cpu\"=\"x86-64\" \"target-features\"=\"+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87\" "
    "\"tune-cpu\"=\"generic\"";

using Random = std::mt19937;

// What is true of a function, so that attributes may say it.
struct FunctionTraits {
  bool is_pure = false;      // Only its arguments and its result matter.
  bool has_numbers = false;  // It computes with floating-point numbers.
  bool is_exact = false;     // All of these are small integers, in any order of the operations.
  bool may_not_inline = true;
};

// One of `choices`.
const char* OneOf(Random& random, const std::vector<const char*>& choices);

// True once in `n` times.
bool OnceIn(Random& random, unsigned n);

// With the CPU for which clang compiles. They begin with a space.
std::string FunctionAttributes(const FunctionTraits& traits, Random& random);

// Of a parameter, and of the argument in each call, as far as these must agree (`type`, with the
// attributes that say how it is passed); of the parameter alone; of an argument alone.
struct ParameterAttributes {
  std::string passed;
  std::string declared;
  std::string in_call;
};
// Pointers point to 1,024 bytes at a multiple of 64, which nothing else points to. They are only
// read if `is_read`. Integers are below 100.
ParameterAttributes AttributesOfParameter(absl::string_view type, bool is_read, Random& random);

// Of calls, without what the callee's parameters have.
std::string CallAttributes(Random& random);

// Of a function with a result of this type. LLVM's functions that preserve all vector registers
// also preserve the one in which they should return a floating-point number.
std::string CallingConvention(absl::string_view result, Random& random);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_DIFFERENTIAL_ATTRIBUTE_CHOICE_H_
