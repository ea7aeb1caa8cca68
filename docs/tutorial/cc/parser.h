// Reads programs in Pebble.

#ifndef FIRSTCALL_DOCS_TUTORIAL_CC_PARSER_H_
#define FIRSTCALL_DOCS_TUTORIAL_CC_PARSER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "docs/tutorial/cc/program.h"

namespace pebble {

// InvalidArgument, with the line and what was expected there, if the text is no program.
// Thread-safe.
absl::StatusOr<Program> Parse(absl::string_view text);

}  // namespace pebble

#endif  // FIRSTCALL_DOCS_TUTORIAL_CC_PARSER_H_
