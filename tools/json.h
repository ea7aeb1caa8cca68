// Writes strings as JSON has them (RFC 8259). llvm::json would do it, too, but a start from the
// cache works without LLVM's libraries, and writes traces and reports all the same.
//
// Thread-safe. Tested in tests/command/observation_test.cc.

#ifndef FIRSTCALL_TOOLS_JSON_H_
#define FIRSTCALL_TOOLS_JSON_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firstcall {

// `text` in quotes. Bytes that are not UTF-8 become U+FFFD. "<" is escaped, so that the result can
// stand in a script of an HTML page.
std::string JsonString(absl::string_view text);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_JSON_H_
