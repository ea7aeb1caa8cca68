// Which code generator has made a first body.
//
// Plain value. Tested in tests/api/baseline_test.cc.

#ifndef FIRSTCALL_CODE_CODE_ORIGIN_H_
#define FIRSTCALL_CODE_CODE_ORIGIN_H_

#include "absl/strings/string_view.h"

namespace firstcall {

struct CodeOrigin {
  bool is_baseline = false;
  // Why the baseline code generator did not make it: a few words that are never freed. Empty if it
  // did, or was not asked.
  absl::string_view refusal;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_CODE_ORIGIN_H_
