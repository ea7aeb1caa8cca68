// Where an object comes from: a code generator, or the client.
//
// Plain values. Tested in tests/api/baseline_test.cc and tests/api/mcjit_backend_test.cc.

#ifndef FIRSTCALL_SEAM_CODE_ORIGIN_H_
#define FIRSTCALL_SEAM_CODE_ORIGIN_H_

#include "absl/strings/string_view.h"

namespace firstcall {

// kUser: the client has added the object. kMcjit: LLVM's code generator, run by MCJIT.
enum class Generator { kLlvm, kBaseline, kUser, kMcjit };

struct CodeOrigin {
  Generator generator = Generator::kLlvm;
  // Why the baseline code generator did not make the object: a few words that are never freed.
  // Empty if it did make the object, or was not asked.
  absl::string_view refusal;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_CODE_ORIGIN_H_
