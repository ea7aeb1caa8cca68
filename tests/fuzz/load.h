// What is tested with damaged modules: they are added to an engine, what they define is looked up
// and compiled, and nothing of it runs. Every failure must come back as a status.

#ifndef FIRSTCALL_TESTS_FUZZ_LOAD_H_
#define FIRSTCALL_TESTS_FUZZ_LOAD_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/options.h"

namespace firstcall::testing {

// Adds `bytes`, which are bitcode if they start like it and text otherwise, to a new engine; then
// looks up and prepares each of `names`. Returns the first failure, if there is any, but goes on to
// the other names after one. Thread-safe.
absl::Status LoadAndPrepare(absl::string_view bytes, absl::Span<const absl::string_view> names,
                            Mode mode);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_FUZZ_LOAD_H_
