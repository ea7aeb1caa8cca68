// The page of --report: one HTML file that needs nothing else, with its data inside.
//
// Thread-safe: a pure function. Tested in tests/command/report_test.cc.

#ifndef FIRSTCALL_TOOLS_REPORT_PAGE_H_
#define FIRSTCALL_TOOLS_REPORT_PAGE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firstcall {

// `data` is the JSON that tools/report_file.cc describes, without "</".
std::string ReportPage(absl::string_view data);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_REPORT_PAGE_H_
