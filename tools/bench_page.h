// The page of `firstcall bench --html`: one HTML file that needs nothing else.
//
// Thread-safe: a pure function. Tested in tests/command/bench_test.cc.

#ifndef FIRSTCALL_TOOLS_BENCH_PAGE_H_
#define FIRSTCALL_TOOLS_BENCH_PAGE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firstcall {

// `data` is what FormatBenchJson returns.
std::string BenchPage(absl::string_view data);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_BENCH_PAGE_H_
