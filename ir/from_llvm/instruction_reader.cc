#include "ir/from_llvm/instruction_reader.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "ir/constrained.h"
#include "ir/from_llvm/opcodes.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Casting.h"
#include "third_party/llvm/version/instructions.h"

namespace firstcall::ir {
namespace {

uint32_t SizeOf32(size_t size) { return static_cast<uint32_t>(size); }

// Whether the instruction has metadata that its code depends on.
bool HasUnknownMetadata(const llvm::Instruction& source) {
  return source.hasMetadataOtherThanDebugLoc() &&
         (source.hasMetadata(llvm::LLVMContext::MD_pcsections) ||
          source.hasMetadata(llvm::LLVMContext::MD_make_implicit));
}

void SetScope(llvm::SyncScope::ID scope, Instruction& instruction) {
  instruction.is_singlethread = scope == llvm::SyncScope::SingleThread;
  instruction.has_other_scope =
      scope != llvm::SyncScope::SingleThread && scope != llvm::SyncScope::System;
}

uint8_t BitsOf(llvm::AtomicOrdering ordering) { return static_cast<uint8_t>(OrderingOf(ordering)); }

uint8_t LogOf(llvm::Align alignment) { return static_cast<uint8_t>(llvm::Log2(alignment)); }

}  // namespace

absl::Status InstructionReader::Read(const llvm::Function& source, Function& body) {
  body_ = &body;
  metadata_ = Operand();
  texts_.clear();
  has_stranger_ = false;
  operands_.Clear();
  blocks_.Clear();
  constants_.BeginFunction(body, operands_);
  NumberAll(source);
  for (const llvm::BasicBlock& block : source) FIRSTCALL_RETURN_IF_ERROR(ReadBlock(block));
  if (has_stranger_) return absl::InvalidArgumentError("it uses what is not its own");
  body.CountUses();
  return absl::OkStatus();
}

// Numbers values and blocks, because a use may stand before the definition.
void InstructionReader::NumberAll(const llvm::Function& source) {
  uint32_t value = 0, block_number = 0;
  for (const llvm::Argument& argument : source.args()) {
    body_->AddArgument(types_.TypeOf(argument.getType()));
    operands_.Insert(&argument, Operand::Value(value++));
  }
  for (const llvm::BasicBlock& block : source) {
    blocks_.Insert(&block, block_number++);
    for (const llvm::Instruction& instruction : block) {
      if (instruction.getType()->isVoidTy()) continue;
      operands_.Insert(&instruction, Operand::Value(value++));
    }
  }
}

absl::Status InstructionReader::ReadBlock(const llvm::BasicBlock& source) {
  const uint32_t number = SizeOf32(body_->blocks.size());
  const uint32_t first = SizeOf32(body_->instructions.size());
  bool is_ended = false;
  for (const llvm::Instruction& instruction : source) {
    if (is_ended) break;
    FIRSTCALL_RETURN_IF_ERROR(ReadInstruction(instruction));
    is_ended = IsTerminator(body_->instructions.back().opcode);
  }
  const uint32_t count = SizeOf32(body_->instructions.size()) - first;
  if (!is_ended || count != source.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("block ", number, " does not end with its only terminator"));
  }
  Block& block = body_->blocks.emplace_back();
  block.first_instruction = first;
  block.instruction_count = count;
  block.has_address_taken = source.hasAddressTaken();
  return absl::OkStatus();
}

absl::Status InstructionReader::ReadInstruction(const llvm::Instruction& source) {
  const uint32_t number = SizeOf32(body_->instructions.size());
  Instruction& instruction = body_->instructions.emplace_back();
  if (!FindOpcode(source.getOpcode(), instruction.opcode)) {
    return absl::UnimplementedError(absl::StrCat("instruction ", source.getOpcodeName()));
  }
  instruction.type = types_.TypeOf(source.getType());
  instruction.block = SizeOf32(body_->blocks.size());
  instruction.first_operand = SizeOf32(body_->operands.size());
  instruction.first_target = SizeOf32(body_->targets.size());
  if (!instruction.type->IsVoid()) {
    instruction.value = SizeOf32(body_->values.size());
    Value& value = body_->values.emplace_back();
    value.type = instruction.type;
    value.instruction = number;
  }
  if (source.getRawSubclassOptionalData() != 0) ReadFlags(source, instruction);
  if (source.hasMetadata()) instruction.has_unknown = HasUnknownMetadata(source);
  ReadDetails(source, instruction);
  instruction.operand_count = SizeOf32(body_->operands.size()) - instruction.first_operand;
  instruction.target_count = SizeOf32(body_->targets.size()) - instruction.first_target;
  return absl::OkStatus();
}

void InstructionReader::ReadDetails(const llvm::Instruction& source, Instruction& instruction) {
  switch (source.getOpcode()) {
    case llvm::Instruction::Br:
      return ReadBranch(llvm::cast<llvm::BranchInst>(source));
    case llvm::Instruction::Switch:
      return ReadSwitch(llvm::cast<llvm::SwitchInst>(source));
    case llvm::Instruction::IndirectBr:
      return ReadIndirectBranch(llvm::cast<llvm::IndirectBrInst>(source));
    case llvm::Instruction::Call:
    case llvm::Instruction::Invoke:
    case llvm::Instruction::CallBr:
      return ReadCall(llvm::cast<llvm::CallBase>(source), instruction);
    case llvm::Instruction::CleanupPad:
    case llvm::Instruction::CatchPad:
    case llvm::Instruction::CleanupRet:
    case llvm::Instruction::CatchRet:
    case llvm::Instruction::CatchSwitch:
      return ReadPads(source);
    case llvm::Instruction::LandingPad:
      return ReadLandingPad(llvm::cast<llvm::LandingPadInst>(source), instruction);
    case llvm::Instruction::PHI:
      return ReadPhi(llvm::cast<llvm::PHINode>(source));
    case llvm::Instruction::Alloca:
      return ReadAlloca(llvm::cast<llvm::AllocaInst>(source), instruction);
    case llvm::Instruction::Load:
      return ReadLoad(llvm::cast<llvm::LoadInst>(source), instruction);
    case llvm::Instruction::Store:
      return ReadStore(llvm::cast<llvm::StoreInst>(source), instruction);
    case llvm::Instruction::Fence:
      return ReadFence(llvm::cast<llvm::FenceInst>(source), instruction);
    case llvm::Instruction::AtomicCmpXchg:
      return ReadCompareExchange(llvm::cast<llvm::AtomicCmpXchgInst>(source), instruction);
    case llvm::Instruction::AtomicRMW:
      return ReadReadModifyWrite(llvm::cast<llvm::AtomicRMWInst>(source), instruction);
    case llvm::Instruction::GetElementPtr:
      instruction.source_type =
          types_.TypeOf(llvm::cast<llvm::GetElementPtrInst>(source).getSourceElementType());
      return AddOperands(source);
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp:
      instruction.code = static_cast<uint8_t>(llvm::cast<llvm::CmpInst>(source).getPredicate());
      return AddOperands(source);
    case llvm::Instruction::ShuffleVector:
      AddOperands(source);
      return AddOperand(llvm::cast<llvm::ShuffleVectorInst>(source).getShuffleMaskForBitcode());
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::InsertValue: {
      const auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&source);
      const llvm::ArrayRef<unsigned> indices =
          extract != nullptr ? extract->getIndices()
                             : llvm::cast<llvm::InsertValueInst>(source).getIndices();
      body_->targets.insert(body_->targets.end(), indices.begin(), indices.end());
      return AddOperands(source);
    }
    default:
      return AddOperands(source);
  }
}

void InstructionReader::ReadFlags(const llvm::Instruction& source, Instruction& instruction) {
  if (const auto* number = llvm::dyn_cast<llvm::FPMathOperator>(&source)) {
    instruction.fast_math = FastMathOf(number->getFastMathFlags());
  } else if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&source)) {
    instruction.is_inbounds = address->isInBounds();
  } else if (const auto* operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&source)) {
    instruction.no_signed_wrap = operation->hasNoSignedWrap();
    instruction.no_unsigned_wrap = operation->hasNoUnsignedWrap();
  } else if (const auto* truncation = llvm::dyn_cast<llvm::TruncInst>(&source)) {
    instruction.no_signed_wrap = truncation->hasNoSignedWrap();
    instruction.no_unsigned_wrap = truncation->hasNoUnsignedWrap();
  } else if (llvm::isa<llvm::PossiblyExactOperator>(source)) {
    instruction.is_exact = source.isExact();
  }
}

void InstructionReader::AddOperands(const llvm::User& source) {
  for (const llvm::Use& use : source.operands()) AddOperand(use.get());
}

void InstructionReader::AddTarget(const llvm::BasicBlock* block) {
  const uint32_t* const number = blocks_.Find(block);
  if (number == nullptr) has_stranger_ = true;
  body_->targets.push_back(number == nullptr ? 0 : *number);
}

Operand InstructionReader::NewOperandOf(const llvm::Value* value) {
  if (llvm::isa<llvm::Constant, llvm::InlineAsm>(value)) return constants_.OperandOf(*value);
  if (llvm::isa<llvm::MetadataAsValue>(value)) return MetadataOperand(*value);
  has_stranger_ = true;
  return Operand();
}

Operand InstructionReader::MetadataOperand(const llvm::Value& value) {
  if (metadata_.IsNothing()) metadata_ = AddMetadata(value);
  return metadata_;
}

Operand InstructionReader::AddMetadata(const llvm::Value& value) {
  const size_t number = body_->module().constants().size() + body_->constants.size();
  Constant& metadata = body_->constants.emplace_back();
  metadata.kind = ConstantKind::kMetadata;
  metadata.type = types_.TypeOf(value.getType());
  return Operand::Constant(SizeOf32(number));
}

Operand InstructionReader::TextOperand(const llvm::Value& argument) {
  const auto* const metadata = llvm::dyn_cast<llvm::MetadataAsValue>(&argument);
  const auto* const text =
      metadata == nullptr ? nullptr : llvm::dyn_cast<llvm::MDString>(metadata->getMetadata());
  if (text == nullptr) return OperandOf(&argument);
  const absl::string_view characters(text->getString().data(), text->getString().size());
  for (Operand known : texts_) {
    if (body_->constant(known).data() == characters) return known;
  }
  const Operand added = texts_.emplace_back(AddMetadata(argument));
  body_->constants.back().set_data(body_->data.emplace_back(characters));
  return added;
}

void InstructionReader::ReadBranch(const llvm::BranchInst& source) {
  if (source.isConditional()) AddOperand(source.getCondition());
  // successors() would list them in another order.
  for (unsigned i = 0; i < source.getNumSuccessors(); ++i) AddTarget(source.getSuccessor(i));
}

void InstructionReader::ReadSwitch(const llvm::SwitchInst& source) {
  AddOperand(source.getCondition());
  AddTarget(source.getDefaultDest());
  for (const auto& one : source.cases()) {
    AddOperand(one.getCaseValue());
    AddTarget(one.getCaseSuccessor());
  }
}

void InstructionReader::ReadIndirectBranch(const llvm::IndirectBrInst& source) {
  AddOperand(source.getAddress());
  for (const llvm::BasicBlock* target : source.successors()) AddTarget(target);
}

void InstructionReader::ReadCall(const llvm::CallBase& source, Instruction& instruction) {
  instruction.call = SizeOf32(body_->calls.size());
  Call& call = body_->calls.emplace_back();
  call.function_type = types_.TypeOf(source.getFunctionType());
  call.attributes = attributes_.ListOf(source.getAttributes());
  call.convention = static_cast<CallingConvention>(source.getCallingConv());
  call.has_bundles = source.hasOperandBundles();
  call.argument_count = source.arg_size();
  if (const auto* plain = llvm::dyn_cast<llvm::CallInst>(&source)) {
    call.is_tail = plain->getTailCallKind() == llvm::CallInst::TCK_Tail;
    call.is_must_tail = plain->isMustTailCall();
    call.is_no_tail = plain->isNoTailCall();
  } else {
    ReadCallTargets(source);
  }
  const auto* const callee = llvm::dyn_cast<llvm::Function>(source.getCalledOperand());
  if (callee != nullptr && callee->isIntrinsic() &&
      IsConstrainedName({callee->getName().data(), callee->getName().size()})) {
    for (const llvm::Use& argument : source.args()) {
      body_->operands.push_back(TextOperand(*argument.get()));
    }
  } else {
    for (const llvm::Use& argument : source.args()) AddOperand(argument.get());
  }
  AddOperand(source.getCalledOperand());
}

void InstructionReader::ReadCallTargets(const llvm::CallBase& source) {
  if (const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&source)) {
    AddTarget(invoke->getNormalDest());
    AddTarget(invoke->getUnwindDest());
  } else if (const auto* branch = llvm::dyn_cast<llvm::CallBrInst>(&source)) {
    AddTarget(branch->getDefaultDest());
    for (const llvm::BasicBlock* target : branch->getIndirectDests()) AddTarget(target);
  }
}

// The pads and the terminators of Windows' exceptions: the pad first, then arguments; the handlers
// first, then where unwinding goes on.
void InstructionReader::ReadPads(const llvm::Instruction& source) {
  if (const auto* pad = llvm::dyn_cast<llvm::FuncletPadInst>(&source)) {
    AddOperand(pad->getParentPad());
    for (const llvm::Use& argument : pad->arg_operands()) AddOperand(argument.get());
  } else if (const auto* choice = llvm::dyn_cast<llvm::CatchSwitchInst>(&source)) {
    AddOperand(choice->getParentPad());
    for (const llvm::BasicBlock* handler : choice->handlers()) AddTarget(handler);
    if (choice->hasUnwindDest()) AddTarget(choice->getUnwindDest());
  } else if (const auto* cleanup = llvm::dyn_cast<llvm::CleanupReturnInst>(&source)) {
    AddOperand(cleanup->getCleanupPad());
    if (cleanup->hasUnwindDest()) AddTarget(cleanup->getUnwindDest());
  } else if (const auto* handled = llvm::dyn_cast<llvm::CatchReturnInst>(&source)) {
    AddOperand(handled->getCatchPad());
    AddTarget(handled->getSuccessor());
  }
}

void InstructionReader::ReadLandingPad(const llvm::LandingPadInst& source,
                                       Instruction& instruction) {
  instruction.is_cleanup = source.isCleanup();
  for (unsigned i = 0; i < source.getNumClauses(); ++i) {
    AddOperand(source.getClause(i));
    body_->targets.push_back(source.isFilter(i) ? 1 : 0);
  }
}

void InstructionReader::ReadPhi(const llvm::PHINode& source) {
  for (unsigned i = 0; i < source.getNumIncomingValues(); ++i) {
    AddOperand(source.getIncomingValue(i));
    AddTarget(source.getIncomingBlock(i));
  }
}

void InstructionReader::ReadAlloca(const llvm::AllocaInst& source, Instruction& instruction) {
  instruction.source_type = types_.TypeOf(source.getAllocatedType());
  instruction.alignment_log = LogOf(source.getAlign());
  instruction.is_inalloca = source.isUsedWithInAlloca();
  instruction.is_swift_error = source.isSwiftError();
  AddOperand(source.getArraySize());
}

void InstructionReader::ReadLoad(const llvm::LoadInst& source, Instruction& instruction) {
  instruction.is_volatile = source.isVolatile();
  instruction.alignment_log = LogOf(source.getAlign());
  instruction.ordering = BitsOf(source.getOrdering());
  if (instruction.IsAtomic()) SetScope(source.getSyncScopeID(), instruction);
  AddOperand(source.getPointerOperand());
}

void InstructionReader::ReadStore(const llvm::StoreInst& source, Instruction& instruction) {
  instruction.is_volatile = source.isVolatile();
  instruction.alignment_log = LogOf(source.getAlign());
  instruction.ordering = BitsOf(source.getOrdering());
  if (instruction.IsAtomic()) SetScope(source.getSyncScopeID(), instruction);
  AddOperand(source.getPointerOperand());
  AddOperand(source.getValueOperand());
}

void InstructionReader::ReadFence(const llvm::FenceInst& source, Instruction& instruction) {
  instruction.ordering = BitsOf(source.getOrdering());
  SetScope(source.getSyncScopeID(), instruction);
}

void InstructionReader::ReadCompareExchange(const llvm::AtomicCmpXchgInst& source,
                                            Instruction& instruction) {
  instruction.is_volatile = source.isVolatile();
  instruction.is_weak = source.isWeak();
  instruction.alignment_log = LogOf(source.getAlign());
  instruction.ordering = BitsOf(source.getSuccessOrdering());
  instruction.failure_ordering = BitsOf(source.getFailureOrdering());
  SetScope(source.getSyncScopeID(), instruction);
  AddOperands(source);
}

void InstructionReader::ReadReadModifyWrite(const llvm::AtomicRMWInst& source,
                                            Instruction& instruction) {
  instruction.code = llvm_version::BitcodeNumberOf(source.getOperation());
  instruction.is_volatile = source.isVolatile();
  instruction.alignment_log = LogOf(source.getAlign());
  instruction.ordering = BitsOf(source.getOrdering());
  SetScope(source.getSyncScopeID(), instruction);
  AddOperands(source);
}

}  // namespace firstcall::ir
