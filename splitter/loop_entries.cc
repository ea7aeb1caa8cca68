#include "splitter/loop_entries.h"

#include <algorithm>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace firstcall {
namespace {

// Of one entry.
constexpr size_t kMaxLive = 128;
// Of all of a function's: passing one costs as much time as generating code for two instructions or
// three, in front of the function's first call, so there may be so many for each instruction. A
// small function may have a loop in any case.
constexpr size_t kMaxLiveOfAll = 24;
constexpr size_t kInstructionsPerLive = 10;
// Blocks that are looked at to find what lives: so many, and so many for each instruction.
constexpr size_t kSteps = 1000;
constexpr size_t kStepsPerInstruction = 4;
// Of a computed goto.
constexpr size_t kMaxIndirectTargets = 512;

// --- Labels ---

class LabelTracer {
 public:
  explicit LabelTracer(llvm::Function& function) : function_(function) {}

  Labels Trace() && {
    for (llvm::BasicBlock& block : function_) {
      if (!block.hasAddressTaken()) continue;
      if (llvm::BlockAddress* address = llvm::BlockAddress::lookup(&block))
        FollowConstant(*address);
    }
    return std::move(labels_);
  }

 private:
  void Escape() { labels_.stay_inside = false; }

  // A constant that is a label, or has some.
  void FollowConstant(llvm::Constant& constant) {
    for (llvm::User* user : constant.users()) {
      if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        if (instruction->getFunction() != &function_) return Escape();
        FollowUse(*instruction, constant);
      } else if (auto* table = llvm::dyn_cast<llvm::GlobalVariable>(user)) {
        if (!table->isConstant() || !table->hasLocalLinkage()) return Escape();
        if (seen_.insert(table).second) FollowPointer(*table);
      } else if (auto* aggregate = llvm::dyn_cast<llvm::ConstantAggregate>(user)) {
        if (seen_.insert(aggregate).second) FollowConstant(*aggregate);
      } else {
        return Escape();
      }
    }
  }

  // A pointer into a table of labels.
  void FollowPointer(llvm::Value& pointer) {
    for (llvm::User* user : pointer.users()) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        FollowValue(*load);
      } else if (llvm::isa<llvm::GEPOperator>(user)) {
        if (seen_.insert(user).second) FollowPointer(*user);
      } else {
        return Escape();
      }
      auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (instruction != nullptr && instruction->getFunction() != &function_) return Escape();
    }
  }

  void FollowValue(llvm::Value& value) {
    if (!labels_.values.insert(&value).second) return;
    for (llvm::User* user : value.users()) {
      auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (instruction == nullptr) return Escape();
      FollowUse(*instruction, value);
    }
  }

  void FollowUse(llvm::Instruction& user, llvm::Value& value) {
    if (llvm::isa<llvm::IndirectBrInst, llvm::ICmpInst>(user)) return;
    if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user)) return FollowValue(user);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&user);
    if (store == nullptr || store->getValueOperand() != &value) return Escape();
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(store->getPointerOperand());
    if (variable == nullptr || !llvm::isAllocaPromotable(variable)) return Escape();
    if (!labels_.values.insert(variable).second) return;
    for (llvm::User* access : variable->users()) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(access)) FollowValue(*load);
    }
  }

  llvm::Function& function_;
  llvm::SmallPtrSet<const llvm::Value*, 8> seen_;
  Labels labels_;
};

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

// Finds what is live at the beginnings of some blocks, going from each use of a value backwards to
// where it comes from (Boissinot et al., "Computing Liveness Sets for SSA-Form Programs", 2011,
// algorithm 6).
class Liveness {
 public:
  using Live = std::vector<llvm::Value*>;

  Liveness(llvm::Function& function, llvm::ArrayRef<llvm::BasicBlock*> points, size_t steps)
      : steps_left_(steps) {
    for (llvm::BasicBlock* block : points) live_[block];
    llvm::BasicBlock& first = function.getEntryBlock();
    for (llvm::Argument& argument : function.args()) Add(argument, first);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (variable != nullptr && variable->isStaticAlloca()) continue;
      Add(instruction, *instruction.getParent());
    }
  }

  // False if that would have taken too long: nothing is known then.
  bool is_known() const { return steps_left_ > 0; }
  Live& At(llvm::BasicBlock* point) { return live_[point]; }

 private:
  void Add(llvm::Value& value, llvm::BasicBlock& origin) {
    if (llvm::isa<llvm::PHINode>(value) && !value.use_empty()) Mark(value, origin);
    seen_.clear();
    for (llvm::Use& use : value.uses()) {
      auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (user == nullptr) continue;
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
        Reach(value, phi->getIncomingBlock(use), origin);
      } else if (user->getParent() != &origin) {
        Reach(value, user->getParent(), origin);
      }
    }
  }

  // `value` is used in `block`, or behind it.
  void Reach(llvm::Value& value, llvm::BasicBlock* block, llvm::BasicBlock& origin) {
    pending_.push_back(block);
    while (!pending_.empty()) {
      llvm::BasicBlock* reached = pending_.pop_back_val();
      if (steps_left_ == 0) continue;
      --steps_left_;
      if (reached == &origin || !seen_.insert(reached).second) continue;
      Mark(value, *reached);
      for (llvm::BasicBlock* before : llvm::predecessors(reached)) pending_.push_back(before);
    }
  }

  void Mark(llvm::Value& value, llvm::BasicBlock& block) {
    auto found = live_.find(&block);
    if (found != live_.end()) found->second.push_back(&value);
  }

  size_t steps_left_;
  llvm::DenseMap<llvm::BasicBlock*, Live> live_;
  llvm::DenseSet<llvm::BasicBlock*> seen_;
  llvm::SmallVector<llvm::BasicBlock*, 32> pending_;
};

bool CanBeEntered(const llvm::BasicBlock& block) {
  return !block.isEHPad() && block.getFirstNonPHI() != nullptr;
}

bool CanBePassed(const llvm::Value& value) {
  llvm::Type* type = value.getType();
  return type->isFirstClassType() && !type->isTokenTy() && !type->isLabelTy() &&
         !type->isMetadataTy() && !type->isX86_AMXTy();
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

bool HasLoop(const llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 8> edges;
  llvm::FindFunctionBackedges(function, edges);
  return !edges.empty();
}

Labels FindLabels(llvm::Function& function) { return LabelTracer(function).Trace(); }

std::vector<llvm::AllocaInst*> FrameVariables(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable != nullptr && variable->isStaticAlloca()) variables.push_back(variable);
  }
  return variables;
}

LoopEntries FindLoopEntries(llvm::Function& function, const Labels& labels) {
  LoopEntries found;
  const llvm::SetVector<llvm::BasicBlock*> headers = LoopHeaders(function);
  if (headers.empty()) return found;
  if (!labels.stay_inside || NeedsItsFrame(function)) {
    found.impossible = headers.size();
    return found;
  }
  llvm::SetVector<llvm::BasicBlock*> points;
  for (llvm::BasicBlock* header : headers) {
    auto* branch = llvm::dyn_cast<llvm::IndirectBrInst>(header->getFirstNonPHIOrDbg());
    if (branch == nullptr) {
      points.insert(header);
    } else if (branch->getNumDestinations() <= kMaxIndirectTargets) {
      for (llvm::BasicBlock* target : llvm::successors(header)) points.insert(target);
    }
  }
  const size_t instructions = CountInstructions(function);
  Liveness liveness(function, points.getArrayRef(), kSteps + kStepsPerInstruction * instructions);
  const std::vector<llvm::AllocaInst*> variables = FrameVariables(function);
  found.variables = variables.size();
  size_t live_left = kMaxLiveOfAll + instructions / kInstructionsPerLive;
  for (llvm::BasicBlock* block : points) {
    LoopEntry entry;
    entry.block = block;
    const std::vector<llvm::Value*>& values = liveness.At(block);
    entry.live.assign(variables.begin(), variables.end());
    entry.live.insert(entry.live.end(), values.begin(), values.end());
    bool is_possible = liveness.is_known() && CanBeEntered(*block) &&
                       entry.live.size() <= std::min(kMaxLive, live_left);
    for (const llvm::Value* value : entry.live) {
      is_possible = is_possible && CanBePassed(*value) && !labels.values.contains(value);
    }
    if (is_possible) {
      live_left -= entry.live.size();
      found.entries.push_back(std::move(entry));
    } else {
      ++found.impossible;
    }
  }
  return found;
}

}  // namespace firstcall
