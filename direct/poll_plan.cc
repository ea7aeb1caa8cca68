#include "direct/poll_plan.h"

#include <algorithm>

#include "base/status.h"
#include "direct/osr/frame_needs.h"
#include "ir/attributes.h"
#include "ir/global.h"
#include "seam/poll_allowance.h"

namespace firstcall::direct {
namespace {

// The limits of splitter/body_instrumentation.cc.
constexpr int64_t kLeastForPolls = 30;
constexpr int64_t kMostForPolls = 100;
constexpr int64_t kInstructionsPerMostForPolls = 4;

// Functions with these conventions cannot call others.
bool MayCallOthers(ir::CallingConvention convention) {
  constexpr ir::CallingConvention kGhc = 10, kHipe = 11, kAnyReg = 13, kX86Interrupt = 83;
  return convention != kGhc && convention != kHipe && convention != kAnyReg &&
         convention != kX86Interrupt;
}

bool CanBeReplaced(const ir::Function& body, bool keeps_optnone) {
  const ir::Global& function = body.global();
  return MayCallOthers(function.convention()) && !keeps_optnone && function.collector().empty() &&
         !body.attributes().function.Has(ir::Attribute::kPresplitCoroutine) &&
         !body.attributes().function.Has(ir::Attribute::kNaked);
}

int64_t CountInstructions(const ir::Function& body) {
  return std::count_if(body.instructions.begin(), body.instructions.end(),
                       [&](const ir::Instruction& instruction) {
                         return !instruction.IsCall() || !IsDebugCall(body, instruction);
                       });
}

}  // namespace

absl::StatusOr<PollPlan> PlanPolls(const ir::Function& body, const PollOptions& options,
                                   bool keeps_optnone, int64_t& balance, LoopEntries& entries,
                                   PollChoice& choice) {
  PollPlan plan;
  if (!CanBeReplaced(body, keeps_optnone)) return plan;
  entries.Begin(body);
  switch (entries.labels().place()) {
    case Labels::Place::kInside:
      break;
    case Labels::Place::kEscape:
      return plan;
    case Labels::Place::kUnknown:
      return absl::UnimplementedError("what becomes of labels is not known");
  }
  const bool has_loop = entries.size() > 0;
  if (has_loop) {
    const int64_t instructions = CountInstructions(body);
    balance += instructions / kInstructionsPerPoll;
    const int64_t allowance = std::min(options.allowance + balance,
                                       kMostForPolls + instructions / kInstructionsPerMostForPolls);
    if (allowance >= kLeastForPolls) {
      FIRSTCALL_RETURN_IF_ERROR(choice.Choose(body, entries, static_cast<size_t>(allowance)));
      plan.loops = choice.chosen();
      balance -= static_cast<int64_t>(choice.taken());
    }
  }
  plan.asks_when_called = options.asks_when_called;
  plan.signs =
      has_loop && plan.loops.empty() ? HotnessSigns::kCallsOnly : HotnessSigns::kCallsAndLoops;
  return plan;
}

}  // namespace firstcall::direct
