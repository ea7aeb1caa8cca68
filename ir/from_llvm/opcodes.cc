#include "ir/from_llvm/opcodes.h"

#include "llvm/Bitcode/LLVMBitCodes.h"
#include "llvm/IR/Instruction.h"

namespace firstcall::ir {
namespace {

using llvm::Instruction;

struct Pair {
  unsigned source;
  Opcode opcode;
};

constexpr Pair kPairs[] = {
    {Instruction::Ret, Opcode::kRet},
    {Instruction::Br, Opcode::kBr},
    {Instruction::Switch, Opcode::kSwitch},
    {Instruction::IndirectBr, Opcode::kIndirectBr},
    {Instruction::Invoke, Opcode::kInvoke},
    {Instruction::CallBr, Opcode::kCallBr},
    {Instruction::Resume, Opcode::kResume},
    {Instruction::Unreachable, Opcode::kUnreachable},
    {Instruction::CleanupRet, Opcode::kCleanupRet},
    {Instruction::CatchRet, Opcode::kCatchRet},
    {Instruction::CatchSwitch, Opcode::kCatchSwitch},
    {Instruction::FNeg, Opcode::kFNeg},
    {Instruction::Add, Opcode::kAdd},
    {Instruction::FAdd, Opcode::kFAdd},
    {Instruction::Sub, Opcode::kSub},
    {Instruction::FSub, Opcode::kFSub},
    {Instruction::Mul, Opcode::kMul},
    {Instruction::FMul, Opcode::kFMul},
    {Instruction::UDiv, Opcode::kUDiv},
    {Instruction::SDiv, Opcode::kSDiv},
    {Instruction::FDiv, Opcode::kFDiv},
    {Instruction::URem, Opcode::kURem},
    {Instruction::SRem, Opcode::kSRem},
    {Instruction::FRem, Opcode::kFRem},
    {Instruction::Shl, Opcode::kShl},
    {Instruction::LShr, Opcode::kLShr},
    {Instruction::AShr, Opcode::kAShr},
    {Instruction::And, Opcode::kAnd},
    {Instruction::Or, Opcode::kOr},
    {Instruction::Xor, Opcode::kXor},
    {Instruction::Alloca, Opcode::kAlloca},
    {Instruction::Load, Opcode::kLoad},
    {Instruction::Store, Opcode::kStore},
    {Instruction::GetElementPtr, Opcode::kGetElementPtr},
    {Instruction::Fence, Opcode::kFence},
    {Instruction::AtomicCmpXchg, Opcode::kCmpXchg},
    {Instruction::AtomicRMW, Opcode::kAtomicRmw},
    {Instruction::Trunc, Opcode::kTrunc},
    {Instruction::ZExt, Opcode::kZExt},
    {Instruction::SExt, Opcode::kSExt},
    {Instruction::FPToUI, Opcode::kFPToUI},
    {Instruction::FPToSI, Opcode::kFPToSI},
    {Instruction::UIToFP, Opcode::kUIToFP},
    {Instruction::SIToFP, Opcode::kSIToFP},
    {Instruction::FPTrunc, Opcode::kFPTrunc},
    {Instruction::FPExt, Opcode::kFPExt},
    {Instruction::PtrToInt, Opcode::kPtrToInt},
    {Instruction::IntToPtr, Opcode::kIntToPtr},
    {Instruction::BitCast, Opcode::kBitCast},
    {Instruction::AddrSpaceCast, Opcode::kAddrSpaceCast},
    {Instruction::CleanupPad, Opcode::kCleanupPad},
    {Instruction::CatchPad, Opcode::kCatchPad},
    {Instruction::ICmp, Opcode::kICmp},
    {Instruction::FCmp, Opcode::kFCmp},
    {Instruction::PHI, Opcode::kPhi},
    {Instruction::Call, Opcode::kCall},
    {Instruction::Select, Opcode::kSelect},
    {Instruction::VAArg, Opcode::kVAArg},
    {Instruction::ExtractElement, Opcode::kExtractElement},
    {Instruction::InsertElement, Opcode::kInsertElement},
    {Instruction::ShuffleVector, Opcode::kShuffleVector},
    {Instruction::ExtractValue, Opcode::kExtractValue},
    {Instruction::InsertValue, Opcode::kInsertValue},
    {Instruction::LandingPad, Opcode::kLandingPad},
    {Instruction::Freeze, Opcode::kFreeze},
};

constexpr std::array<uint8_t, 128> MakeOpcodeTable() {
  std::array<uint8_t, 128> table{};
  for (uint8_t& opcode : table) opcode = kNoOpcode;
  for (const Pair& pair : kPairs) table[pair.source] = static_cast<uint8_t>(pair.opcode);
  return table;
}

}  // namespace

constexpr std::array<uint8_t, 128> kOpcodes = MakeOpcodeTable();

Ordering OrderingOf(llvm::AtomicOrdering ordering) {
  switch (ordering) {
    case llvm::AtomicOrdering::NotAtomic:
      return Ordering::kNotAtomic;
    case llvm::AtomicOrdering::Unordered:
      return Ordering::kUnordered;
    case llvm::AtomicOrdering::Monotonic:
      return Ordering::kMonotonic;
    case llvm::AtomicOrdering::Acquire:
      return Ordering::kAcquire;
    case llvm::AtomicOrdering::Release:
      return Ordering::kRelease;
    case llvm::AtomicOrdering::AcquireRelease:
      return Ordering::kAcquireRelease;
    case llvm::AtomicOrdering::SequentiallyConsistent:
      break;
  }
  return Ordering::kSequentiallyConsistent;
}

uint8_t FastMathOf(const llvm::FastMathFlags& flags) {
  return (flags.allowReassoc() ? llvm::bitc::AllowReassoc : 0) |
         (flags.noNaNs() ? llvm::bitc::NoNaNs : 0) | (flags.noInfs() ? llvm::bitc::NoInfs : 0) |
         (flags.noSignedZeros() ? llvm::bitc::NoSignedZeros : 0) |
         (flags.allowReciprocal() ? llvm::bitc::AllowReciprocal : 0) |
         (flags.allowContract() ? llvm::bitc::AllowContract : 0) |
         (flags.approxFunc() ? llvm::bitc::ApproxFunc : 0);
}

}  // namespace firstcall::ir
