#include "splitter/osr/loop_entries.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <utility>

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "splitter/osr/frame_intrinsics.h"
#include "splitter/osr/variable_liveness.h"
#include "third_party/llvm/version/instructions.h"

namespace firstcall {
namespace {

// Limits of entries for polls in IR. The most live-ins of one entry.
constexpr size_t kMaxLive = 128;
// The most blocks that are visited to find the live-ins of one entry: this constant, plus a number
// for each block of the function.
constexpr size_t kSteps = 1000;
constexpr size_t kStepsPerBlock = 8;
// The same for all entries of a function together; here the visited instructions count, too. When
// it is used up, further entries are impossible.
constexpr size_t kAllSteps = 200'000;
constexpr size_t kAllStepsPerBlock = 20;
// --- Loops ---

// Whether the function's code works only in the function's own frame.
bool NeedsItsFrame(llvm::Function& function) {
  if (function.hasGC() || function.isPresplitCoroutine()) return true;
  // The first body could not call the continuation, which saves other registers than C requires.
  if (function.hasFnAttribute("no_callee_saved_registers")) return true;
  if (function.hasPersonalityFn() &&
      llvm::isScopedEHPersonality(llvm::classifyEHPersonality(function.getPersonalityFn()))) {
    return true;
  }
  for (const llvm::Argument& argument : function.args()) {
    if (argument.hasSwiftErrorAttr() || argument.hasInAllocaAttr() ||
        argument.hasPreallocatedAttr()) {
      return true;
    }
  }
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::CallBrInst>(instruction)) return true;
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      if (variable->isSwiftError() || variable->isUsedWithInAlloca()) return true;
    }
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) continue;
    if (call->isMustTailCall() || call->hasFnAttr(llvm::Attribute::ReturnsTwice)) return true;
    if (DependsOnFrame(call->getIntrinsicID())) return true;
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::vastart:
      case llvm::Intrinsic::stackrestore:
      case llvm::Intrinsic::localescape:
      case llvm::Intrinsic::gcroot:
      case llvm::Intrinsic::swift_async_context_addr:
      case llvm::Intrinsic::call_preallocated_setup:
        return true;
      case llvm::Intrinsic::lifetime_start:
      case llvm::Intrinsic::lifetime_end:
        // The marker's object is unknown, so liveness cannot be computed.
        if (!llvm::isa<llvm::AllocaInst>(llvm_version::LifetimePointer(*call))) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

bool CanBeEntered(const llvm::BasicBlock& block) {
  return !block.isEHPad() && block.getFirstNonPHIIt() != block.end();
}

bool CanBePassed(const llvm::Value& value) {
  llvm::Type* type = value.getType();
  // A value of scalable size has no fixed place in the memory in which live-ins are passed.
  return type->isFirstClassType() && !type->isScalableTy() && !type->isTokenTy() &&
         !type->isLabelTy() && !type->isMetadataTy() && !type->isX86_AMXTy();
}

// The variables whose addresses may be in `values`: everything from which they were computed, other
// than by loads and comparisons, is considered.
llvm::SmallPtrSet<const llvm::Value*, 8> AddressesIn(llvm::ArrayRef<llvm::Value*> values) {
  llvm::SmallPtrSet<const llvm::Value*, 8> variables;
  llvm::SmallPtrSet<const llvm::Value*, 32> seen;
  llvm::SmallVector<const llvm::Value*, 32> pending(values.begin(), values.end());
  while (!pending.empty()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(pending.pop_back_val());
    if (instruction == nullptr || !seen.insert(instruction).second) continue;
    if (llvm::isa<llvm::AllocaInst>(instruction)) variables.insert(instruction);
    if (llvm::isa<llvm::LoadInst, llvm::CmpInst>(instruction)) continue;
    pending.append(instruction->op_begin(), instruction->op_end());
  }
  return variables;
}

}  // namespace

// llvm::Function::getInstructionCount is many times slower.
size_t CountInstructions(const llvm::Function& function) {
  size_t count = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) ++count;
  }
  return count;
}

std::vector<llvm::AllocaInst*> FrameVariables(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable != nullptr && variable->isStaticAlloca()) variables.push_back(variable);
  }
  return variables;
}

void EraseLifetimeMarks(llvm::AllocaInst& variable) {
  for (llvm::User* user : llvm::make_early_inc_range(variable.users())) {
    auto* instruction = llvm::cast<llvm::Instruction>(user);
    if (instruction->isLifetimeStartOrEnd()) instruction->eraseFromParent();
  }
}

// --- Liveness ---

// Finds the live values. A value is live at the beginning of a block if its own block dominates
// that block (so there are few candidates), and if it is used in code that the block reaches
// without passing through the value's own block again.
class LoopEntries::Liveness {
 public:
  Liveness(llvm::Function& function, const BlockGraph& graph, BlockSearch& search,
           llvm::ArrayRef<llvm::AllocaInst*> variables, llvm::ArrayRef<unsigned> points,
           bool is_limited)
      : function_(function),
        graph_(graph),
        search_(search),
        variables_(graph, variables, points),
        most_steps_(is_limited ? kSteps + kStepsPerBlock * graph_.size() : SIZE_MAX),
        all_steps_left_(is_limited ? kAllSteps + kAllStepsPerBlock * graph_.size() : SIZE_MAX) {}

  const VariableLiveness& variables() const { return variables_; }

  // The live values at `point`, without the frame's variables, in the order of the function.
  // Nothing if computing them takes too long.
  std::optional<std::vector<llvm::Value*>> At(llvm::BasicBlock& point) {
    if (all_steps_left_ == 0) return std::nullopt;
    steps_left_ = most_steps_;
    std::vector<llvm::Value*> live;
    const Blocks reached = Reach(Number(point), /*without=*/kNoBlock);
    for (llvm::Argument& argument : function_.args()) {
      if (IsUsed(argument, reached)) live.push_back(&argument);
    }
    for (const unsigned number : search_.Dominators(Number(point))) {
      bool is_exact = !reached.test(number);
      Blocks without;
      if (!is_exact) {
        // Control may return to this block.
        without = reached;
        without.reset(number);
        SpendOfAll(graph_.size() / kBlocksPerStep);
      }
      const Blocks& before = is_exact ? reached : without;
      SpendOfAll(1);
      if (steps_left_ == 0) return std::nullopt;
      for (llvm::Instruction& instruction : graph_.block(number)) {
        SpendOfAll(1);
        auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        if (variable != nullptr && variable->isStaticAlloca()) continue;
        if (!IsUsed(instruction, before)) continue;
        if (!std::exchange(is_exact, true)) {
          without = Reach(Number(point), number);
          if (!IsUsed(instruction, before)) continue;
        }
        live.push_back(&instruction);
      }
    }
    for (llvm::PHINode& phi : point.phis()) {
      if (!phi.use_empty()) live.push_back(&phi);
    }
    if (steps_left_ == 0) return std::nullopt;
    return live;
  }

 private:
  using Blocks = llvm::BitVector;
  static constexpr unsigned kNoBlock = UINT_MAX;
  static constexpr size_t kBlocksPerStep = 64;  // For copying a set of blocks.

  unsigned Number(const llvm::BasicBlock& block) const { return graph_.Number(block); }

  // The blocks that `from` reaches, including itself, on paths that do not enter `without`.
  Blocks Reach(unsigned from, unsigned without) {
    Blocks reached(static_cast<unsigned>(graph_.size()));
    reached.set(from);
    pending_.push_back(from);
    while (!pending_.empty()) {
      const unsigned block = pending_.pop_back_val();
      if (steps_left_ == 0) continue;
      --steps_left_;
      SpendOfAll(1);
      for (const unsigned next : graph_.Successors(block)) {
        if (next == without || reached.test(next)) continue;
        reached.set(next);
        pending_.push_back(next);
      }
    }
    return reached;
  }

  void SpendOfAll(size_t steps) { all_steps_left_ -= std::min(all_steps_left_, steps); }

  // Whether `value` is used in one of `blocks`. A phi uses it at the end of the incoming block.
  bool IsUsed(const llvm::Value& value, const Blocks& blocks) const {
    return llvm::any_of(value.uses(), [&](const llvm::Use& use) {
      const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (user == nullptr) return false;
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      return blocks.test(Number(phi != nullptr ? *phi->getIncomingBlock(use) : *user->getParent()));
    });
  }

  llvm::Function& function_;
  const BlockGraph& graph_;
  BlockSearch& search_;
  const VariableLiveness variables_;
  llvm::SmallVector<unsigned, 32> pending_;
  const size_t most_steps_;
  size_t steps_left_ = 0;
  size_t all_steps_left_;
};

// --- Entries ---

LoopEntries::LoopEntries(llvm::Function& function, const Labels& labels, Purpose purpose)
    : function_(function), labels_(labels), purpose_(purpose), graph_(function), search_(graph_) {
  const std::vector<unsigned>& headers = search_.loop_headers();
  entries_.resize(headers.size());
  for (size_t i = 0; i < headers.size(); ++i) {
    entries_[i].entry.block = &graph_.block(headers[i]);
  }
}

LoopEntries::~LoopEntries() = default;

// Whether `label` can be passed as a number: it must be a single pointer (not an aggregate, and not
// an integer), and the function must have indirect branches (otherwise labels are only compared).
bool LoopEntries::CanBeNumbered(const llvm::Value& label) const {
  return label.getType()->isPointerTy() && !IndirectTargets(function_).empty();
}

bool LoopEntries::FillIn(size_t loop) {
  LoopEntry& entry = entries_[loop].entry;
  if (!CanBeEntered(*entry.block)) return false;
  if (liveness_ == nullptr) {
    variables_ = FrameVariables(function_);
    liveness_ = std::make_unique<Liveness>(function_, graph_, search_, variables_,
                                           search_.loop_headers(), purpose_ == Purpose::kPolls);
  }
  const std::optional<std::vector<llvm::Value*>> values = liveness_->At(*entry.block);
  if (!values) return false;
  entry.variable_places = variables_.size();
  // A variable whose address is in a live value must stay where it is, even if its value is not
  // live.
  const llvm::SmallPtrSet<const llvm::Value*, 8> named = AddressesIn(*values);
  for (size_t i = 0; i < variables_.size(); ++i) {
    const bool is_named = named.contains(variables_[i]);
    if (!is_named && !liveness_->variables().IsLive(i, loop)) continue;
    if (labels_.values.contains(variables_[i])) return false;
    entry.variables.push_back({variables_[i], i, is_named});
  }
  for (llvm::Value* value : *values) {
    const bool is_label = labels_.values.contains(value);
    if (!CanBePassed(*value) || (is_label && !CanBeNumbered(*value))) return false;
    entry.values.push_back({value, is_label});
  }
  return purpose_ == Purpose::kContinuation ||
         entry.variables.size() + entry.values.size() <= kMaxLive;
}

const LoopEntry* LoopEntries::Find(size_t loop) {
  Entry& found = entries_[loop];
  if (found.state == State::kUnknown) {
    if (!is_any_possible_) is_any_possible_ = labels_.stay_inside && !NeedsItsFrame(function_);
    found.state = *is_any_possible_ && FillIn(loop) ? State::kPossible : State::kImpossible;
  }
  return found.state == State::kPossible ? &found.entry : nullptr;
}

}  // namespace firstcall
