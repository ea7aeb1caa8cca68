#include "backend/llvm/call_guards.h"

#include <algorithm>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"

namespace firstcall {
namespace {

// A call that was counted less often, or by this factor less often than the most frequent branch of
// its function, is not worth a guard.
constexpr uint64_t kLeastCalls = 100;
constexpr uint64_t kRarely = 100;

// As LLVM decides ahead of time (-icp-remaining-percent-threshold), with fewer targets.
constexpr uint64_t kLeastPercent = 30;
constexpr size_t kMostTargets = 2;

bool IsMoreFrequent(const CallTarget& a, const CallTarget& b) {
  return a.count != b.count ? a.count > b.count : a.function < b.function;
}

bool CanBeGuarded(const llvm::CallBase& call) {
  return !call.isMustTailCall() && !call.hasOperandBundles() &&
         !call.getAttributes().hasFnAttr(llvm::Attribute::NoInline);
}

bool CanCall(const llvm::CallBase& call, llvm::Function& function) {
  return call.getFunctionType()->isVarArg() == function.isVarArg() &&
         call.getCallingConv() == function.getCallingConv() &&
         call.getCalledOperand()->getType() == function.getType() &&
         llvm::isLegalToPromote(call, &function);
}

// Branch weights have 32 bits.
llvm::MDNode* Weights(llvm::LLVMContext& context, uint64_t taken, uint64_t not_taken) {
  while (std::max(taken, not_taken) > UINT32_MAX) {
    taken /= 2;
    not_taken /= 2;
  }
  return llvm::MDBuilder(context).createBranchWeights(static_cast<uint32_t>(taken),
                                                      static_cast<uint32_t>(not_taken));
}

struct CountedCall {
  llvm::CallBase* call = nullptr;
  uint64_t count = 0;
  std::vector<CallTarget> targets;  // The likeliest first.
};

std::vector<CountedCall> TakeCountedCalls(llvm::Function& function) {
  std::vector<CountedCall> counted;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || !call->isIndirectCall()) continue;
    CountedCall of_call;
    of_call.call = call;
    for (const InstrProfValueData& value : llvm::getValueProfDataFromInst(
             *call, llvm::IPVK_IndirectCallTarget, kMostTargets + 1, of_call.count)) {
      if (value.Value == kOtherTargets) continue;
      of_call.targets.push_back(ValueToTarget(value.Value, value.Count));
    }
    if (of_call.targets.empty()) continue;
    call->setMetadata(llvm::LLVMContext::MD_prof, nullptr);
    std::sort(of_call.targets.begin(), of_call.targets.end(), IsMoreFrequent);
    if (CanBeGuarded(*call)) counted.push_back(std::move(of_call));
  }
  return counted;
}

}  // namespace

std::vector<CallTarget> LikelyTargets(const BranchCounts& counts, const CallCounts& call) {
  uint64_t most = 0;
  for (uint64_t count : counts.counts) most = std::max(most, count);
  if (call.count < kLeastCalls || call.count < most / kRarely) return {};
  std::vector<CallTarget> targets = call.targets;
  std::sort(targets.begin(), targets.end(), IsMoreFrequent);
  uint64_t left = call.count;
  size_t likely = 0;
  for (; likely < std::min(targets.size(), kMostTargets); ++likely) {
    CallTarget& target = targets[likely];
    target.count = std::min(target.count, left);
    if (target.count == 0 || target.count < left / 100 * kLeastPercent) break;
    left -= target.count;
  }
  targets.resize(likely);
  return targets;
}

uint64_t TargetToValue(const CallTarget& target) {
  return uint64_t{target.function.value} * 2 + (target.is_in_table ? 1 : 0);
}

CallTarget ValueToTarget(uint64_t value, uint64_t count) {
  CallTarget target;
  target.function = SymbolOrdinal{static_cast<uint32_t>(value / 2)};
  target.is_in_table = value % 2 != 0;
  target.count = count;
  return target;
}

void GuardCalls(llvm::Module& module,
                absl::FunctionRef<std::optional<Guard>(const CallTarget&)> find) {
  for (llvm::Function& function : module) {
    for (const auto& [call, count, targets] : TakeCountedCalls(function)) {
      uint64_t left = count;
      for (const CallTarget& target : targets) {
        const std::optional<Guard> guard = find(target);
        if (!guard || !CanCall(*call, *guard->function)) continue;
        left -= std::min(left, target.count);
        llvm::Value* const address =
            llvm::IRBuilder<>(call).CreateLoad(guard->function->getType(), guard->address);
        llvm::CallBase& direct =
            llvm::versionCallSite(*call, address, Weights(module.getContext(), target.count, left));
        llvm::promoteCall(direct, guard->function);
      }
    }
  }
}

}  // namespace firstcall
