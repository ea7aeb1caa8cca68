// What all steps of the tutorial need of their process.

#ifndef FIRSTCALL_DOCS_TUTORIAL_CC_HOST_H_
#define FIRSTCALL_DOCS_TUTORIAL_CC_HOST_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "docs/tutorial/cc/program.h"

namespace pebble {

// Reads the program in a file; NotFound, or an error of Parse.
absl::StatusOr<Program> ReadProgram(const std::string& file);

// The address of a function that programs call and this process defines, "print" for now, or null.
void* FindHostFunction(absl::string_view name);

}  // namespace pebble

#endif  // FIRSTCALL_DOCS_TUTORIAL_CC_HOST_H_
