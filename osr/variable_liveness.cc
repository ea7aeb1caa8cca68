#include "osr/variable_liveness.h"

#include <climits>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace firstcall {
namespace {

// The most blocks that are visited: this constant, plus a number for each block of the function.
constexpr size_t kSteps = 1000;
constexpr size_t kStepsPerBlock = 32;

bool IsLifetimeMark(const llvm::User* user) {
  return llvm::cast<llvm::Instruction>(user)->isLifetimeStartOrEnd();
}

bool BeginsLifetime(const llvm::User* user) {
  const auto* mark = llvm::dyn_cast<llvm::IntrinsicInst>(user);
  return mark != nullptr && mark->getIntrinsicID() == llvm::Intrinsic::lifetime_start;
}

// Whether memory may hold the address of a variable, except in functions to which it was passed. If
// so, the address may be in memory longer than the variable's lifetime: optimizers move stores of a
// loop-invariant address out of a loop.
class StoreTracker : public llvm::CaptureTracker {
 public:
  static bool IsStored(const llvm::AllocaInst& variable) {
    StoreTracker tracker;
    llvm::PointerMayBeCaptured(&variable, &tracker);
    return tracker.is_stored_;
  }

  void tooManyUses() override { is_stored_ = true; }
  bool captured(const llvm::Use* use) override {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(use->getUser());
    // The call's result may contain the address. And if the callee only stores the address, the
    // call may have been moved.
    is_stored_ = call == nullptr || !call->isArgOperand(use) || !call->getType()->isVoidTy() ||
                 call->onlyAccessesArgMemory();
    return is_stored_;
  }

 private:
  bool is_stored_ = false;
};

bool HasKnownLifetime(const llvm::AllocaInst& variable) {
  return llvm::any_of(variable.users(), BeginsLifetime) && !StoreTracker::IsStored(variable);
}

// Finds the blocks at whose beginning a variable is live, for one variable after the other.
class Finder {
 public:
  explicit Finder(const BlockGraph& graph)
      : graph_(graph),
        live_(graph.size(), 0),
        stops_(graph.size(), 0),
        steps_left_(kSteps + kStepsPerBlock * graph.size()) {}

  // Finds the blocks that reach a load of `variable` without passing a store to it or the beginning
  // or end of its lifetime. False if that takes too long.
  bool FindReads(const llvm::AllocaInst& variable) {
    Begin();
    for (const llvm::User* user : variable.users()) {
      // Casts for lifetime markers, and assumptions, do not matter here.
      if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(user) && !IsLifetimeMark(user)) continue;
      const auto* access = llvm::cast<llvm::Instruction>(user);
      const llvm::Instruction*& first = places_[access->getParent()];
      if (first == nullptr || access->comesBefore(first)) first = access;
    }
    for (const auto& [block, first] : places_) {
      const unsigned number = graph_.Number(*block);
      stops_[number] = round_;
      if (!llvm::isa<llvm::LoadInst>(first)) continue;
      live_[number] = round_;
      found_.push_back(number);
      pending_.push_back(number);
    }
    while (!pending_.empty()) {
      for (const unsigned previous : graph_.Predecessors(pending_.pop_back_val())) {
        if (live_[previous] == round_ || stops_[previous] == round_) continue;
        if (!MarkLive(previous)) return false;
        pending_.push_back(previous);
      }
    }
    return true;
  }

  // Finds the blocks that can be reached from a block in which the lifetime of `variable` begins
  // and does not end, without passing a block in which it begins or ends. False if that takes too
  // long.
  bool FindLifetime(const llvm::AllocaInst& variable) {
    Begin();
    for (const llvm::User* user : variable.users()) {
      if (!IsLifetimeMark(user)) continue;
      const auto* mark = llvm::cast<llvm::Instruction>(user);
      const llvm::Instruction*& last = places_[mark->getParent()];
      if (last == nullptr || last->comesBefore(mark)) last = mark;
    }
    for (const auto& [block, last] : places_) {
      const unsigned number = graph_.Number(*block);
      stops_[number] = round_;
      if (BeginsLifetime(last)) pending_.push_back(number);
    }
    while (!pending_.empty()) {
      for (const unsigned next : graph_.Successors(pending_.pop_back_val())) {
        if (live_[next] == round_) continue;
        if (!MarkLive(next)) return false;
        if (stops_[next] != round_) pending_.push_back(next);
      }
    }
    return true;
  }

  // The blocks that were found last, each once.
  llvm::ArrayRef<unsigned> found() const { return found_; }

 private:
  void Begin() {
    ++round_;
    places_.clear();
    found_.clear();
  }

  // False if no steps are left.
  bool MarkLive(unsigned block) {
    if (steps_left_ == 0) {
      pending_.clear();
      return false;
    }
    --steps_left_;
    live_[block] = round_;
    found_.push_back(block);
    return true;
  }

  const BlockGraph& graph_;
  // For each block that accesses the variable or marks its lifetime: the instruction that decides.
  llvm::SmallDenseMap<const llvm::BasicBlock*, const llvm::Instruction*, 16> places_;
  // For each block, the last round in which it was found, and the last in which the search had to
  // stop at it.
  std::vector<unsigned> live_, stops_;
  unsigned round_ = 0;
  llvm::SmallVector<unsigned, 32> found_, pending_;
  size_t steps_left_;
};

}  // namespace

VariableLiveness::VariableLiveness(const BlockGraph& graph,
                                   llvm::ArrayRef<llvm::AllocaInst*> variables,
                                   llvm::ArrayRef<unsigned> points)
    : everywhere_(static_cast<unsigned>(variables.size()), true), live_(points.size()) {
  constexpr unsigned kNoPoint = UINT_MAX;
  std::vector<unsigned> points_of_blocks(graph.size(), kNoPoint);
  for (unsigned point = 0; point < points.size(); ++point) {
    points_of_blocks[points[point]] = point;
  }
  Finder finder(graph);
  for (unsigned variable = 0; variable < variables.size(); ++variable) {
    const llvm::AllocaInst& its = *variables[variable];
    const bool is_found = llvm::isAllocaPromotable(&its)
                              ? finder.FindReads(its)
                              : HasKnownLifetime(its) && finder.FindLifetime(its);
    if (!is_found) continue;
    everywhere_.reset(variable);
    for (const unsigned block : finder.found()) {
      const unsigned point = points_of_blocks[block];
      if (point != kNoPoint) live_[point].push_back(variable);
    }
  }
}

}  // namespace firstcall
