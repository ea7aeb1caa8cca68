#include "backend/llvm/whole_cpu.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "backend/llvm/compared_constructs.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Operator.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace firstcall {
namespace {

constexpr llvm::StringLiteral kCpu = "target-cpu";
constexpr llvm::StringLiteral kTuneCpu = "tune-cpu";
constexpr llvm::StringLiteral kFeatures = "target-features";

constexpr llvm::StringLiteral kUnsafeMath = "unsafe-fp-math";

// The widest vectors and atomic accesses that are the same on all machines.
constexpr uint64_t kVectorBits = 128;
constexpr uint64_t kAtomicBits = 64;

// Integers that are elements of vectors as they are; others are made wider, to which width depends
// on the CPU.
bool IsVectorElement(llvm::Type* type) {
  return type->isIntegerTy(8) || type->isIntegerTy(16) || type->isIntegerTy(32) ||
         type->isIntegerTy(64) || type->isFloatTy() || type->isDoubleTy() || type->isPointerTy();
}

// Whether values of `type` are passed in the same registers, whatever the CPU has.
bool IsPassedTheSame(llvm::Type* type, const llvm::DataLayout& layout) {
  if (auto* vector = llvm::dyn_cast<llvm::VectorType>(type)) {
    return !vector->isScalableTy() && IsVectorElement(vector->getElementType()) &&
           layout.getTypeSizeInBits(vector).getFixedValue() <= kVectorBits;
  }
  if (type->is16bitFPTy() || type->isX86_AMXTy() || type->isTargetExtTy()) return false;
  return llvm::all_of(type->subtypes(),
                      [&](llvm::Type* part) { return IsPassedTheSame(part, layout); });
}

bool IsCalledTheSame(const llvm::FunctionType& type, llvm::CallingConv::ID convention,
                     const llvm::DataLayout& layout) {
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
  const auto is_passed_the_same = [&](llvm::Type* type) { return IsPassedTheSame(type, layout); };
  return is_passed_the_same(type.getReturnType()) &&
         llvm::all_of(type.params(), is_passed_the_same);
}

// Assembly may destroy registers that only the new CPU has, and may call functions.
bool IsAssembly(const llvm::CallBase& call) {
  const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  return assembly != nullptr && !assembly->getAsmString().empty();
}

bool IsCallTheSame(const llvm::CallBase& call, const llvm::DataLayout& layout) {
  if (call.getIntrinsicID() != llvm::Intrinsic::not_intrinsic) return true;
  // The type of a variadic function does not have all arguments.
  return !IsAssembly(call) &&
         IsCalledTheSame(*call.getFunctionType(), call.getCallingConv(), layout) &&
         llvm::all_of(call.args(), [&](const llvm::Use& argument) {
           return IsPassedTheSame(argument->getType(), layout);
         });
}

// Some CPUs compute with 16-bit floating-point numbers as others compute with wider ones, and flush
// those that are denormal.
bool HasShortFloats(const llvm::Instruction& instruction) {
  const auto is_short = [](llvm::Type* type) { return type->getScalarType()->is16bitFPTy(); };
  return is_short(instruction.getType()) ||
         llvm::any_of(instruction.operands(),
                      [&](const llvm::Use& operand) { return is_short(operand->getType()); });
}

bool IsTheSame(const llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  if (HasShortFloats(instruction)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    return IsCallTheSame(*call, layout);
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

// Whether `machine` has all that the function's own CPU and features have. Some features forbid
// code (retpolines), and no machine has them. A function that excludes a feature has a CPU that
// there may not be, for which LLVM may lack rules.
bool HasOwnCpu(const llvm::TargetMachine& machine, const llvm::Function& function) {
  llvm::SmallVector<llvm::StringRef, 64> features;
  llvm::StringRef cpu = function.getFnAttribute(kCpu).getValueAsString();
  if (cpu == "generic") cpu = "x86-64";
  if (!cpu.empty()) {
    if (llvm::X86::parseArchX86(cpu) == llvm::X86::CK_None) return false;
    llvm::X86::getFeaturesForCPU(cpu, features, /*NeedPlus=*/true);
  }
  function.getFnAttribute(kFeatures).getValueAsString().split(features, ',', /*MaxSplit=*/-1,
                                                              /*KeepEmpty=*/false);
  const llvm::MCSubtargetInfo& target = *machine.getMCSubtargetInfo();
  const llvm::ArrayRef<llvm::SubtargetFeatureKV> known = target.getAllProcessorFeatures();
  return llvm::all_of(features, [&](llvm::StringRef feature) {
    if (!feature.consume_front("+")) return false;
    const auto* found = llvm::lower_bound(known, feature);
    return found != known.end() && found->Key == feature &&
           target.getFeatureBits().test(found->Value);
  });
}

// LLVM 19 takes a few times as long for a large function if the CPU has AVX-512: its pass that
// moves values between kinds of registers takes time in proportion to the square of their number.
// Measured in docs/adr/0046.
constexpr size_t kMostInstructions = 3000;

// Variables of the source may still be in memory. The accesses to these are what takes no time,
// because they become registers.
bool IsSmall(const llvm::Function& function) {
  const size_t count = function.getInstructionCount();
  if (count <= kMostInstructions) return true;
  return count - static_cast<size_t>(
                     llvm::count_if(llvm::instructions(function),
                                    [](const llvm::Instruction& instruction) {
                                      return llvm::isa<llvm::AllocaInst>(instruction) ||
                                             llvm::isa_and_nonnull<llvm::AllocaInst>(
                                                 llvm::getLoadStorePointerOperand(&instruction)) ||
                                             instruction.isDebugOrPseudoInst() ||
                                             instruction.isLifetimeStartOrEnd();
                                    })) <=
         kMostInstructions;
}

bool StaysTheSame(const llvm::Function& function, const llvm::TargetMachine& machine) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  return HasOwnCpu(machine, function) && IsSmall(function) && HasOnlyCompared(function) &&
         IsCalledTheSame(*function.getFunctionType(), function.getCallingConv(), layout) &&
         llvm::all_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
           return IsTheSame(instruction, layout);
         });
}

bool NamesItsCpu(const llvm::Function& function) {
  return function.hasFnAttribute(kCpu) || function.hasFnAttribute(kFeatures);
}

// Replaces what may be fused by a multiplication and an addition that may not.
void Separate(llvm::Function& function) {
  function.removeFnAttr(kUnsafeMath);  // It allows fusing without the flag.
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

// The value that a CPU without AVX-512 makes of `conversion`, a conversion to unsigned integers.
// Numbers that are out of range have it, too: programs convert negative ones.
llvm::Value* ConvertBySigned(llvm::FPToUIInst& conversion) {
  llvm::IRBuilder<> builder(&conversion);
  llvm::Value* number = conversion.getOperand(0);
  llvm::Type* type = conversion.getType();
  llvm::Type* wide = type->getWithNewBitWidth(64);
  llvm::Value* integer = builder.CreateFPToSI(number, wide);
  if (wide != type) return builder.CreateTrunc(integer, type);
  constexpr double kTwoTo63 = 9223372036854775808.0;
  llvm::Value* limit = llvm::ConstantFP::get(number->getType(), kTwoTo63);
  llvm::Value* above =
      builder.CreateOr(builder.CreateFPToSI(builder.CreateFSub(number, limit), wide),
                       llvm::ConstantInt::get(wide, uint64_t{1} << 63));
  return builder.CreateSelect(builder.CreateFCmpULT(number, limit), integer, above);
}

// AVX-512 has instructions for these conversions, with other results out of range.
void KeepConversions(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* conversion = llvm::dyn_cast<llvm::FPToUIInst>(&instruction);
    if (conversion == nullptr) continue;
    const unsigned bits = conversion->getType()->getScalarSizeInBits();
    llvm::Type* number = conversion->getSrcTy()->getScalarType();
    if ((bits != 32 && bits != 64) || !(number->isFloatTy() || number->isDoubleTy())) continue;
    llvm::Value* value = ConvertBySigned(*conversion);
    value->takeName(conversion);
    conversion->replaceAllUsesWith(value);
    conversion->eraseFromParent();
  }
}

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
  if (machine.Options.AllowFPOpFusion == llvm::FPOpFusion::Fast) return false;
  const auto asks = [](const llvm::Function& function) {
    return !function.isDeclaration() && NamesItsCpu(function);
  };
  if (llvm::none_of(module, asks)) return false;
  // All or none: LLVM does not inline what has features that the caller lacks, and what it inlines
  // gets the caller's CPU.
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() && !StaysTheSame(function, machine)) return false;
  }
  for (llvm::Function& function : module) {
    if (!asks(function)) continue;
    const llvm::TargetSubtargetInfo& own = *machine.getSubtargetImpl(function);
    const bool fuses = own.checkFeatures("+fma") || own.checkFeatures("+fma4");
    if (!fuses) Separate(function);
    if (!own.checkFeatures("+avx512f")) KeepConversions(function);
    const std::string features = FeaturesOf(function, machine);
    function.removeFnAttr(kTuneCpu);
    function.addFnAttr(kCpu, machine.getTargetCPU());
    if (!features.empty()) function.addFnAttr(kFeatures, features);
  }
  return true;
}

}  // namespace firstcall
