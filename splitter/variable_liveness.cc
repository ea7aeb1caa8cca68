#include "splitter/variable_liveness.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/StackLifetime.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace firstcall {
namespace {

// Blocks that are looked at: so many, and each block of the function so many times.
constexpr size_t kSteps = 1000;
constexpr size_t kStepsPerBlock = 32;

bool HasLifetime(const llvm::AllocaInst& variable) {
  return llvm::any_of(variable.users(), [](const llvm::User* user) {
    return llvm::cast<llvm::Instruction>(user)->isLifetimeStartOrEnd();
  });
}

}  // namespace

// Where variables that are only read and written may be read, one after the other.
class VariableLiveness::Reads {
 public:
  explicit Reads(const BlockGraph& graph)
      : graph_(graph),
        seen_(graph.size(), 0),
        steps_left_(kSteps + kStepsPerBlock * graph.size()) {}

  // Finds the blocks at whose beginning `variable` lives; false if that would take too long.
  bool Find(const llvm::AllocaInst& variable) {
    ++round_;
    first_.clear();
    for (const llvm::User* user : variable.users()) {
      const auto* access = llvm::cast<llvm::Instruction>(user);
      const llvm::Instruction*& first = first_[access->getParent()];
      if (first == nullptr || access->comesBefore(first)) first = access;
    }
    // Where it is read first it lives, and where it is written first it does not, nor after its
    // lifetime has begun or ended.
    for (const auto& [block, first] : first_) {
      const unsigned number = graph_.Number(*block);
      seen_[number] = 2 * round_;
      if (!llvm::isa<llvm::LoadInst>(first)) continue;
      seen_[number] = 2 * round_ + 1;
      pending_.push_back(number);
    }
    while (!pending_.empty()) {
      const unsigned block = pending_.pop_back_val();
      for (const unsigned previous : graph_.Predecessors(block)) {
        if (seen_[previous] >= 2 * round_) continue;
        if (steps_left_ == 0) {
          pending_.clear();
          return false;
        }
        --steps_left_;
        seen_[previous] = 2 * round_ + 1;
        pending_.push_back(previous);
      }
    }
    return true;
  }

  // Of the last one that was found.
  bool IsLive(unsigned block) const { return seen_[block] == 2 * round_ + 1; }

 private:
  const BlockGraph& graph_;
  llvm::SmallDenseMap<const llvm::BasicBlock*, const llvm::Instruction*, 16> first_;  // Accesses.
  // Twice the round in which it was last looked at, and one more if the variable lived there.
  std::vector<size_t> seen_;
  size_t round_ = 0;
  llvm::SmallVector<unsigned, 32> pending_;
  size_t steps_left_;
};

VariableLiveness::VariableLiveness(const llvm::Function& function, const BlockGraph& graph,
                                   llvm::ArrayRef<llvm::AllocaInst*> variables,
                                   llvm::ArrayRef<llvm::BasicBlock*> points)
    : live_(points.size(), llvm::BitVector(static_cast<unsigned>(variables.size()), true)) {
  std::vector<unsigned> numbers;
  numbers.reserve(points.size());
  for (const llvm::BasicBlock* point : points) numbers.push_back(graph.Number(*point));
  Reads reads(graph);
  llvm::SmallVector<unsigned, 32> shared;
  for (unsigned variable = 0; variable < variables.size(); ++variable) {
    if (!llvm::isAllocaPromotable(variables[variable])) {
      if (HasLifetime(*variables[variable])) shared.push_back(variable);
      continue;
    }
    if (!reads.Find(*variables[variable])) continue;
    for (size_t point = 0; point < numbers.size(); ++point) {
      if (!reads.IsLive(numbers[point])) live_[point].reset(variable);
    }
  }
  if (!shared.empty()) MarkLifetimes(function, variables, shared, points);
}

void VariableLiveness::MarkLifetimes(const llvm::Function& function,
                                     llvm::ArrayRef<llvm::AllocaInst*> variables,
                                     llvm::ArrayRef<unsigned> shared,
                                     llvm::ArrayRef<llvm::BasicBlock*> points) {
  llvm::SmallVector<const llvm::AllocaInst*, 32> marked;
  for (const unsigned variable : shared) marked.push_back(variables[variable]);
  llvm::StackLifetime lifetimes(function, marked, llvm::StackLifetime::LivenessType::May);
  lifetimes.run();
  for (const unsigned variable : shared) {
    for (size_t point = 0; point < points.size(); ++point) {
      if (!lifetimes.isAliveAfter(variables[variable], points[point]->getFirstNonPHI())) {
        live_[point].reset(variable);
      }
    }
  }
}

}  // namespace firstcall
