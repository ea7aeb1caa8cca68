// Compares what the reader of bitcode makes of a module with what ir::LlvmReader makes of the same
// module as LLVM's own reader reads it. Both must give the same arrays, as ir::TextOf writes them.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_TESTS_BITCODE_COMPARE_READERS_H_
#define FIRSTCALL_TESTS_BITCODE_COMPARE_READERS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall::testing {

struct ReaderComparison {
  int equal = 0;  // Functions whose bodies are the same.
  // Unimplemented: the reason, without names and numbers, and how often it was given. A refusal of
  // a whole module counts once.
  std::map<std::string, int> refused;
  // What LLVM takes and the reader of bitcode calls invalid, with the reason.
  std::vector<std::string> invalid;
  // Modules and functions that differ, with the first line that does.
  std::vector<std::string> different;

  int refused_count() const;
  void Add(const ReaderComparison& other);
};

// `bitcode`: a module. InvalidArgument if LLVM cannot read the module, or its verifier refuses the
// module; then there is nothing to compare with. `is_damaged`: see BitcodeOrigin::kDamaged.
// Besides, nothing is compared if LLVM has given other names to intrinsics, or has found other
// bodies.
absl::StatusOr<ReaderComparison> CompareReaders(absl::string_view bitcode, bool is_damaged = false);

enum class Extras {
  kLocalNames,  // The names of local values.
  kNothing,
  kOrders,  // The names of local values, and the order of the uses of each value.
};

// The bitcode of a module in assembly text. InvalidArgument if LLVM cannot read the text.
absl::StatusOr<std::string> AssembleToBitcode(absl::string_view text,
                                              Extras extras = Extras::kLocalNames);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_BITCODE_COMPARE_READERS_H_
