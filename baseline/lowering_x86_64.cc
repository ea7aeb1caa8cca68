#include "baseline/lowering_x86_64.h"

#include <cstring>

#include "baseline/unwind_rows.h"
#include "llvm/IR/Module.h"

namespace firstcall::baseline {
namespace {

// Room in front of the body for the longest prologue.
constexpr uint32_t kPrologueRoom = 48;
constexpr RegisterSet kAllocatableGeneral = SetOf(kRax) | SetOf(kRcx) | SetOf(kRdx) | SetOf(kRsi) |
                                            SetOf(kRdi) | SetOf(kR8) | SetOf(kR9) | SetOf(kR10);
constexpr RegisterSet kAllocatable = kAllocatableGeneral | 0x3fff0000u;  // xmm0 to xmm13
// For tests: those that divisions and shifts need, and three vector registers.
constexpr RegisterSet kFewAllocatable = SetOf(kRax) | SetOf(kRcx) | SetOf(kRdx) | 0x00070000u;
constexpr int64_t kLargestAlignment = 16;

unsigned CountOf(RegisterSet set) { return __builtin_popcount(set); }

bool IsBranchProtected(const llvm::Module& module) {
  const auto* flag = llvm::mdconst::extract_or_null<llvm::ConstantInt>(
      module.getModuleFlag("cf-protection-branch"));
  return flag != nullptr && !flag->isZero();
}

}  // namespace

Refusal LoweringX86_64::Run(const llvm::Function& function, const LoweringOptions& options,
                            CompiledCode& code) {
  options_ = options;
  Begin(function);
  const size_t count = analysis_.order().blocks().size();
  for (uint32_t block = 0; block < count; ++block) CompileBlock(block);
  if (locations_.has_failed()) return Refusal::kRegisters;
  Finish(WritePrologue(), code);
  return Refusal::kNone;
}

RegisterSet LoweringX86_64::SavedRegisters() const {
  return analysis_.fixed_registers() & kCalleeSaved;
}

void LoweringX86_64::Begin(const llvm::Function& function) {
  function_ = &function;
  layout_ = options_.layout != nullptr ? options_.layout : &function.getParent()->getDataLayout();
  assembler_.Clear();
  pool_.Clear();
  symbols_.clear();
  symbol_numbers_.Clear();
  call_sites_.clear();
  address_labels_.Clear();
  unbound_labels_.clear();
  exception_types_.clear();
  epilogues_.clear();
  labels_.assign(analysis_.order().blocks().size(), kNone);
  frame_.Clear(8 * CountOf(SavedRegisters()));
  allocatable_ = options_.has_few_registers ? kFewAllocatable : kAllocatable;
  locations_.Begin(allocatable_);
  block_ = 0;
  for (uint32_t i = 0; i < kPrologueRoom; i += 8) assembler_.Immediate(0, 8);
  for (const llvm::GlobalVariable* table : analysis_.label_tables()) PoolPlaceOf(table);
  ReserveAllocas();
  BindArguments();
}

void LoweringX86_64::ReserveAllocas() {
  for (const llvm::Instruction& instruction : function_->getEntryBlock()) {
    const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (alloca == nullptr || !analysis_.values()[NumberOf(alloca)].is_alloca) continue;
    const uint64_t count = llvm::cast<llvm::ConstantInt>(alloca->getArraySize())->getZExtValue();
    const uint64_t size = layout_->getTypeAllocSize(alloca->getAllocatedType()) * count;
    const int64_t alignment = std::min<int64_t>(alloca->getAlign().value(), kLargestAlignment);
    analysis_.values()[NumberOf(alloca)].slot =
        frame_.Allocate(std::max<uint64_t>(size, 1), alignment);
  }
}

// Arguments come to the registers that are theirs for life, stay in those they arrive in if these
// can be allocated, or go to slots.
void LoweringX86_64::BindArguments() {
  ArgumentPlaces places;
  struct Bound {
    uint32_t part;
    Register reg;
  };
  Bound stays[ArgumentPlaces::kGeneralCount + ArgumentPlaces::kVectorCount];
  unsigned stay_count = 0;
  for (const llvm::Argument& argument : function_->args()) {
    const uint32_t number = NumberOf(&argument);
    if (argument.hasByValAttr()) {
      const llvm::Align alignment = std::max(argument.getParamAlign().valueOrOne(), llvm::Align(8));
      const ArgumentPlace place =
          places.Stack(layout_->getTypeAllocSize(argument.getParamByValType()), alignment.value());
      analysis_.values()[number].slot = 16 + place.offset;
      continue;
    }
    if (number == PointerMap::kMissing) continue;
    const PartList list = PartsOf(argument.getType());
    places.ForEachPart(*argument.getType(), list, [&](unsigned i, const ArgumentPlace& place) {
      if (argument.use_empty()) return;
      ValuePart& part = analysis_.values()[number + i];
      Move move;
      move.is_vector = part.is_vector;
      move.bytes = part.is_vector ? part.bytes : std::max<uint8_t>(part.bytes, 4);
      if (place.reg == kNoRegister) {
        if (!part.is_fixed) {
          // It stays where the caller has put it; that place is never given to another value.
          part.slot = 16 + place.offset;
          part.is_spilled = true;
          return;
        }
        move.source = Move::Source::kMemory;
        move.from_slot = 16 + place.offset;
        move.to = part.reg;
        moves_.Add(move);
        return;
      }
      move.from = place.reg;
      if (part.is_fixed) {
        move.to = part.reg;
      } else if ((allocatable_ & ~analysis_.fixed_registers() & SetOf(place.reg)) != 0) {
        stays[stay_count++] = {number + i, place.reg};
        return;
      } else {
        locations_.GiveSlot(number + i);
        part.is_spilled = true;
        move.to_memory = locations_.SlotOf(number + i);
      }
      moves_.Add(move);
    });
  }
  if (function_->isVarArg()) SaveArgumentRegisters(places);
  result_address_ = 0;
  if (function_->hasStructRetAttr()) {
    result_address_ = frame_.Allocate(8, 8);
    assembler_.Store(8, Mem::At(kRbp, result_address_), kRdi);
  }
  EmitMoves();
  for (unsigned i = 0; i < stay_count; ++i) locations_.DefineIn(stays[i].part, stays[i].reg);
  locations_.Unpin();
}

// The register save area of the psABI, 3.5.7.
void LoweringX86_64::SaveArgumentRegisters(const ArgumentPlaces& places) {
  named_general_ = places.general();
  named_vectors_ = places.vectors();
  named_stack_ = places.stack_bytes();
  register_save_area_ = frame_.Allocate(176, 16);
  for (unsigned i = named_general_; i < ArgumentPlaces::kGeneralCount; ++i) {
    assembler_.Store(8, Mem::At(kRbp, register_save_area_ + 8 * i), ArgumentPlaces::kGeneral[i]);
  }
  const uint32_t without_vectors = NewLabel();
  assembler_.TestRr(1, kRax, kRax);
  assembler_.Jcc(Cond::kE, without_vectors);
  for (unsigned i = named_vectors_; i < ArgumentPlaces::kVectorCount; ++i) {
    assembler_.VectorStore(16, Mem::At(kRbp, register_save_area_ + 48 + 16 * i),
                           static_cast<Register>(kXmm0 + i));
  }
  Bind(without_vectors);
}

void LoweringX86_64::BeginBlock(uint32_t number) {
  block_ = number;
  locations_.SetBlock(number);
  Bind(number);
  const llvm::BasicBlock& block = *analysis_.order().blocks()[number].block;
  if (block.hasAddressTaken() && IsBranchProtected(*function_->getParent())) assembler_.Endbr();
  for (const llvm::PHINode& phi : block.phis()) {
    if (phi.use_empty()) continue;
    const uint32_t value = NumberOf(&phi);
    for (uint32_t part = value; part < value + analysis_.values()[value].parts; ++part) {
      if (analysis_.values()[part].is_fixed) continue;
      locations_.GiveSlot(part);
      analysis_.values()[part].is_spilled = true;
    }
  }
}

void LoweringX86_64::CompileBlock(uint32_t number) {
  BeginBlock(number);
  const llvm::BasicBlock& block = *analysis_.order().blocks()[number].block;
  for (const llvm::Instruction& instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction)) continue;
    const uint32_t value = NumberOf(&instruction);
    if (value != PointerMap::kMissing && analysis_.values()[value].is_deferred) continue;
    if (IsNoOperation(instruction)) {
      for (const llvm::Use& operand : instruction.operands()) CountDown(operand.get());
      continue;
    }
    if (value != PointerMap::kMissing && analysis_.values()[value].uses == 0 &&
        !instruction.mayHaveSideEffects() && !instruction.isEHPad()) {
      EndInstruction(instruction);
      continue;
    }
    Lower(instruction);
    if (instruction.isTerminator()) {
      const bool keeps_registers = KeepsRegisters(instruction);
      EndInstruction(instruction);
      CountDownEdges(instruction);
      locations_.EndBlock();
      if (!keeps_registers) locations_.ForgetRegisters();
      break;
    }
    EndInstruction(instruction);
    if (value != PointerMap::kMissing) locations_.DropIfUnused(value);
  }
}

void LoweringX86_64::CountDown(const llvm::Value* operand) {
  if (llvm::isa<llvm::Constant>(operand)) return;
  const uint32_t number = NumberOf(operand);
  if (number == PointerMap::kMissing) return;
  locations_.Used(number);
  const ValuePart& value = analysis_.values()[number];
  if (value.is_deferred && value.uses == 0) {
    for (const llvm::Use& use : llvm::cast<llvm::Instruction>(operand)->operands()) {
      CountDown(use.get());
    }
  }
}

void LoweringX86_64::EndInstruction(const llvm::Instruction& instruction) {
  for (const llvm::Use& operand : instruction.operands()) CountDown(operand.get());
  locations_.Unpin();
}

void LoweringX86_64::Lower(const llvm::Instruction& instruction) {
  using llvm::Instruction;
  switch (instruction.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
      return LowerBinary(llvm::cast<llvm::BinaryOperator>(instruction));
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FRem:
      return LowerFloatBinary(llvm::cast<llvm::BinaryOperator>(instruction));
    case Instruction::FNeg:
      return LowerNegation(llvm::cast<llvm::UnaryOperator>(instruction));
    case Instruction::FCmp:
      if (instruction.getType()->isVectorTy()) {
        return LowerVectorFloatCompare(llvm::cast<llvm::FCmpInst>(instruction));
      }
      return LowerCompare(llvm::cast<llvm::CmpInst>(instruction));
    case Instruction::ICmp:
      return LowerCompare(llvm::cast<llvm::CmpInst>(instruction));
    case Instruction::Select:
      return LowerSelect(llvm::cast<llvm::SelectInst>(instruction));
    case Instruction::ZExt:
      if (instruction.getType()->isVectorTy()) return LowerLanes(instruction);
      return LowerExtension(llvm::cast<llvm::CastInst>(instruction), false);
    case Instruction::SExt:
      if (instruction.getType()->isVectorTy()) return LowerLanes(instruction);
      return LowerExtension(llvm::cast<llvm::CastInst>(instruction), true);
    case Instruction::Trunc:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr: {
      const auto& cast = llvm::cast<llvm::CastInst>(instruction);
      if (instruction.getType()->isVectorTy()) return LowerLanes(instruction);
      if (BitsOf(cast.getDestTy()) > BitsOf(cast.getSrcTy())) return LowerExtension(cast, false);
      return LowerTruncation(cast);
    }
    case Instruction::Freeze:
      for (unsigned i = 0; i < analysis_.values()[NumberOf(&instruction)].parts; ++i) {
        CopyPart(instruction, i, instruction.getOperand(0), i);
      }
      return;
    case Instruction::BitCast:
      return LowerBitCast(llvm::cast<llvm::CastInst>(instruction));
    case Instruction::FPTrunc:
    case Instruction::FPExt:
      if (instruction.getType()->isVectorTy()) return LowerLanes(instruction);
      return LowerFloatCast(llvm::cast<llvm::CastInst>(instruction));
    case Instruction::SIToFP:
      if (instruction.getType()->isVectorTy()) return LowerLanes(instruction);
      return LowerIntegerToFloat(llvm::cast<llvm::CastInst>(instruction), true);
    case Instruction::UIToFP:
      if (instruction.getType()->isVectorTy()) return LowerLanes(instruction);
      return LowerIntegerToFloat(llvm::cast<llvm::CastInst>(instruction), false);
    case Instruction::FPToSI:
      if (instruction.getType()->isVectorTy()) return LowerLanes(instruction);
      return LowerFloatToInteger(llvm::cast<llvm::CastInst>(instruction), true);
    case Instruction::FPToUI:
      if (instruction.getType()->isVectorTy()) return LowerLanes(instruction);
      return LowerFloatToInteger(llvm::cast<llvm::CastInst>(instruction), false);
    case Instruction::GetElementPtr:
      if (instruction.getType()->isVectorTy()) return LowerLanes(instruction);
      return LowerElementAddress(llvm::cast<llvm::GetElementPtrInst>(instruction));
    case Instruction::Load:
      return LowerLoad(llvm::cast<llvm::LoadInst>(instruction));
    case Instruction::Store:
      return LowerStore(llvm::cast<llvm::StoreInst>(instruction));
    case Instruction::Alloca:
      return LowerAlloca(llvm::cast<llvm::AllocaInst>(instruction));
    case Instruction::AtomicRMW:
      return LowerAtomicUpdate(llvm::cast<llvm::AtomicRMWInst>(instruction));
    case Instruction::AtomicCmpXchg:
      return LowerCompareExchange(llvm::cast<llvm::AtomicCmpXchgInst>(instruction));
    case Instruction::Fence:
      return LowerFence(llvm::cast<llvm::FenceInst>(instruction));
    case Instruction::ExtractValue:
      return LowerExtractValue(llvm::cast<llvm::ExtractValueInst>(instruction));
    case Instruction::InsertValue:
      return LowerInsertValue(llvm::cast<llvm::InsertValueInst>(instruction));
    case Instruction::ExtractElement:
    case Instruction::InsertElement:
    case Instruction::ShuffleVector:
      return LowerLanes(instruction);
    case Instruction::Br:
      return LowerBranch(llvm::cast<llvm::BranchInst>(instruction));
    case Instruction::Switch:
      return LowerSwitch(llvm::cast<llvm::SwitchInst>(instruction));
    case Instruction::IndirectBr:
      return LowerIndirectBranch(llvm::cast<llvm::IndirectBrInst>(instruction));
    case Instruction::Ret:
      return LowerReturn(llvm::cast<llvm::ReturnInst>(instruction));
    case Instruction::Call:
      if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        return LowerIntrinsic(*intrinsic);
      }
      LowerCall(llvm::cast<llvm::CallBase>(instruction));
      return;
    case Instruction::Invoke:
      return LowerInvoke(llvm::cast<llvm::InvokeInst>(instruction));
    case Instruction::LandingPad:
      return LowerLandingPad(llvm::cast<llvm::LandingPadInst>(instruction));
    case Instruction::Resume:
      return LowerResume(llvm::cast<llvm::ResumeInst>(instruction));
    default:  // Unreachable; others are not covered.
      assembler_.Ud2();
  }
}

void LoweringX86_64::EmitEpilogue() {
  const RegisterSet saved = SavedRegisters();
  int32_t offset = 0;
  for (unsigned reg = 0; reg < 16; ++reg) {
    if ((saved >> reg & 1) == 0) continue;
    offset -= 8;
    assembler_.Load(8, static_cast<Register>(reg), Mem::At(kRbp, offset));
  }
  assembler_.Leave();
  const uint32_t begin = assembler_.size();
  assembler_.Ret();
  epilogues_.emplace_back(begin, assembler_.size());
}

// push rbp; mov rbp, rsp; push each saved register; sub rsp, rest
uint32_t LoweringX86_64::WritePrologue() {
  AssemblerX86_64 prologue;
  const RegisterSet saved = SavedRegisters();
  if (IsBranchProtected(*function_->getParent())) prologue.Endbr();
  prologue.Push(kRbp);
  prologue.Mov(8, kRbp, kRsp);
  for (unsigned reg = 0; reg < 16; ++reg) {
    if ((saved >> reg & 1) != 0) prologue.Push(static_cast<Register>(reg));
  }
  const int64_t rest = frame_.SizeBelow(8 * CountOf(saved));
  if (rest != 0 && !FitsRedZone(rest))
    prologue.AluRi(Alu::kSub, 8, kRsp, static_cast<int32_t>(rest));
  const uint32_t begin = kPrologueRoom - prologue.size();
  std::memcpy(const_cast<uint8_t*>(assembler_.buffer().data()) + begin, prologue.buffer().data(),
              prologue.size());
  return begin;
}

void LoweringX86_64::Finish(uint32_t begin, CompiledCode& code) {
  for (size_t i = 0; i < unbound_labels_.size(); i += 2) {
    uint32_t& label = labels_[unbound_labels_[i]];
    if (label == kNone) label = labels_[unbound_labels_[i + 1]];
  }
  const uint32_t end = assembler_.size();
  const uint32_t pool_offset = (end - begin + 15) & ~15u;
  const bool has_exceptions = !call_sites_.empty();
  uint32_t exception_table = 0;
  if (has_exceptions) exception_table = WriteExceptionTable(begin);

  code.sections.resize(2);
  code.relocations.clear();
  code.symbols.clear();
  code.names.clear();
  CodeSection& text = code.sections[0];
  text.kind = SectionKind::kCode;
  text.alignment = 16;
  const size_t pool_size = pool_.bytes().size();
  text.bytes.resize(pool_size == 0 ? end - begin : pool_offset + pool_size, 0xcc);
  std::memcpy(text.bytes.data(), assembler_.buffer().data() + begin, end - begin);
  std::memset(text.bytes.data() + (end - begin), 0xcc,
              std::min<size_t>(text.bytes.size(), pool_offset) - (end - begin));
  if (pool_size != 0) {
    std::memcpy(text.bytes.data() + pool_offset, pool_.bytes().data(), pool_size);
  }
  // Symbol 0 is the function; the others follow in the order of `symbols_`.
  const auto add_symbol = [&](llvm::StringRef prefix, llvm::StringRef name) -> CodeSymbol& {
    CodeSymbol& symbol = code.symbols.emplace_back();
    name.consume_front("\1");
    symbol.name = code.names.size();
    code.names.append(prefix.data(), prefix.size());
    code.names.append(name.data(), name.size());
    symbol.name_size = prefix.size() + name.size();
    return symbol;
  };
  CodeSymbol& own = add_symbol("", function_->getName());
  own.is_defined = true;
  own.is_local = function_->hasLocalLinkage();
  own.size = end - begin;
  for (const Symbol& symbol : symbols_) {
    if (symbol.global == nullptr) {
      add_symbol("", symbol.library_function);
    } else if (symbol.place != kNone) {
      // Nothing else refers to a local one, so it needs no name.
      const bool is_local = symbol.global->hasLocalLinkage();
      CodeSymbol& added =
          is_local ? code.symbols.emplace_back() : add_symbol("", symbol.global->getName());
      added.is_defined = true;
      added.is_local = is_local;
      added.offset = pool_offset + symbol.place;
    } else {
      CodeSymbol& added =
          add_symbol(symbol.is_control ? "__emutls_v." : "", symbol.global->getName());
      added.is_weak = symbol.global->hasExternalWeakLinkage();
    }
  }
  ResolveFixups(begin, pool_offset, code);

  CodeSection& unwind = code.sections[1];
  unwind.kind = SectionKind::kUnwindTable;
  unwind.alignment = 8;
  unwind.bytes.clear();
  UnwindRows rows;
  rows.begin = 0;
  rows.size = end - begin;
  rows.saved_registers = SavedRegisters();
  const uint32_t endbr = IsBranchProtected(*function_->getParent()) ? 4 : 0;
  rows.frame_begin = endbr;
  for (auto& [first, last] : epilogues_) rows.epilogues.push_back({first - begin, last - begin});
  if (has_exceptions) {
    rows.has_exceptions = true;
    rows.exception_table = pool_offset + exception_table;
    rows.personality =
        1 +
        SymbolOf(llvm::cast<llvm::GlobalValue>(function_->getPersonalityFn()->stripPointerCasts()));
  }
  AppendUnwindTable(rows, /*code_section=*/0, /*unwind_section=*/1, /*code_symbol=*/0, code);
}

void LoweringX86_64::ResolveFixups(uint32_t begin, uint32_t pool_offset, CompiledCode& code) {
  std::vector<uint8_t>& text = code.sections[0].bytes;
  for (const RipFixup& fixup : assembler_.fixups()) {
    const uint32_t place = fixup.offset - begin;
    int32_t distance = fixup.addend - static_cast<int32_t>(place);
    if (fixup.kind == RipTarget::kSymbol) {
      code.relocations.push_back(
          {0, place, fixup.target + 1, RelocationKind::kRelative32, fixup.addend});
      continue;
    }
    distance += fixup.kind == RipTarget::kLabel
                    ? static_cast<int32_t>(labels_[fixup.target] - begin)
                    : static_cast<int32_t>(pool_offset + fixup.target);
    std::memcpy(text.data() + place, &distance, 4);
  }
  for (const Pool::Distance& entry : pool_.distances()) {
    const int32_t distance = static_cast<int32_t>(labels_[entry.label] - begin) -
                             static_cast<int32_t>(pool_offset + entry.base);
    std::memcpy(text.data() + pool_offset + entry.offset, &distance, 4);
  }
  for (const Pool::LabelAddress& entry : pool_.label_addresses()) {
    code.relocations.push_back({0, pool_offset + entry.offset, 0, RelocationKind::kAbsolute64,
                                static_cast<int64_t>(labels_[entry.label]) - begin});
  }
  for (const Pool::Address& entry : pool_.addresses()) {
    code.relocations.push_back({0, pool_offset + entry.offset, entry.symbol + 1,
                                RelocationKind::kAbsolute64, entry.addend});
  }
}

}  // namespace firstcall::baseline
