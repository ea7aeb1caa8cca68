// Whether another body can take over from a function's first body, as splitter/body_instrumentation
// decides it.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/direct/direct_compiler_test.cc.

#ifndef FIRSTCALL_DIRECT_REPLACEABLE_BODY_H_
#define FIRSTCALL_DIRECT_REPLACEABLE_BODY_H_

#include "absl/status/statusor.h"
#include "direct/labels.h"
#include "direct/user_lists.h"
#include "ir/function.h"

namespace firstcall::direct {

class ReplaceableBody {
 public:
  // Whether `body`, as it was read, can be replaced. `keeps_optnone`: the function has `optnone`,
  // and means it. Unimplemented if what LLVM would decide is not known.
  absl::StatusOr<bool> IsReplaceable(const ir::Function& body, bool keeps_optnone);

 private:
  Labels labels_;
  UserLists users_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_REPLACEABLE_BODY_H_
