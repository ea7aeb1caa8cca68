// Modules in LLVM IR that between them have every kind of instruction, constant and property that a
// reader of bitcode meets. Each module is valid, and says nothing of a target.
//
// Immutable.

#ifndef FIRSTCALL_TESTS_BITCODE_SAMPLES_H_
#define FIRSTCALL_TESTS_BITCODE_SAMPLES_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firstcall::testing {

struct Sample {
  absl::string_view name;  // In letters only.
  absl::string_view text;
  int refused = 0;  // Functions that the reader of bitcode leaves to LLVM.
};

absl::Span<const Sample> InstructionSamples();
absl::Span<const Sample> CallSamples();
absl::Span<const Sample> ConstantSamples();
absl::Span<const Sample> GlobalSamples();
absl::Span<const Sample> MetadataSamples();

// All of these, in this order.
std::vector<Sample> AllSamples();

// For messages of GoogleTest.
inline void PrintTo(const Sample& sample, std::ostream* stream) { *stream << sample.name; }

enum class SampleTarget { kX86_64, kAArch64 };

// The triple and the data layout of the target, for Linux.
absl::string_view TripleOf(SampleTarget target);
absl::string_view LayoutOf(SampleTarget target);
// The text of the sample, of a module for the target.
std::string TextFor(const Sample& sample, SampleTarget target);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_BITCODE_SAMPLES_H_
