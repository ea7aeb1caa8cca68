#include "backend/llvm/call_counting.h"

#include <array>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "seam/branch_counts.h"

namespace firstcall {

bool HasIndirectCalls(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call != nullptr && call->isIndirectCall();
  });
}

void CountCall(llvm::InstrProfValueProfileInst& profiled, llvm::GlobalVariable& counters,
               size_t place) {
  llvm::IRBuilder<> builder(&profiled);
  llvm::Type* const word = builder.getInt64Ty();
  const auto place_of = [&](size_t index) {
    return builder.CreateConstInBoundsGEP2_64(counters.getValueType(), &counters, 0, place + index);
  };
  const auto load = [&](size_t index) { return builder.CreateLoad(word, place_of(index)); };
  const auto store = [&](llvm::Value* value, size_t index) {
    builder.CreateStore(value, place_of(index));
  };
  llvm::Value* const zero = builder.getInt64(0);
  llvm::Value* const one = builder.getInt64(1);
  llvm::Value* const target = profiled.getTargetValue();
  store(builder.CreateAdd(load(0), one), 0);
  struct Candidate {
    llvm::Value* address;
    llvm::Value* count;
    llvm::Value* is_called;
  };
  std::array<Candidate, kCandidatesOfCall> candidates;
  llvm::Value* is_counted = builder.getFalse();
  for (size_t i = 0; i < candidates.size(); ++i) {
    Candidate& candidate = candidates[i];
    candidate.address = load(1 + 2 * i);
    candidate.count = load(2 + 2 * i);
    candidate.is_called = builder.CreateICmpEQ(candidate.address, target);
    is_counted = builder.CreateOr(is_counted, candidate.is_called);
  }
  for (Candidate& candidate : candidates) {
    llvm::Value* const is_free = builder.CreateAnd(builder.CreateICmpEQ(candidate.count, zero),
                                                   builder.CreateNot(is_counted));
    is_counted = builder.CreateOr(is_counted, is_free);
    candidate.address = builder.CreateSelect(is_free, target, candidate.address);
    candidate.is_called = builder.CreateOr(candidate.is_called, is_free);
  }
  llvm::Value* const otherwise = builder.CreateSelect(is_counted, zero, builder.getInt64(-1));
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    store(candidate.address, 1 + 2 * i);
    store(builder.CreateAdd(candidate.count,
                            builder.CreateSelect(candidate.is_called, one, otherwise)),
          2 + 2 * i);
  }
  profiled.eraseFromParent();
}

}  // namespace firstcall
