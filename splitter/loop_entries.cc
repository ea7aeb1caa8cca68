#include "splitter/loop_entries.h"

#include <algorithm>
#include <climits>
#include <optional>
#include <utility>

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "splitter/block_graph.h"
#include "splitter/variable_liveness.h"

namespace firstcall {
namespace {

// Of one entry.
constexpr size_t kMaxLive = 128;
// Blocks that are looked at to find what lives at one entry: so many, and each block of the
// function so many times.
constexpr size_t kSteps = 1000;
constexpr size_t kStepsPerBlock = 8;
// The same for all entries of a function together, where instructions that are looked at count,
// too: beyond it the others have none.
constexpr size_t kAllSteps = 200'000;
constexpr size_t kAllStepsPerBlock = 20;
// --- Loops ---

// Whether no frame but the function's own will do for what it does.
bool NeedsItsFrame(llvm::Function& function) {
  if (function.hasGC() || function.isPresplitCoroutine()) return true;
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
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::vastart:
      case llvm::Intrinsic::stackrestore:
      case llvm::Intrinsic::frameaddress:
      case llvm::Intrinsic::returnaddress:
      case llvm::Intrinsic::addressofreturnaddress:
      case llvm::Intrinsic::sponentry:
      case llvm::Intrinsic::localescape:
      case llvm::Intrinsic::gcroot:
      case llvm::Intrinsic::swift_async_context_addr:
      case llvm::Intrinsic::call_preallocated_setup:
        return true;
      case llvm::Intrinsic::lifetime_start:
      case llvm::Intrinsic::lifetime_end:
        // Of nobody knows what: what lives where is not known, either.
        if (!llvm::isa<llvm::AllocaInst>(call->getArgOperand(1))) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

// In the order of the depth-first search.
llvm::SetVector<llvm::BasicBlock*> LoopHeaders(llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 8> edges;
  llvm::FindFunctionBackedges(function, edges);
  llvm::SetVector<llvm::BasicBlock*> headers;
  for (const auto& [from, to] : edges) headers.insert(const_cast<llvm::BasicBlock*>(to));
  return headers;
}

bool CanBeEntered(const llvm::BasicBlock& block) {
  return !block.isEHPad() && block.getFirstNonPHI() != nullptr;
}

bool CanBePassed(const llvm::Value& value) {
  llvm::Type* type = value.getType();
  return type->isFirstClassType() && !type->isTokenTy() && !type->isLabelTy() &&
         !type->isMetadataTy() && !type->isX86_AMXTy();
}

// The variables whose addresses may be in `values`, and what those were made from, other than by
// reading them from memory.
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

// llvm::Function::getInstructionCount takes many times as long.
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

// --- What lives ---

// Of values: one lives at the beginning of a block if its own block dominates that, which is why
// there are few, and if it is used where the block leads, other than through its own block again.
class LoopEntries::Liveness {
 public:
  Liveness(llvm::Function& function, llvm::ArrayRef<llvm::AllocaInst*> variables,
           llvm::ArrayRef<llvm::BasicBlock*> points)
      : function_(function),
        dominators_(function),
        graph_(function),
        variables_(graph_, variables, points),
        all_steps_left_(kAllSteps + kAllStepsPerBlock * graph_.size()) {}

  const VariableLiveness& variables() const { return variables_; }

  // Without variables of the frame. In the order of the function. Nothing if it takes too long.
  std::optional<std::vector<llvm::Value*>> At(llvm::BasicBlock& point) {
    if (all_steps_left_ == 0) return std::nullopt;
    steps_left_ = kSteps + kStepsPerBlock * graph_.size();
    std::vector<llvm::Value*> live;
    const Blocks reached = Reach(Number(point), /*without=*/kNoBlock);
    for (llvm::Argument& argument : function_.args()) {
      if (IsUsed(argument, reached)) live.push_back(&argument);
    }
    for (llvm::BasicBlock* block : Dominators(point)) {
      const unsigned number = Number(*block);
      bool is_exact = !reached.test(number);
      Blocks without;
      if (!is_exact) {
        // It may come round to this block again.
        without = reached;
        without.reset(number);
        SpendOfAll(graph_.size() / kBlocksPerStep);
      }
      const Blocks& before = is_exact ? reached : without;
      SpendOfAll(1);
      if (steps_left_ == 0) return std::nullopt;
      for (llvm::Instruction& instruction : *block) {
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
  static constexpr size_t kBlocksPerStep = 64;  // Of a set that is copied.

  unsigned Number(const llvm::BasicBlock& block) const { return graph_.Number(block); }

  // The blocks that `from` leads to, itself among them; not through `without`.
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

  // Those that every way to `point` goes through; not itself.
  std::vector<llvm::BasicBlock*> Dominators(llvm::BasicBlock& point) const {
    std::vector<llvm::BasicBlock*> dominators;
    for (const llvm::DomTreeNode* node = dominators_.getNode(&point)->getIDom(); node != nullptr;
         node = node->getIDom()) {
      dominators.push_back(node->getBlock());
    }
    std::sort(dominators.begin(), dominators.end(),
              [this](const llvm::BasicBlock* a, const llvm::BasicBlock* b) {
                return Number(*a) < Number(*b);
              });
    return dominators;
  }

  // Whether `value` is used in one of `blocks`, or at the end of one in which a way to a phi
  // begins.
  bool IsUsed(const llvm::Value& value, const Blocks& blocks) const {
    return llvm::any_of(value.uses(), [&](const llvm::Use& use) {
      const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (user == nullptr) return false;
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      return blocks.test(Number(phi != nullptr ? *phi->getIncomingBlock(use) : *user->getParent()));
    });
  }

  llvm::Function& function_;
  const llvm::DominatorTree dominators_;
  const BlockGraph graph_;
  const VariableLiveness variables_;
  llvm::SmallVector<unsigned, 32> pending_;
  size_t steps_left_ = 0;
  size_t all_steps_left_;
};

// --- Entries ---

LoopEntries::LoopEntries(llvm::Function& function, const Labels& labels)
    : function_(function), labels_(labels) {
  const llvm::SetVector<llvm::BasicBlock*> headers = LoopHeaders(function);
  has_loop_ = !headers.empty();
  if (!has_loop_) return;
  const bool is_any_possible = labels.stay_inside && !NeedsItsFrame(function);
  if (is_any_possible) variables_ = FrameVariables(function);
  entries_.resize(headers.size());
  for (size_t i = 0; i < headers.size(); ++i) {
    entries_[i].entry.block = headers[i];
    if (!is_any_possible) entries_[i].state = State::kImpossible;
  }
}

LoopEntries::~LoopEntries() = default;

// Neither several at once, nor one as an integer; nor one that nothing branches to, which is only
// compared.
bool LoopEntries::CanBeNumbered(const llvm::Value& label) const {
  return label.getType()->isPointerTy() && !IndirectTargets(function_).empty();
}

bool LoopEntries::FillIn(size_t loop) {
  LoopEntry& entry = entries_[loop].entry;
  if (!CanBeEntered(*entry.block)) return false;
  if (liveness_ == nullptr) {
    std::vector<llvm::BasicBlock*> points;
    for (const Entry& point : entries_) points.push_back(point.entry.block);
    liveness_ = std::make_unique<Liveness>(function_, variables_, points);
  }
  const std::optional<std::vector<llvm::Value*>> values = liveness_->At(*entry.block);
  if (!values) return false;
  entry.variable_places = variables_.size();
  // What values have the address of has to stay where it is, even if nothing is in it yet.
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
  return entry.variables.size() + entry.values.size() <= kMaxLive;
}

const LoopEntry* LoopEntries::Find(size_t loop) {
  Entry& found = entries_[loop];
  if (found.state == State::kUnknown) {
    found.state = FillIn(loop) ? State::kPossible : State::kImpossible;
  }
  return found.state == State::kPossible ? &found.entry : nullptr;
}

}  // namespace firstcall
