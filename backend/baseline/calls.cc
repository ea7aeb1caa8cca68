// Calls. What survives a call is stored before it; then all arguments are moved at once.
//
// An argument with `swifterror` is a variable in the frame, whose contents are passed, and
// returned, in a register.
//
// Arguments on the stack lie at rsp: in space that the frame has for the most that any call needs,
// or, in a function whose rsp moves with dynamic allocas, in space taken for this call.

#include "backend/baseline/lowering.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

// The attributes of an argument that is passed by value: those of the call, or those of the called
// function if only these say so.
const ir::AttributeSet& ByValueAttributes(const ir::Function& function, const ir::Instruction& call,
                                          unsigned index) {
  const ir::AttributeSet& own = function.CallOf(call).attributes->OfParameter(index);
  if (own.Has(ir::Attribute::kByVal)) return own;
  return function.CalledFunctionOf(call)->attributes->OfParameter(index);
}

}  // namespace

ArgumentPlaces Lowering::PlaceArguments(const ir::Instruction& call, ArgumentStep step) {
  const ir::Call& properties = function_->CallOf(call);
  const CallingConvention& convention = architecture_.ConventionOf(properties.convention);
  ArgumentPlaces places(convention);
  const bool may_pass_by_value = MayPassByValue(*function_, call);
  const OwnRegisters own_registers(*function_, call, architecture_, analysis_.swift_registers());
  for (unsigned i = 0; i < properties.argument_count; ++i) {
    const ir::Operand value = OperandAt(call, i);
    if (may_pass_by_value && ArgumentHas(*function_, call, i, ir::Attribute::kByVal)) {
      const ir::AttributeSet& attributes = ByValueAttributes(*function_, call, i);
      const uint64_t size = attributes.type->alloc_size;
      const ArgumentPlace place = places.ByValue(size, ByValueAlignment(attributes));
      if (step == ArgumentStep::kCopyByValue) CopyByValue(value, size, place.offset);
      continue;
    }
    if (const Register own = own_registers.Of(i); own != kNoRegister) {
      if (step != ArgumentStep::kMove) continue;
      Move move = SourceOf(value, 0, {false, 8, 64, false});
      if (own == architecture_.swift_error) move.source = Move::Source::kMemory;
      move.to = own;
      moves_.Add(move);
      continue;
    }
    const ir::Type* const value_type = TypeOf(value);
    const ir::Constant* const constant = ConstantOf(value);
    const bool is_undefined = constant != nullptr && constant->IsUndefined();
    const PartList list = PartsOf(value_type);
    places.ForEachPart(*value_type, list, [&](unsigned part, const ArgumentPlace& place) {
      if (step != ArgumentStep::kMove || is_undefined) return;
      const PartType& type = list.parts[part];
      Move move = SourceOf(value, part, type);
      move.to = place.reg;
      if (place.reg == kNoRegister) {
        move.to_memory = Mem::At(architecture_.stack_pointer, place.offset);
      }
      if (list.count == 1 && !type.is_vector && type.bits < 64 && type.bits != 32) {
        move.is_signed = ArgumentHas(*function_, call, i, ir::Attribute::kSExt);
        if (move.is_signed || ArgumentHas(*function_, call, i, ir::Attribute::kZExt) ||
            (convention.extends_bits && type.bits == 1)) {
          if (move.source != Move::Source::kConstant || !move.is_signed) {
            move.extended_bits = static_cast<uint8_t>(type.bits);
          }
        }
      }
      moves_.Add(move);
    });
  }
  return places;
}

void Lowering::CopyByValue(ir::Operand source, uint64_t size, int32_t offset) {
  constexpr uint64_t kMostInline = 64;
  const Mem to = Mem::At(architecture_.stack_pointer, offset);
  if (size <= kMostInline) {
    CopyBytes(to, AddressOf(source), size);
  } else {
    CopyBlock(ir::Operand(), to, source, size);
  }
  locations_.registers().UnpinAll();
}

void Lowering::PrepareCall(const ir::Instruction& user) {
  std::vector<ValuePart>& values = analysis_.values();
  for (ir::Operand operand : function_->OperandsOf(user)) {
    const uint32_t number = NumberOf(operand);
    if (number != kNone) --values[number].uses;
  }
  locations_.SpillSurvivors();
  for (ir::Operand operand : function_->OperandsOf(user)) {
    const uint32_t number = NumberOf(operand);
    if (number != kNone) ++values[number].uses;
  }
}

Lowering::CallExtent Lowering::EmitCall(const Callee& callee, const ArgumentPlaces& places) {
  EmitMoves();
  if (callee.is_variadic && architecture_.vector_count != kNoRegister) {
    assembler_.MovImmediate(architecture_.vector_count, places.vectors(), true);
  }
  CallExtent extent;
  extent.begin = assembler_.size();
  if (!callee.pointer.IsNothing()) {
    assembler_.CallR(architecture_.callee);
  } else if (callee.global != nullptr && IsNear(callee.global)) {
    assembler_.CallSymbol(SymbolOf(callee.global));
  } else {
    assembler_.CallM(LiteralOf(callee.global != nullptr ? SymbolOf(callee.global)
                                                        : SymbolOf(callee.library_function)));
  }
  extent.end = assembler_.size();
  locations_.registers().UnpinAll();
  locations_.ForgetRegisters();
  return extent;
}

Lowering::CallExtent Lowering::LowerCall(const ir::Instruction& call) {
  Callee callee;
  callee.is_variadic = function_->CallOf(call).function_type->is_variadic;
  const ir::Operand operand = function_->CalleeOf(call);
  callee.global = function_->GlobalOf(operand);
  if (callee.global == nullptr) callee.pointer = operand;

  const ArgumentPlaces sizes = PlaceArguments(call, ArgumentStep::kMeasure);
  const int32_t stack_bytes = (sizes.stack_bytes() + 15) & ~15;
  const bool moves_stack = analysis_.has_dynamic_alloca() && stack_bytes != 0;
  if (moves_stack) {
    assembler_.AluRi(Alu::kSub, 8, architecture_.stack_pointer, stack_bytes);
  } else {
    frame_.NeedOutgoing(stack_bytes);
  }
  if (stack_bytes != 0) PlaceArguments(call, ArgumentStep::kCopyByValue);
  PrepareCall(call);
  const ArgumentPlaces places = PlaceArguments(call, ArgumentStep::kMove);
  if (!callee.pointer.IsNothing()) {
    Move move = SourceOf(callee.pointer, 0, {false, 8, 64, false});
    move.to = architecture_.callee;
    moves_.Add(move);
  }
  const CallExtent extent = EmitCall(callee, places);
  if (moves_stack) assembler_.AluRi(Alu::kAdd, 8, architecture_.stack_pointer, stack_bytes);
  KeepError(call);
  DefineResults(call);
  return extent;
}

void Lowering::KeepError(const ir::Instruction& call) {
  const OwnRegisters own(*function_, call, architecture_, analysis_.swift_registers());
  if (!own.has_error()) return;
  for (unsigned i = 0; i < function_->CallOf(call).argument_count; ++i) {
    if (own.Of(i) != architecture_.swift_error) continue;
    assembler_.Store(8, SlotOf(frame_, analysis_.values()[NumberOf(OperandAt(call, i))]),
                     architecture_.swift_error);
  }
}

void Lowering::DefineResults(const ir::Instruction& result) {
  const uint32_t number = NumberOf(result);
  if (number == kNone) return;
  ResultPlaces places(result.IsCall()
                          ? architecture_.ConventionOf(function_->CallOf(result).convention)
                          : architecture_.convention);
  for (unsigned i = 0; i < analysis_.values()[number].parts; ++i) {
    ValuePart& part = analysis_.values()[number + i];
    const Register reg = places.Next(part.is_vector, part.bytes);
    if (part.is_fixed || (analysis_.fixed_registers() & SetOf(reg)) == 0) {
      locations_.DefineIn(number + i, reg);
      continue;
    }
    // The register is another value's for life, though that does not live now.
    GiveSlot(frame_, part);
    assembler_.Store(8, SlotOf(frame_, part), reg);
    part.is_spilled = true;
  }
}

void Lowering::CallLibrary(const char* name, const ir::Instruction& result,
                           std::initializer_list<ir::Operand> arguments) {
  // A value that is computed late for this instruction has to be computed now.
  for (ir::Operand argument : arguments) {
    if (DeferredOf(argument) != nullptr) In(argument);
  }
  PrepareCall(result);
  ArgumentPlaces places(architecture_.convention);
  for (ir::Operand argument : arguments) {
    const ir::Type* const type = TypeOf(argument);
    const PartList list = PartsOf(type);
    places.ForEachPart(*type, list, [&](unsigned part, const ArgumentPlace& place) {
      Move move = SourceOf(argument, part, list.parts[part]);
      move.to = place.reg;
      moves_.Add(move);
    });
  }
  Callee callee;
  callee.library_function = name;
  EmitCall(callee, places);
  DefineResults(result);
}

}  // namespace firstcall::baseline
