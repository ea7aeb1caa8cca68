// Decides where first bodies poll, and what that costs, as splitter/body_instrumentation does.
//
// Thread-compatible. Tested in tests/direct/direct_compiler_test.cc.

#ifndef FIRSTCALL_DIRECT_POLL_PLAN_H_
#define FIRSTCALL_DIRECT_POLL_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "direct/osr/loop_entries.h"
#include "direct/osr/poll_choice.h"
#include "ir/function.h"
#include "seam/compiler.h"
#include "seam/hotness_signs.h"

namespace firstcall::direct {

struct PollPlan {
  HotnessSigns signs = HotnessSigns::kNone;
  std::vector<uint32_t> loops;    // Where the body polls; the numbers of LoopEntries.
  bool asks_when_called = false;  // It polls at its beginning, too.

  bool has_polls() const { return !loops.empty() || asks_when_called; }
};

// Plans for `body`, as it was read. `keeps_optnone`: the function has `optnone`, and means it. Adds
// to `balance` what the function's size allows for polls, less what its polls take. If the plan has
// polls, `entries` are those of the body. Unimplemented if what LLVM would decide is not known.
absl::StatusOr<PollPlan> PlanPolls(const ir::Function& body, const PollOptions& options,
                                   bool keeps_optnone, int64_t& balance, LoopEntries& entries,
                                   PollChoice& choice);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_POLL_PLAN_H_
