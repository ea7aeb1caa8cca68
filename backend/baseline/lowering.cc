#include "backend/baseline/lowering.h"

#include <algorithm>
#include <cstring>

#include "backend/baseline/coverage.h"
#include "backend/baseline/symbol_name.h"
#include "backend/baseline/unwind_rows.h"
#include "backend/baseline/value_slots.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/Module.h"

namespace firstcall::baseline {
namespace {

// A personality routine that LLVM does not know must be called for each frame, even if the frame
// catches and cleans up nothing.
bool HasUnknownPersonality(const llvm::Function& function) {
  return function.hasPersonalityFn() &&
         !llvm::isNoOpWithoutInvoke(llvm::classifyEHPersonality(function.getPersonalityFn()));
}

// In larger frames, distances do not fit the types that hold them.
constexpr int64_t kLargestFrame = int64_t{1} << 30;

unsigned CountOf(RegisterSet set) { return __builtin_popcountll(set); }

}  // namespace

Refusal Lowering::Run(const llvm::Function& function, const LoweringOptions& options,
                      CompiledCode& code) {
  options_ = options;
  function_ = &function;
  Prepare();
  Begin(function);
  const size_t count = analysis_.order().blocks().size();
  for (uint32_t block = 0; block < count; ++block) CompileBlock(block);
  if (locations_.has_failed()) return Refusal::kRegisters;
  const int64_t frame_size = frame_.used() + frame_.outgoing();
  if (frame_size > kLargestFrame) return Refusal::kSize;
  if (frame_size > LargestUnprobedFrame()) return Refusal::kFunctionAttribute;
  EndBody();
  return Finish(WritePrologue(), code) ? Refusal::kNone : Refusal::kReach;
}

int64_t Lowering::LargestUnprobedFrame() const {
  if (!function_->hasFnAttribute(kStackProbe)) return kLargestFrame;
  const auto least_probed = function_->getFnAttributeAsParsedInteger(
      "stack-probe-size", static_cast<uint64_t>(architecture_.frame.least_probed));
  // The stack also holds the saved frame pointer, the return address and padding for alignment.
  return std::min(static_cast<int64_t>(least_probed), architecture_.frame.least_probed) - 32;
}

RegisterSet Lowering::SavedRegisters() const {
  RegisterSet registers = analysis_.fixed_registers() | analysis_.swift_registers();
  if (analysis_.returns_error()) registers &= ~SetOf(architecture_.swift_error);
  return registers & architecture_.callee_saved;
}

void Lowering::Begin(const llvm::Function& function) {
  layout_ = options_.layout != nullptr ? options_.layout : &function.getParent()->getDataLayout();
  assembler_.Clear();
  pool_.Clear();
  symbols_.clear();
  symbol_numbers_.Clear();
  call_sites_.clear();
  address_labels_.Clear();
  unbound_labels_.clear();
  exception_types_.clear();
  rows_.clear();
  wide_places_.clear();
  is_protected_ = IsBranchProtected(function);
  labels_.assign(analysis_.order().blocks().size(), kNone);
  frame_.Clear(8 * CountOf(SavedRegisters()));
  allocatable_ = options_.coverage.has_few_registers ? architecture_.few_allocatable
                                                     : architecture_.allocatable;
  locations_.Begin(allocatable_);
  block_ = 0;
  for (uint32_t i = 0; i < architecture_.prologue_room; i += 8) assembler_.Immediate(0, 8);
  for (const llvm::GlobalVariable* table : analysis_.label_tables()) PoolPlaceOf(table);
  ReserveAllocas();
  BindArguments();
}

void Lowering::ReserveAllocas() {
  for (const llvm::Instruction& instruction : function_->getEntryBlock()) {
    const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (alloca == nullptr || !analysis_.values()[NumberOf(alloca)].is_alloca) continue;
    const uint64_t count = llvm::cast<llvm::ConstantInt>(alloca->getArraySize())->getZExtValue();
    const uint64_t size = layout_->getTypeAllocSize(alloca->getAllocatedType()) * count;
    analysis_.values()[NumberOf(alloca)].slot =
        frame_.Allocate(std::max<uint64_t>(size, 1), alloca->getAlign().value());
  }
}

// An argument with a fixed register moves to that register. Another argument stays in the register
// it arrives in if that register can be allocated; otherwise it goes to a slot.
void Lowering::BindArguments() {
  const CallingConvention& convention = architecture_.ConventionOf(function_->getCallingConv());
  ArgumentPlaces places(convention);
  struct Bound {
    uint32_t part;
    Register reg;
  };
  llvm::SmallVector<Bound, 16> stays;
  Register result_register = kNoRegister;
  error_place_ = 0;
  for (const llvm::Argument& argument : function_->args()) {
    const uint32_t number = NumberOf(&argument);
    if (argument.hasByValAttr()) {
      const uint64_t alignment =
          ByValueAlignment(function_->getAttributes().getParamAttrs(argument.getArgNo()), *layout_);
      const ArgumentPlace place =
          places.ByValue(layout_->getTypeAllocSize(argument.getParamByValType()), alignment);
      analysis_.values()[number].slot = place.offset;
      continue;
    }
    if (number == PointerMap::kMissing) continue;
    const auto bind = [&](unsigned i, const ArgumentPlace& place) {
      if (argument.use_empty()) return;
      ValuePart& part = analysis_.values()[number + i];
      Move move;
      move.is_vector = part.is_vector;
      move.bytes = part.is_vector ? part.bytes : std::max<uint8_t>(part.bytes, 4);
      if (place.reg == kNoRegister) {
        if (!part.is_fixed) {
          // The part stays in the caller's place, which is never given to another value.
          part.slot = place.offset;
          part.is_incoming = part.is_spilled = true;
          return;
        }
        move.source = Move::Source::kMemory;
        move.from_memory = frame_.Incoming(place.offset);
        move.to = part.reg;
        moves_.Add(move);
        return;
      }
      move.from = place.reg;
      if (part.is_fixed) {
        move.to = part.reg;
      } else if ((allocatable_ & ~analysis_.fixed_registers() & SetOf(place.reg)) != 0) {
        stays.push_back({number + i, place.reg});
        return;
      } else {
        GiveSlot(frame_, part);
        part.is_spilled = true;
        move.to_memory = SlotOf(frame_, part);
      }
      moves_.Add(move);
    };
    if (argument.hasSwiftErrorAttr()) {
      error_place_ = analysis_.values()[number].slot = frame_.Allocate(8, 8);
      assembler_.Store(8, frame_.At(error_place_), architecture_.swift_error);
      continue;
    }
    ArgumentPlace place = {OwnRegisterOf(argument, architecture_), 0};
    const PartList list = PartsOf(argument.getType());
    if (argument.hasStructRetAttr()) {
      if (place.reg == kNoRegister) {
        places.ForEachPart(*argument.getType(), list,
                           [&](unsigned, const ArgumentPlace& next) { place = next; });
      }
      result_register = place.reg;
    }
    if (place.reg != kNoRegister) {
      bind(0, place);
    } else {
      places.ForEachPart(*argument.getType(), list, bind);
    }
  }
  named_general_ = places.general();
  named_vectors_ = places.vectors();
  named_stack_ = (places.stack_bytes() + 7) & ~7;
  if (function_->isVarArg()) SaveArgumentRegisters();
  result_address_ = 0;
  if (result_register != kNoRegister && convention.returns_result_address) {
    result_address_ = frame_.Allocate(8, 8);
    assembler_.Store(8, frame_.At(result_address_), result_register);
  }
  EmitMoves();
  for (const Bound& bound : stays) locations_.DefineIn(bound.part, bound.reg);
  locations_.registers().UnpinAll();
}

void Lowering::BeginBlock(uint32_t number) {
  block_ = number;
  locations_.SetBlock(number);
  Bind(number);
  const llvm::BasicBlock& block = *analysis_.order().blocks()[number].block;
  if (is_protected_ && (block.hasAddressTaken() || block.isEHPad())) assembler_.LandingMark();
  for (const llvm::PHINode& phi : block.phis()) {
    if (phi.use_empty()) continue;
    const uint32_t value = NumberOf(&phi);
    for (uint32_t number = value; number < value + analysis_.values()[value].parts; ++number) {
      ValuePart& part = analysis_.values()[number];
      if (part.is_fixed) continue;
      GiveSlot(frame_, part);
      part.is_spilled = true;
    }
  }
}

void Lowering::CompileBlock(uint32_t number) {
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
        !instruction.mayHaveSideEffects() && !instruction.isEHPad() &&
        !instruction.isTerminator()) {
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

void Lowering::CountDown(const llvm::Value* operand) {
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

void Lowering::EndInstruction(const llvm::Instruction& instruction) {
  for (const llvm::Use& operand : instruction.operands()) CountDown(operand.get());
  locations_.registers().UnpinAll();
}

void Lowering::Lower(const llvm::Instruction& instruction) {
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
      assembler_.Trap();
  }
}

uint32_t Lowering::PutInFront(Assembler& prologue, std::vector<UnwindRow>& rows) {
  const auto begin = static_cast<uint32_t>(architecture_.prologue_room - prologue.size());
  std::memcpy(assembler_.buffer().At(begin), prologue.buffer().data(), prologue.size());
  for (UnwindRow& row : rows) row.offset += begin;
  rows_.insert(rows_.begin(), rows.begin(), rows.end());
  return begin;
}

bool Lowering::Finish(uint32_t begin, CompiledCode& code) {
  for (size_t i = 0; i < unbound_labels_.size(); i += 2) {
    uint32_t& label = labels_[unbound_labels_[i]];
    if (label == kNone) label = labels_[unbound_labels_[i + 1]];
  }
  const uint32_t end = assembler_.size();
  const uint32_t pool_offset = (end - begin + 15) & ~15u;
  const bool has_exceptions = !call_sites_.empty() || HasUnknownPersonality(*function_);
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
    symbol.name = code.names.size();
    code.names.append(prefix.data(), prefix.size());
    code.names.append(name.data(), name.size());
    symbol.name_size = prefix.size() + name.size();
    return symbol;
  };
  CodeSymbol& own = add_symbol("", SymbolNameOf(*function_));
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
          is_local ? code.symbols.emplace_back() : add_symbol("", SymbolNameOf(*symbol.global));
      added.is_defined = true;
      added.is_local = is_local;
      added.offset = pool_offset + symbol.place;
    } else {
      CodeSymbol& added =
          add_symbol(symbol.is_control ? "__emutls_v." : "", SymbolNameOf(*symbol.global));
      added.is_weak = symbol.global->hasExternalWeakLinkage();
    }
  }
  if (!ResolveFixups(begin, pool_offset, code)) return false;

  CodeSection& unwind = code.sections[1];
  unwind.kind = SectionKind::kUnwindTable;
  unwind.alignment = 8;
  unwind.bytes.clear();
  for (UnwindRow& row : rows_) row.offset -= begin;
  UnwindTable table;
  table.size = end - begin;
  table.rows = &rows_;
  if (has_exceptions) {
    table.has_exceptions = true;
    table.exception_table = pool_offset + exception_table;
    table.personality =
        1 +
        SymbolOf(llvm::cast<llvm::GlobalValue>(function_->getPersonalityFn()->stripPointerCasts()));
  }
  AppendUnwindTable(architecture_.unwind, table, /*unwind_section=*/1, /*code_symbol=*/0, code);
  return true;
}

bool Lowering::ResolveFixups(uint32_t begin, uint32_t pool_offset, CompiledCode& code) {
  std::vector<uint8_t>& text = code.sections[0].bytes;
  const CodeLayout layout = {begin, pool_offset, labels_, (frame_.used() + 15) & ~int64_t{15}};
  if (!assembler_.Resolve(layout, code)) return false;
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
  return true;
}

}  // namespace firstcall::baseline
