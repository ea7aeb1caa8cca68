#include "splitter/address_escape.h"

#include "base/string_ref.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "splitter/runtime_names.h"
#include "third_party/llvm/version/captures.h"

namespace firstcall {
namespace {

// Never destroyed, because threads may compile while the process exits.
const llvm::TargetLibraryInfoImpl& Library() {
  static const auto* const library =
      new llvm::TargetLibraryInfoImpl(llvm::Triple(llvm::sys::getProcessTriple()));
  return *library;
}

// The parameters that a library function of this name and type does not capture, as far as LLVM
// knows. LLVM answers by adding attributes, so it is asked about a separate declaration.
llvm::BitVector ForgottenParameters(const llvm::Function& function) {
  llvm::BitVector forgotten(function.arg_size());
  const llvm::StringRef name = function.getName();
  if (!function.isDeclaration() || !IsLibraryFunctionName(ToStringView(name))) {
    return forgotten;
  }
  llvm::Module module("", function.getContext());
  module.setDataLayout(function.getParent()->getDataLayout());
  auto* like = llvm::Function::Create(function.getFunctionType(),
                                      llvm::GlobalValue::ExternalLinkage, name, module);
  llvm::inferNonMandatoryLibFuncAttrs(*like, llvm::TargetLibraryInfo(Library()));
  for (const llvm::Argument& argument : like->args()) {
    if (argument.hasNoCaptureAttr()) forgotten.set(argument.getArgNo());
  }
  return forgotten;
}

// The variable that `address` points to or into; null if `address` is anything else.
const llvm::GlobalVariable* VariableAt(const llvm::Constant& address) {
  const llvm::Constant* at = &address;
  while (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(at)) {
    if (!expression->getType()->isPointerTy() ||
        !expression->getOperand(0)->getType()->isPointerTy()) {
      return nullptr;
    }
    at = expression->getOperand(0);
  }
  return llvm::dyn_cast<llvm::GlobalVariable>(at);
}

}  // namespace

void AddressEscape::Find(const llvm::Function& function, IsAskedFor is_asked_for,
                         Variables& escaping) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    for (const llvm::Use& operand : instruction.operands()) {
      const auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get());
      if (constant == nullptr || llvm::isa<llvm::ConstantData, llvm::Function>(constant)) continue;
      const llvm::GlobalVariable* variable = VariableAt(*constant);
      if (variable == nullptr) {
        FindIn(*constant, is_asked_for, escaping);
      } else if (is_asked_for(*variable) && !escaping.contains(variable)) {
        if (MayEscapeFrom(instruction, operand.getOperandNo())) {
          escaping.insert(variable);
        } else {
          // The addresses that are read from it may get anywhere.
          FindIn(*variable->getInitializer(), is_asked_for, escaping);
        }
      }
    }
  }
}

void AddressEscape::FindIn(const llvm::Constant& constant, IsAskedFor is_asked_for,
                           Variables& escaping) {
  llvm::SmallVector<const llvm::Constant*, 8> left = {&constant};
  llvm::SmallPtrSet<const llvm::Constant*, 8> seen;
  while (!left.empty()) {
    const llvm::Constant* part = left.pop_back_val();
    if (llvm::isa<llvm::ConstantData>(part) || !seen.insert(part).second) continue;
    if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(part)) {
      if (is_asked_for(*variable)) escaping.insert(variable);
    } else if (!llvm::isa<llvm::GlobalValue>(part)) {
      for (const llvm::Use& operand : part->operands()) {
        // A block address has an operand that is not a constant.
        if (auto* inner = llvm::dyn_cast<llvm::Constant>(operand.get())) left.push_back(inner);
      }
    }
  }
}

bool AddressEscape::MayEscapeFrom(const llvm::Instruction& instruction, unsigned operand) {
  if (llvm::isa<llvm::LoadInst>(instruction)) return false;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return operand != store->getPointerOperandIndex();
  }
  if (llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::CastInst,
                llvm::FreezeInst>(instruction)) {
    return !instruction.getType()->isPointerTy() || llvm_version::MayBeCaptured(instruction);
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call == nullptr || operand >= call->arg_size() || !ForgetsArgument(*call, operand);
}

bool AddressEscape::ForgetsArgument(const llvm::CallBase& call, unsigned argument) {
  if (call.doesNotCapture(argument)) return true;
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || call.isNoBuiltin() || argument >= callee->arg_size()) return false;
  auto [found, is_new] = forgotten_.try_emplace(callee);
  if (is_new) found->second = ForgottenParameters(*callee);
  return found->second.test(argument);
}

}  // namespace firstcall
