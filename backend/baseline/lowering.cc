#include "backend/baseline/lowering.h"

#include <algorithm>
#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backend/baseline/coverage.h"
#include "backend/baseline/personality.h"
#include "backend/baseline/symbol_name.h"
#include "backend/baseline/unwind_rows.h"
#include "backend/baseline/value_slots.h"
#include "ir/attributes.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"

namespace firstcall::baseline {
namespace {

// In larger frames, distances do not fit the types that hold them.
constexpr int64_t kLargestFrame = int64_t{1} << 30;

// The number of the function's attribute "stack-probe-size"; 2^64 - 1 if there is none. 0 for text
// that LLVM reads otherwise than as a decimal number.
uint64_t StackProbeSize(const ir::AttributeSet& attributes) {
  const absl::string_view text = attributes.ValueOf("stack-probe-size");
  if (text.empty()) return UINT64_MAX;
  uint64_t size = 0;
  const bool is_decimal = absl::c_all_of(text, absl::ascii_isdigit) && text[0] != '0';
  return is_decimal && absl::SimpleAtoi(text, &size) ? size : 0;
}

// Whether control comes to the block from the unwinder.
bool IsLandingPad(const ir::Function& function, const ir::Block& block) {
  return function.FirstBehindPhis(block).opcode == ir::Opcode::kLandingPad;
}

// Whether the instruction must be executed even if nothing uses its result.
bool HasEffect(const ir::Function& function, const ir::Instruction& instruction) {
  return MayWriteToMemory(function, instruction) || ir::IsTerminator(instruction.opcode) ||
         instruction.opcode == ir::Opcode::kLandingPad ||
         // LLVM takes it for one that may not return.
         (instruction.opcode == ir::Opcode::kCall &&
          function.IntrinsicOf(instruction) == ir::IntrinsicId::kEhTypeidFor);
}

unsigned CountOf(RegisterSet set) { return __builtin_popcountll(set); }

}  // namespace

Refusal Lowering::Run(const ir::Function& function, const LoweringOptions& options,
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
  const ir::AttributeSet& attributes = function_->attributes().function;
  if (!attributes.HasString(kStackProbe)) return kLargestFrame;
  const auto least_probed =
      std::min(StackProbeSize(attributes), static_cast<uint64_t>(architecture_.frame.least_probed));
  // The stack also holds the saved frame pointer, the return address and padding for alignment.
  return static_cast<int64_t>(least_probed) - 32;
}

RegisterSet Lowering::SavedRegisters() const {
  RegisterSet registers = analysis_.fixed_registers() | analysis_.swift_registers();
  if (analysis_.returns_error()) registers &= ~SetOf(architecture_.swift_error);
  return registers & architecture_.callee_saved;
}

void Lowering::Begin(const ir::Function& function) {
  assembler_.Clear();
  pool_.Clear();
  symbols_.clear();
  symbol_numbers_.Clear();
  call_sites_.clear();
  address_labels_.clear();
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
  for (const ir::Global* table : analysis_.label_tables()) PoolPlaceOf(table);
  ReserveAllocas();
  BindArguments();
}

void Lowering::ReserveAllocas() {
  for (const ir::Instruction& instruction : function_->InstructionsOf(function_->blocks[0])) {
    if (instruction.opcode != ir::Opcode::kAlloca) continue;
    ValuePart& alloca = analysis_.values()[NumberOf(instruction)];
    if (!alloca.is_alloca) continue;
    // The size is known to be small.
    const uint64_t count = ConstantOf(OperandAt(instruction, 0))->LimitedTo(kLargestFrame);
    const uint64_t size = instruction.source_type->alloc_size * count;
    alloca.slot = frame_.Allocate(std::max<uint64_t>(size, 1), instruction.alignment());
  }
}

// An argument with a fixed register moves to that register. Another argument stays in the register
// it arrives in if that register can be allocated; otherwise it goes to a slot.
void Lowering::BindArguments() {
  const CallingConvention& convention = architecture_.ConventionOf(function_->global().convention);
  ArgumentPlaces places(convention);
  struct Bound {
    uint32_t part;
    Register reg;
  };
  absl::InlinedVector<Bound, 16> stays;
  Register result_register = kNoRegister;
  error_place_ = 0;
  for (uint32_t argument = 0; argument < function_->argument_count(); ++argument) {
    const uint32_t number = NumberOf(ir::Operand::Value(argument));
    const ir::AttributeSet& attributes = function_->attributes().OfParameter(argument);
    if (attributes.Has(ir::Attribute::kByVal)) {
      const ArgumentPlace place =
          places.ByValue(attributes.type->alloc_size, ByValueAlignment(attributes));
      analysis_.values()[number].slot = place.offset;
      continue;
    }
    if (number == kNone) continue;
    const ir::Value& value = function_->values[argument];
    const auto bind = [&](unsigned i, const ArgumentPlace& place) {
      if (value.uses == 0) return;
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
    if (attributes.Has(ir::Attribute::kSwiftError)) {
      error_place_ = analysis_.values()[number].slot = frame_.Allocate(8, 8);
      assembler_.Store(8, frame_.At(error_place_), architecture_.swift_error);
      continue;
    }
    ArgumentPlace place = {OwnRegisterOf(*function_, argument, architecture_), 0};
    const PartList list = PartsOf(value.type);
    if (attributes.Has(ir::Attribute::kStructRet)) {
      if (place.reg == kNoRegister) {
        places.ForEachPart(*value.type, list,
                           [&](unsigned, const ArgumentPlace& next) { place = next; });
      }
      result_register = place.reg;
    }
    if (place.reg != kNoRegister) {
      bind(0, place);
    } else {
      places.ForEachPart(*value.type, list, bind);
    }
  }
  named_general_ = places.general();
  named_vectors_ = places.vectors();
  named_stack_ = (places.stack_bytes() + 7) & ~7;
  if (function_->global().value_type->is_variadic) SaveArgumentRegisters();
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
  const ir::Block& block = function_->blocks[analysis_.order().blocks()[number].block];
  if (is_protected_ && (block.has_address_taken || IsLandingPad(*function_, block))) {
    assembler_.LandingMark();
  }
  for (const ir::Instruction& phi : function_->InstructionsOf(block)) {
    if (phi.opcode != ir::Opcode::kPhi) break;
    if (function_->values[phi.value].uses == 0) continue;
    const uint32_t first = NumberOf(phi);
    for (uint32_t i = first; i < first + analysis_.values()[first].parts; ++i) {
      ValuePart& part = analysis_.values()[i];
      if (part.is_fixed) continue;
      GiveSlot(frame_, part);
      part.is_spilled = true;
    }
  }
}

void Lowering::CompileBlock(uint32_t number) {
  BeginBlock(number);
  const ir::Block& block = function_->blocks[analysis_.order().blocks()[number].block];
  for (const ir::Instruction& instruction : function_->InstructionsOf(block)) {
    if (instruction.opcode == ir::Opcode::kPhi) continue;
    const uint32_t value = NumberOf(instruction);
    if (value != kNone && analysis_.values()[value].is_deferred) continue;
    if (instruction.opcode == ir::Opcode::kCall &&
        IsNoOperation(function_->IntrinsicOf(instruction))) {
      CountDownOperands(instruction);
      continue;
    }
    if (value != kNone && analysis_.values()[value].uses == 0 &&
        !HasEffect(*function_, instruction)) {
      EndInstruction(instruction);
      continue;
    }
    Lower(instruction);
    if (IsTerminator(instruction.opcode)) {
      const bool keeps_registers = KeepsRegisters(instruction);
      EndInstruction(instruction);
      CountDownEdges(instruction);
      locations_.EndBlock();
      if (!keeps_registers) locations_.ForgetRegisters();
      break;
    }
    EndInstruction(instruction);
    if (value != kNone) locations_.DropIfUnused(value);
  }
}

void Lowering::CountDown(ir::Operand operand) {
  const uint32_t number = NumberOf(operand);
  if (number == kNone) return;
  locations_.Used(number);
  const ValuePart& value = analysis_.values()[number];
  if (value.is_deferred && value.uses == 0) CountDownOperands(*function_->DefinitionOf(operand));
}

void Lowering::CountDownOperands(const ir::Instruction& instruction) {
  const absl::Span<const ir::Operand> operands = function_->OperandsOf(instruction);
  if (instruction.opcode == ir::Opcode::kStore) {
    // The order in which values die decides which slots later values get. The stored value dies
    // before the pointer.
    CountDown(operands[1]);
    CountDown(operands[0]);
    return;
  }
  for (ir::Operand operand : operands) CountDown(operand);
}

void Lowering::EndInstruction(const ir::Instruction& instruction) {
  CountDownOperands(instruction);
  locations_.registers().UnpinAll();
}

void Lowering::Lower(const ir::Instruction& instruction) {
  using ir::Opcode;
  switch (instruction.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
    case Opcode::kUDiv:
    case Opcode::kSDiv:
    case Opcode::kURem:
    case Opcode::kSRem:
      return LowerBinary(instruction);
    case Opcode::kFAdd:
    case Opcode::kFSub:
    case Opcode::kFMul:
    case Opcode::kFDiv:
    case Opcode::kFRem:
      return LowerFloatBinary(instruction);
    case Opcode::kFNeg:
      return LowerNegation(instruction);
    case Opcode::kFCmp:
      if (instruction.type->IsVector()) return LowerVectorFloatCompare(instruction);
      return LowerCompare(instruction);
    case Opcode::kICmp:
      return LowerCompare(instruction);
    case Opcode::kSelect:
      return LowerSelect(instruction);
    case Opcode::kFreeze:
      for (unsigned i = 0; i < analysis_.values()[NumberOf(instruction)].parts; ++i) {
        CopyPart(instruction, i, OperandAt(instruction, 0), i);
      }
      return;
    case Opcode::kBitCast:
      return LowerBitCast(instruction);
    case Opcode::kZExt:
    case Opcode::kSExt:
    case Opcode::kTrunc:
    case Opcode::kPtrToInt:
    case Opcode::kIntToPtr:
    case Opcode::kFPTrunc:
    case Opcode::kFPExt:
    case Opcode::kSIToFP:
    case Opcode::kUIToFP:
    case Opcode::kFPToSI:
    case Opcode::kFPToUI:
      if (instruction.type->IsVector()) return LowerLanes(instruction);
      return LowerCast(instruction);
    case Opcode::kGetElementPtr:
      if (instruction.type->IsVector()) return LowerLanes(instruction);
      return LowerElementAddress(instruction);
    case Opcode::kLoad:
      return LowerLoad(instruction);
    case Opcode::kStore:
      return LowerStore(instruction);
    case Opcode::kAlloca:
      return LowerAlloca(instruction);
    case Opcode::kAtomicRmw:
      return LowerAtomicUpdate(instruction);
    case Opcode::kCmpXchg:
      return LowerCompareExchange(instruction);
    case Opcode::kFence:
      return LowerFence(instruction);
    case Opcode::kExtractValue:
      return LowerExtractValue(instruction);
    case Opcode::kInsertValue:
      return LowerInsertValue(instruction);
    case Opcode::kExtractElement:
    case Opcode::kInsertElement:
    case Opcode::kShuffleVector:
      return LowerLanes(instruction);
    case Opcode::kBr:
      return LowerBranch(instruction);
    case Opcode::kSwitch:
      return LowerSwitch(instruction);
    case Opcode::kIndirectBr:
      return LowerIndirectBranch(instruction);
    case Opcode::kRet:
      return LowerReturn(instruction);
    case Opcode::kCall:
      if (function_->IntrinsicOf(instruction) != ir::IntrinsicId::kNone) {
        return LowerIntrinsic(instruction);
      }
      LowerCall(instruction);
      return;
    case Opcode::kInvoke:
      return LowerInvoke(instruction);
    case Opcode::kLandingPad:
      return LowerLandingPad(instruction);
    case Opcode::kResume:
      return LowerResume(instruction);
    default:  // Unreachable; others are not covered.
      assembler_.Trap();
  }
}

// Of a value that is no vector.
void Lowering::LowerCast(const ir::Instruction& cast) {
  using ir::Opcode;
  switch (cast.opcode) {
    case Opcode::kZExt:
      return LowerExtension(cast, false);
    case Opcode::kSExt:
      return LowerExtension(cast, true);
    case Opcode::kFPTrunc:
    case Opcode::kFPExt:
      return LowerFloatCast(cast);
    case Opcode::kSIToFP:
      return LowerIntegerToFloat(cast, true);
    case Opcode::kUIToFP:
      return LowerIntegerToFloat(cast, false);
    case Opcode::kFPToSI:
      return LowerFloatToInteger(cast, true);
    case Opcode::kFPToUI:
      return LowerFloatToInteger(cast, false);
    default:  // Of integers and pointers to integers and pointers.
      if (BitsOf(cast.type) > BitsOf(TypeAt(cast, 0))) return LowerExtension(cast, false);
      return LowerTruncation(cast);
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
  const auto add_symbol = [&](absl::string_view prefix, absl::string_view name) -> CodeSymbol& {
    CodeSymbol& symbol = code.symbols.emplace_back();
    symbol.name = code.names.size();
    code.names.append(prefix.data(), prefix.size());
    code.names.append(name.data(), name.size());
    symbol.name_size = prefix.size() + name.size();
    return symbol;
  };
  const ir::DataLayout& layout = function_->module().layout();
  CodeSymbol& own = add_symbol("", SymbolNameOf(function_->global(), layout));
  own.is_defined = true;
  own.is_local = function_->global().HasLocalLinkage();
  own.size = end - begin;
  for (const Symbol& symbol : symbols_) {
    if (symbol.global == nullptr) {
      add_symbol("", symbol.library_function);
    } else if (symbol.place != kNone) {
      // Nothing else refers to a local one, so it needs no name.
      const bool is_local = symbol.global->HasLocalLinkage();
      CodeSymbol& added = is_local ? code.symbols.emplace_back()
                                   : add_symbol("", SymbolNameOf(*symbol.global, layout));
      added.is_defined = true;
      added.is_local = is_local;
      added.offset = pool_offset + symbol.place;
    } else {
      CodeSymbol& added =
          add_symbol(symbol.is_control ? "__emutls_v." : "", SymbolNameOf(*symbol.global, layout));
      added.is_weak = symbol.global->linkage == ir::Linkage::kExternalWeak;
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
    table.personality = 1 + SymbolOf(PersonalityOf(*function_));
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
