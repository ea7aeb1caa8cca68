#include "codegen/whole_cpu.h"

#include <cstdint>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/TargetParser/Triple.h"

namespace firstcall {
namespace {

constexpr llvm::StringLiteral kCpu = "target-cpu";
constexpr llvm::StringLiteral kTuneCpu = "tune-cpu";
constexpr llvm::StringLiteral kFeatures = "target-features";

// The widest vectors and atomic accesses that are the same on all machines.
constexpr uint64_t kVectorBits = 128;
constexpr uint64_t kAtomicBits = 64;
constexpr uint64_t kPointerBits = 64;

// Whether values of `type` are passed in the same registers, whatever the CPU has.
bool IsPassedTheSame(llvm::Type* type) {
  if (auto* vector = llvm::dyn_cast<llvm::VectorType>(type)) {
    llvm::Type* element = vector->getElementType();
    if (vector->isScalableTy() || element->isIntegerTy(1)) return false;
    const uint64_t bits = element->isPointerTy() ? kPointerBits : element->getScalarSizeInBits();
    return bits * vector->getElementCount().getFixedValue() <= kVectorBits &&
           IsPassedTheSame(element);
  }
  if (type->is16bitFPTy() || type->isX86_AMXTy() || type->isTargetExtTy()) return false;
  return llvm::all_of(type->subtypes(), IsPassedTheSame);
}

bool IsCalledTheSame(const llvm::FunctionType& type, llvm::CallingConv::ID convention) {
  switch (convention) {
    case llvm::CallingConv::C:
    case llvm::CallingConv::Fast:
    case llvm::CallingConv::Cold:
    case llvm::CallingConv::PreserveMost:
    case llvm::CallingConv::Tail:
    case llvm::CallingConv::Swift:
    case llvm::CallingConv::SwiftTail:
      break;
    default:
      return false;
  }
  return IsPassedTheSame(type.getReturnType()) && llvm::all_of(type.params(), IsPassedTheSame);
}

bool IsTheSame(const llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    return intrinsic->getIntrinsicID() != llvm::Intrinsic::experimental_constrained_fmuladd;
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    // The type of a variadic function does not have all arguments.
    return IsCalledTheSame(*call->getFunctionType(), call->getCallingConv()) &&
           llvm::all_of(call->args(), [](const llvm::Use& argument) {
             return IsPassedTheSame(argument->getType());
           });
  }
  if (!instruction.isAtomic() || llvm::isa<llvm::FenceInst>(instruction)) return true;
  llvm::Type* type = instruction.getType();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    type = store->getValueOperand()->getType();
  } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    type = exchange->getCompareOperand()->getType();
  }
  return layout.getTypeSizeInBits(type).getFixedValue() <= kAtomicBits;
}

bool StaysTheSame(const llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  return IsCalledTheSame(*function.getFunctionType(), function.getCallingConv()) &&
         llvm::all_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
           return IsTheSame(instruction, layout);
         });
}

bool NamesItsCpu(const llvm::Function& function) {
  return function.hasFnAttribute(kCpu) || function.hasFnAttribute(kFeatures);
}

// Replaces what may be fused by a multiplication and an addition that may not.
void Separate(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (llvm::isa<llvm::FPMathOperator>(instruction)) instruction.setHasAllowContract(false);
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr || call->getIntrinsicID() != llvm::Intrinsic::fmuladd) continue;
    llvm::IRBuilder<> builder(call);
    builder.setFastMathFlags(call->getFastMathFlags());
    llvm::Value* product = builder.CreateFMul(call->getArgOperand(0), call->getArgOperand(1));
    llvm::Value* sum = builder.CreateFAdd(product, call->getArgOperand(2));
    sum->takeName(call);
    call->replaceAllUsesWith(sum);
    call->eraseFromParent();
  }
}

// Later features win.
std::string FeaturesOf(const llvm::Function& function, const llvm::TargetMachine& machine) {
  std::string features = machine.getTargetFeatureString().str();
  const llvm::StringRef own = function.getFnAttribute(kFeatures).getValueAsString();
  if (!features.empty() && !own.empty()) features += ',';
  return features + own.str();
}

}  // namespace

bool UseWholeCpu(llvm::Module& module, const llvm::TargetMachine& machine) {
  if (machine.getTargetTriple().getArch() != llvm::Triple::x86_64) return false;
  if (machine.getTargetCPU().empty()) return false;
  // All or none: LLVM does not inline what has features that the caller lacks.
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() && !StaysTheSame(function)) return false;
  }
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !NamesItsCpu(function)) continue;
    const llvm::TargetSubtargetInfo& own = *machine.getSubtargetImpl(function);
    const bool fuses = own.checkFeatures("+fma") || own.checkFeatures("+fma4");
    if (!fuses) Separate(function);
    const std::string features = FeaturesOf(function, machine);
    function.removeFnAttr(kTuneCpu);
    function.addFnAttr(kCpu, machine.getTargetCPU());
    if (!features.empty()) function.addFnAttr(kFeatures, features);
  }
  return true;
}

}  // namespace firstcall
