#include "splitter/type_tests.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace firstcall {
namespace {

// Whether `result` is only assumed to hold, be it after it was merged with other results.
bool IsOnlyAssumed(const llvm::Value& result) {
  llvm::SmallVector<const llvm::Value*, 4> pending = {&result};
  llvm::SmallPtrSet<const llvm::Value*, 4> seen;
  while (!pending.empty()) {
    const llvm::Value* value = pending.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const llvm::User* user : value->users()) {
      if (llvm::isa<llvm::AssumeInst>(user)) continue;
      if (!llvm::isa<llvm::PHINode>(user)) return false;
      pending.push_back(user);
    }
  }
  return true;
}

void ReplaceByTrue(llvm::Value& result) {
  // An assumption may use the result several times.
  llvm::SmallPtrSet<llvm::AssumeInst*, 4> assumptions;
  for (llvm::User* user : result.users()) {
    if (auto* assumption = llvm::dyn_cast<llvm::AssumeInst>(user)) assumptions.insert(assumption);
  }
  for (llvm::AssumeInst* assumption : assumptions) assumption->eraseFromParent();
  result.replaceAllUsesWith(llvm::ConstantInt::getTrue(result.getContext()));
}

// The pointer that llvm.type.checked.load, or the form for tables of distances, returns.
llvm::Value* Load(llvm::IRBuilder<>& builder, llvm::IntrinsicInst& test) {
  llvm::Value* const table = test.getArgOperand(0);
  llvm::Value* const offset = test.getArgOperand(1);
  llvm::Type* const pointer = builder.getPtrTy();
  if (test.getIntrinsicID() == llvm::Intrinsic::type_checked_load_relative) {
    return builder.CreateIntrinsic(llvm::Intrinsic::load_relative, {offset->getType()},
                                   {table, offset});
  }
  llvm::Value* const place = builder.CreatePtrAdd(table, offset);
  return builder.CreateLoad(pointer, place);
}

// False if the code depends on the result of the test.
bool LowerCheckedLoad(llvm::IntrinsicInst& test) {
  llvm::SmallVector<llvm::ExtractValueInst*, 2> parts;
  for (llvm::User* user : test.users()) {
    auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    if (part == nullptr || part->getNumIndices() != 1) return false;
    if (part->getIndices().front() == 1 && !IsOnlyAssumed(*part)) return false;
    parts.push_back(part);
  }
  llvm::IRBuilder<> builder(&test);
  llvm::Value* const loaded = Load(builder, test);
  for (llvm::ExtractValueInst* part : parts) {
    if (part->getIndices().front() == 0) {
      part->replaceAllUsesWith(loaded);
    } else {
      ReplaceByTrue(*part);
    }
    part->eraseFromParent();
  }
  test.eraseFromParent();
  return true;
}

// The same.
bool Lower(llvm::IntrinsicInst& test) {
  switch (test.getIntrinsicID()) {
    case llvm::Intrinsic::type_checked_load:
    case llvm::Intrinsic::type_checked_load_relative:
      return LowerCheckedLoad(test);
    case llvm::Intrinsic::type_test:
      if (!IsOnlyAssumed(test)) return false;
      [[fallthrough]];
    case llvm::Intrinsic::public_type_test:
      ReplaceByTrue(test);
      test.eraseFromParent();
      return true;
    default:
      return true;
  }
}

}  // namespace

bool MayHaveTypeTests(const llvm::Module& module) {
  return llvm::any_of(llvm::ArrayRef({"llvm.type.test", "llvm.public.type.test",
                                      "llvm.type.checked.load", "llvm.type.checked.load.relative"}),
                      [&](const char* name) { return module.getFunction(name) != nullptr; });
}

absl::Status LowerTypeTests(llvm::Function& function) {
  llvm::SmallVector<llvm::IntrinsicInst*, 8> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    // Assumptions are removed on the way.
    if (call != nullptr && !llvm::isa<llvm::AssumeInst>(call)) calls.push_back(call);
  }
  for (llvm::IntrinsicInst* call : calls) {
    if (Lower(*call)) continue;
    return absl::UnimplementedError(
        "its code depends on the test of a type, which only LLVM's static linker can answer");
  }
  return absl::OkStatus();
}

}  // namespace firstcall
