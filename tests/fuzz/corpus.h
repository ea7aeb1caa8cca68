// Good modules to start from: between them they have one of most things bitcode can hold.
// Immutable.

#ifndef FIRSTCALL_TESTS_FUZZ_CORPUS_H_
#define FIRSTCALL_TESTS_FUZZ_CORPUS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firstcall::testing {

// As text; each defines all of CorpusNames.
extern const absl::string_view kArithmeticModule;
extern const absl::string_view kTypesModule;
extern const absl::string_view kControlModule;  // and metadata
std::vector<absl::string_view> CorpusModules();

// Functions.
absl::Span<const absl::string_view> CorpusNames();

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_FUZZ_CORPUS_H_
