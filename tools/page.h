// What the pages of --report and bench have in common: one HTML file that needs no other file and
// no network, with its data inside. It has light and dark colors, and fits a phone.
//
// Thread-safe: a pure function. Tested in tests/command/report_test.cc.

#ifndef FIRSTCALL_TOOLS_PAGE_H_
#define FIRSTCALL_TOOLS_PAGE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firstcall {

struct PageParts {
  absl::string_view body;    // HTML
  absl::string_view data;    // JSON, without "</"
  absl::string_view script;  // JavaScript, which can use `data` and the functions of page.cc
};

// When the script has come to its end, the body's attribute `data-ready` is "yes".
std::string Page(const PageParts& parts);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_PAGE_H_
