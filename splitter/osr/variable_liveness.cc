#include "splitter/osr/variable_liveness.h"

#include <cstddef>
#include <cstdint>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "third_party/llvm/version/captures.h"
#include "third_party/llvm/version/instructions.h"

namespace firstcall {
namespace {

// The most bits of a table of all variables at all blocks, and the most times that all blocks are
// visited.
constexpr size_t kMostBits = size_t{1} << 25;
constexpr int kMostPasses = 32;

bool BeginsLifetime(const llvm::User* user) {
  const auto* mark = llvm::dyn_cast<llvm::IntrinsicInst>(user);
  return mark != nullptr && mark->getIntrinsicID() == llvm::Intrinsic::lifetime_start;
}

// Whether memory may hold the address of a variable, except in functions to which it was passed. If
// so, the address may be in memory longer than the variable's lifetime: optimizers move stores of a
// loop-invariant address out of a loop.
class StoreTracker : public llvm_version::CaptureTracker {
 public:
  static bool IsStored(const llvm::AllocaInst& variable) {
    StoreTracker tracker;
    llvm::PointerMayBeCaptured(&variable, &tracker);
    return tracker.is_stored_;
  }

  void tooManyUses() override { is_stored_ = true; }
  bool IsLastCapture(const llvm::Use& use) override {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    // The call's result may contain the address. And if the callee only stores the address, the
    // call may have been moved.
    is_stored_ = call == nullptr || !call->isArgOperand(&use) || !call->getType()->isVoidTy() ||
                 call->onlyAccessesArgMemory();
    return is_stored_;
  }

 private:
  bool is_stored_ = false;
};

bool HasKnownLifetime(const llvm::AllocaInst& variable) {
  return llvm::any_of(variable.users(), BeginsLifetime) && !StoreTracker::IsStored(variable);
}

// A set of variables for each block.
class VariableSets {
 public:
  VariableSets(size_t blocks, size_t variables)
      : words_((variables + 63) / 64), bits_(blocks * words_) {}

  void Set(unsigned block, unsigned variable) { Word(block, variable) |= Bit(variable); }
  void Reset(unsigned block, unsigned variable) { Word(block, variable) &= ~Bit(variable); }
  bool Test(unsigned block, unsigned variable) const {
    return (bits_[block * words_ + variable / 64] & Bit(variable)) != 0;
  }
  uint64_t* Of(unsigned block) { return &bits_[block * words_]; }
  size_t words() const { return words_; }

 private:
  static uint64_t Bit(unsigned variable) { return uint64_t{1} << (variable % 64); }
  uint64_t& Word(unsigned block, unsigned variable) {
    return bits_[block * words_ + variable / 64];
  }

  const size_t words_;
  std::vector<uint64_t> bits_;
};

enum class Kind : uint8_t {
  kEverywhere,  // Live everywhere.
  kAccessed,    // Only loaded and stored.
  kHasLifetime  // Live where its markers allow that.
};

// Finds the blocks at whose beginning each variable is live.
class Finder {
 public:
  Finder(const BlockGraph& graph, const std::vector<Kind>& kinds)
      : graph_(graph),
        kinds_(kinds),
        accessed_(1, kinds.size()),
        decided_(graph.size(), kinds.size()),
        positive_(graph.size(), kinds.size()),
        live_(graph.size(), kinds.size()) {
    for (unsigned i = 0; i < kinds.size(); ++i) {
      if (kinds[i] == Kind::kAccessed) accessed_.Set(0, i);
    }
  }

  // Of a variable that is only accessed, the first access of a block decides, or the first marker:
  // a load makes it live there. Of any other, the last marker decides: it is live behind the block
  // if its lifetime begins. To be called for all of them, block after block, in their order.
  void Note(unsigned block, unsigned variable, const llvm::Instruction& instruction) {
    switch (kinds_[variable]) {
      case Kind::kEverywhere:
        return;
      case Kind::kAccessed:
        if (decided_.Test(block, variable)) return;
        if (llvm::isa<llvm::LoadInst>(instruction)) positive_.Set(block, variable);
        break;
      case Kind::kHasLifetime:
        if (!instruction.isLifetimeStartOrEnd()) return;
        positive_.Reset(block, variable);
        if (BeginsLifetime(&instruction)) positive_.Set(block, variable);
        break;
    }
    decided_.Set(block, variable);
  }

  // Finds what is live at the beginning of each block. False if that takes too long.
  bool Find() {
    const auto blocks = static_cast<unsigned>(graph_.size());
    Blocks for_accessed(blocks, llvm::is_contained(kinds_, Kind::kAccessed));
    Blocks for_lifetimes(blocks, llvm::is_contained(kinds_, Kind::kHasLifetime));
    for (int pass = 0; pass < kMostPasses; ++pass) {
      if (for_accessed.none() && for_lifetimes.none()) return true;
      // Most of it needs no second pass, because most edges lead on in the function's order.
      for (unsigned block = blocks; block-- > 0;) {
        if (!for_accessed.test(block)) continue;
        for_accessed.reset(block);
        if (!UpdateFromSuccessors(block)) continue;
        for (const unsigned previous : graph_.Predecessors(block)) for_accessed.set(previous);
      }
      for (unsigned block = 0; block < blocks; ++block) {
        if (!for_lifetimes.test(block)) continue;
        for_lifetimes.reset(block);
        if (!UpdateFromPredecessors(block)) continue;
        for (const unsigned next : graph_.Successors(block)) for_lifetimes.set(next);
      }
    }
    return false;
  }

  bool IsLive(unsigned block, unsigned variable) const { return live_.Test(block, variable); }

 private:
  using Blocks = llvm::BitVector;  // Those to look at.

  // Of those that are only accessed: live behind the block if live at a successor. Whether more are
  // live at the block than before.
  bool UpdateFromSuccessors(unsigned block) {
    uint64_t* const live = live_.Of(block);
    const uint64_t* const decided = decided_.Of(block);
    const uint64_t* const positive = positive_.Of(block);
    const uint64_t* const accessed = accessed_.Of(0);
    uint64_t changed = 0;
    const auto add = [&](size_t i, uint64_t more) {
      more &= accessed[i] & ~live[i];
      live[i] |= more;
      changed |= more;
    };
    for (size_t i = 0; i < live_.words(); ++i) add(i, positive[i]);
    for (const unsigned next : graph_.Successors(block)) {
      const uint64_t* const there = live_.Of(next);
      for (size_t i = 0; i < live_.words(); ++i) add(i, there[i] & ~decided[i]);
    }
    return changed != 0;
  }

  // The same of the others: live if live behind a predecessor.
  bool UpdateFromPredecessors(unsigned block) {
    uint64_t* const live = live_.Of(block);
    const uint64_t* const accessed = accessed_.Of(0);
    uint64_t changed = 0;
    for (const unsigned previous : graph_.Predecessors(block)) {
      const uint64_t* const there = live_.Of(previous);
      const uint64_t* const decided = decided_.Of(previous);
      const uint64_t* const positive = positive_.Of(previous);
      for (size_t i = 0; i < live_.words(); ++i) {
        const uint64_t behind = positive[i] | (there[i] & ~decided[i]);
        const uint64_t more = behind & ~accessed[i] & ~live[i];
        live[i] |= more;
        changed |= more;
      }
    }
    return changed != 0;
  }

  const BlockGraph& graph_;
  const std::vector<Kind>& kinds_;
  VariableSets accessed_;  // One set: those that are only accessed.
  VariableSets decided_, positive_, live_;
};

}  // namespace

VariableLiveness::VariableLiveness(const BlockGraph& graph,
                                   llvm::ArrayRef<llvm::AllocaInst*> variables,
                                   llvm::ArrayRef<unsigned> points)
    : everywhere_(static_cast<unsigned>(variables.size()), true), live_(points.size()) {
  if (variables.empty() || graph.size() > kMostBits / variables.size()) return;
  std::vector<Kind> kinds;
  llvm::DenseMap<const llvm::Value*, unsigned> numbers;
  for (const llvm::AllocaInst* variable : variables) {
    numbers.try_emplace(variable, static_cast<unsigned>(kinds.size()));
    kinds.push_back(llvm::isAllocaPromotable(variable) ? Kind::kAccessed
                    : HasKnownLifetime(*variable)      ? Kind::kHasLifetime
                                                       : Kind::kEverywhere);
  }
  Finder finder(graph, kinds);
  for (unsigned block = 0; block < graph.size(); ++block) {
    for (const llvm::Instruction& instruction : graph.block(block)) {
      const llvm::Value* place = llvm::getLoadStorePointerOperand(&instruction);
      if (place == nullptr) {
        if (!instruction.isLifetimeStartOrEnd()) continue;
        place = llvm_version::LifetimePointer(llvm::cast<llvm::IntrinsicInst>(instruction));
      }
      if (!llvm::isa<llvm::AllocaInst>(place)) continue;
      const auto found = numbers.find(place);
      if (found != numbers.end()) finder.Note(block, found->second, instruction);
    }
  }
  if (!finder.Find()) return;
  for (unsigned variable = 0; variable < variables.size(); ++variable) {
    if (kinds[variable] != Kind::kEverywhere) everywhere_.reset(variable);
  }
  for (size_t point = 0; point < points.size(); ++point) {
    live_[point].resize(static_cast<unsigned>(variables.size()));
    for (unsigned variable = 0; variable < variables.size(); ++variable) {
      if (finder.IsLive(points[point], variable)) live_[point].set(variable);
    }
  }
}

}  // namespace firstcall
