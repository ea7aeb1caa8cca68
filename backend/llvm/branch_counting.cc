#include "backend/llvm/branch_counting.h"

#include <cstdint>
#include <vector>

#include "backend/llvm/analysis_managers.h"
#include "backend/llvm/call_counting.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Transforms/Instrumentation/PGOInstrumentation.h"

namespace firstcall {
namespace {

// Variables that LLVM's instrumentation makes for its runtime library.
bool IsForRuntimeLibrary(const llvm::GlobalVariable& variable) {
  return variable.getName().starts_with("__profn_") ||
         variable.getName().starts_with("__llvm_profile_");
}

void AddInstrumentation(llvm::Module& module) {
  llvm::PassBuilder builder;
  AnalysisManagers analyses;
  analyses.Register(builder);
  llvm::PGOInstrumentationGen().run(module, analyses.modules);
}

// Replaces `increment` by an addition to its word among `counters`.
void Lower(llvm::InstrProfIncrementInst& increment, llvm::GlobalVariable& counters) {
  llvm::IRBuilder<> builder(&increment);
  llvm::Value* place = builder.CreateConstInBoundsGEP2_64(counters.getValueType(), &counters, 0,
                                                          increment.getIndex()->getZExtValue());
  llvm::Value* count = builder.CreateLoad(builder.getInt64Ty(), place);
  builder.CreateStore(builder.CreateAdd(count, increment.getStep()), place);
  increment.eraseFromParent();
}

// What LLVM adds in front of an indirect call; null if `instruction` is something else.
llvm::InstrProfValueProfileInst* AsIndirectCall(llvm::Instruction& instruction) {
  auto* value = llvm::dyn_cast<llvm::InstrProfValueProfileInst>(&instruction);
  if (value == nullptr) return nullptr;
  const uint64_t kind = value->getValueKind()->getZExtValue();
  return kind == llvm::IPVK_IndirectCallTarget ? value : nullptr;
}

}  // namespace

bool CanCountBranches(const llvm::Function& function) {
  bool has_any = false;
  for (const llvm::BasicBlock& block : function) {
    const llvm::Instruction* last = block.getTerminator();
    if (llvm::isa<llvm::IndirectBrInst, llvm::CallBrInst>(last)) return false;
    has_any |= llvm::isa<llvm::BranchInst, llvm::SwitchInst>(last) && last->getNumSuccessors() > 1;
  }
  return has_any || HasIndirectCalls(function);
}

std::optional<BranchCounters> CountBranches(llvm::Function& function, llvm::StringRef name) {
  if (!CanCountBranches(function)) return std::nullopt;
  llvm::Module& module = *function.getParent();
  AddInstrumentation(module);
  std::vector<llvm::InstrProfIncrementInst*> increments;
  std::vector<llvm::InstrProfValueProfileInst*> calls;
  std::vector<llvm::Instruction*> others;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* increment = llvm::dyn_cast<llvm::InstrProfIncrementInst>(&instruction)) {
      increments.push_back(increment);
    } else if (auto* call = AsIndirectCall(instruction)) {
      calls.push_back(call);
    } else if (llvm::isa<llvm::InstrProfInstBase>(instruction)) {
      others.push_back(&instruction);  // Sizes.
    }
  }
  BranchCounters counted;
  if (!increments.empty()) {
    counted.shape = increments.front()->getHash()->getZExtValue();
    counted.count = increments.front()->getNumCounters()->getZExtValue();
    counted.calls = calls.size();
    auto* type = llvm::ArrayType::get(llvm::Type::getInt64Ty(module.getContext()),
                                      counted.count + kWordsOfCall * counted.calls);
    auto* counters = new llvm::GlobalVariable(module, type, /*isConstant=*/false,
                                              llvm::GlobalValue::ExternalLinkage,
                                              llvm::Constant::getNullValue(type), name);
    counters->setAlignment(llvm::Align(sizeof(uint64_t)));
    counters->setDSOLocal(true);
    for (llvm::InstrProfIncrementInst* increment : increments) Lower(*increment, *counters);
    for (llvm::InstrProfValueProfileInst* call : calls) {
      CountCall(*call, *counters, counted.count + kWordsOfCall * call->getIndex()->getZExtValue());
    }
  }
  for (llvm::Instruction* instruction : others) instruction->eraseFromParent();
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (IsForRuntimeLibrary(variable) && variable.use_empty()) variable.eraseFromParent();
  }
  if (increments.empty()) return std::nullopt;
  return counted;
}

}  // namespace firstcall
