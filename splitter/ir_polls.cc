#include "splitter/ir_polls.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "seam/hotness_counter.h"
#include "seam/poll_allowance.h"
#include "splitter/osr/block_search.h"
#include "splitter/osr/hotness_polls.h"
#include "splitter/osr/loop_entries.h"

namespace firstcall {
namespace {

// With a smaller allowance there would often be no poll, and computing live-ins takes time.
constexpr int64_t kLeastForPolls = 30;

// The limit for the polls of one function, whatever the allowance, because they delay its first
// call: this constant, plus one instruction for each kInstructionsPerMostForPolls.
constexpr int64_t kMostForPolls = 100;
constexpr int64_t kInstructionsPerMostForPolls = 4;

}  // namespace

void IrPolls::Add(llvm::Function& body, Labels labels, absl::string_view counter, bool is_near) {
  llvm::GlobalVariable* const declared =
      DeclareHotnessCounter(*body.getParent(), std::string(counter), is_near);
  body.addFnAttr(kPollsAttribute, declared->getName());
  if (asks_when_called_) body.addFnAttr(kPollsWhenCalledAttribute);
  bodies_.push_back({&body, std::move(labels), declared});
}

HotnessOfBodies IrPolls::HotnessInCode() const {
  HotnessOfBodies hotness;
  for (const Body& body : bodies_) {
    hotness.hotness_signs.push_back(body.function == nullptr ? HotnessSigns::kNone
                                                             : HotnessSigns::kCallsAndLoops);
  }
  return hotness;
}

HotnessOfBodies IrPolls::Write(const std::function<void(llvm::Function&)>& annotate) {
  HotnessOfBodies hotness;
  for (const Body& body : bodies_) {
    hotness.hotness_signs.push_back(
        body.function == nullptr
            ? HotnessSigns::kNone
            : Write(body, &body == &bodies_.front() ? annotate : nullptr, hotness.poll_balance));
  }
  return hotness;
}

HotnessSigns IrPolls::Write(const Body& body, const std::function<void(llvm::Function&)>& annotate,
                            int64_t& balance) const {
  llvm::Function& function = *body.function;
  function.removeFnAttr(kPollsAttribute);
  function.removeFnAttr(kPollsWhenCalledAttribute);
  const bool has_loop = HasLoop(function);
  std::optional<LoopEntries> entries;
  std::vector<uint32_t> polls;
  if (has_loop) {
    const auto instructions = static_cast<int64_t>(CountInstructions(function));
    balance += instructions / kInstructionsPerPoll;
    const int64_t allowance =
        std::min(allowance_ + balance, kMostForPolls + instructions / kInstructionsPerMostForPolls);
    if (allowance >= kLeastForPolls) {
      entries.emplace(function, body.labels, LoopEntries::Purpose::kPolls);
      size_t taken = 0;
      polls = ChoosePolls(function, *entries, static_cast<size_t>(allowance), taken);
      balance -= static_cast<int64_t>(taken);
    }
  }
  if (asks_when_called_ && !entries) {
    entries.emplace(function, body.labels, LoopEntries::Purpose::kPolls);
  }
  if (annotate) annotate(function);
  if (!polls.empty() || asks_when_called_) {
    AddHotnessPolls(function, *body.counter, *entries, polls, asks_when_called_);
  } else {
    body.counter->eraseFromParent();
  }
  return has_loop && polls.empty() ? HotnessSigns::kCallsOnly : HotnessSigns::kCallsAndLoops;
}

}  // namespace firstcall
