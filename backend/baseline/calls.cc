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

// The call's own, or those of the function that it calls.
llvm::AttributeSet ParameterAttributes(const llvm::CallBase& call, unsigned index) {
  const llvm::AttributeSet own = call.getAttributes().getParamAttrs(index);
  if (own.hasAttribute(llvm::Attribute::ByVal)) return own;
  return call.getCalledFunction()->getAttributes().getParamAttrs(index);
}

}  // namespace

ArgumentPlaces Lowering::PlaceArguments(const llvm::CallBase& call, ArgumentStep step) {
  const CallingConvention& convention = architecture_.ConventionOf(call.getCallingConv());
  ArgumentPlaces places(convention);
  const bool may_pass_by_value = MayPassByValue(call);
  const OwnRegisters own_registers(call, architecture_, analysis_.swift_registers());
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const llvm::Value* value = call.getArgOperand(i);
    if (may_pass_by_value && call.isByValArgument(i)) {
      const uint64_t alignment = ByValueAlignment(ParameterAttributes(call, i), *layout_);
      const uint64_t size = layout_->getTypeAllocSize(call.getParamByValType(i));
      const ArgumentPlace place = places.ByValue(size, alignment);
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
    const PartList list = PartsOf(value->getType());
    places.ForEachPart(*value->getType(), list, [&](unsigned part, const ArgumentPlace& place) {
      if (step != ArgumentStep::kMove || llvm::isa<llvm::UndefValue>(value)) return;
      const PartType& type = list.parts[part];
      Move move = SourceOf(value, part, type);
      move.to = place.reg;
      if (place.reg == kNoRegister) {
        move.to_memory = Mem::At(architecture_.stack_pointer, place.offset);
      }
      if (list.count == 1 && !type.is_vector && type.bits < 64 && type.bits != 32) {
        move.is_signed = call.paramHasAttr(i, llvm::Attribute::SExt);
        if (move.is_signed || call.paramHasAttr(i, llvm::Attribute::ZExt) ||
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

void Lowering::CopyByValue(const llvm::Value* source, uint64_t size, int32_t offset) {
  constexpr uint64_t kMostInline = 64;
  const Mem to = Mem::At(architecture_.stack_pointer, offset);
  if (size <= kMostInline) {
    CopyBytes(to, AddressOf(source), size);
  } else {
    CopyBlock(nullptr, to, source, size);
  }
  locations_.registers().UnpinAll();
}

void Lowering::PrepareCall(const llvm::User& user) {
  std::vector<ValuePart>& values = analysis_.values();
  for (const llvm::Use& use : user.operands()) {
    const uint32_t number = NumberOf(use.get());
    if (number != PointerMap::kMissing) --values[number].uses;
  }
  locations_.SpillSurvivors();
  for (const llvm::Use& use : user.operands()) {
    const uint32_t number = NumberOf(use.get());
    if (number != PointerMap::kMissing) ++values[number].uses;
  }
}

Lowering::CallExtent Lowering::EmitCall(const Callee& callee, const ArgumentPlaces& places) {
  EmitMoves();
  if (callee.is_variadic && architecture_.vector_count != kNoRegister) {
    assembler_.MovImmediate(architecture_.vector_count, places.vectors(), true);
  }
  CallExtent extent;
  extent.begin = assembler_.size();
  if (callee.pointer != nullptr) {
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

Lowering::CallExtent Lowering::LowerCall(const llvm::CallBase& call) {
  Callee callee;
  callee.is_variadic = call.getFunctionType()->isVarArg();
  const llvm::Value* operand = call.getCalledOperand();
  callee.global = llvm::dyn_cast<llvm::GlobalValue>(operand);
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
  if (callee.pointer != nullptr) {
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

void Lowering::KeepError(const llvm::CallBase& call) {
  const OwnRegisters own(call, architecture_, analysis_.swift_registers());
  if (!own.has_error()) return;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (own.Of(i) != architecture_.swift_error) continue;
    assembler_.Store(8, SlotOf(frame_, analysis_.values()[NumberOf(call.getArgOperand(i))]),
                     architecture_.swift_error);
  }
}

void Lowering::DefineResults(const llvm::Instruction& result) {
  const uint32_t number = NumberOf(&result);
  if (number == PointerMap::kMissing) return;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&result);
  ResultPlaces places(call == nullptr ? architecture_.convention
                                      : architecture_.ConventionOf(call->getCallingConv()));
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

void Lowering::CallLibrary(const char* name, const llvm::Instruction& result,
                           std::initializer_list<const llvm::Value*> arguments) {
  // A value that is computed late for this instruction has to be computed now.
  for (const llvm::Value* argument : arguments) {
    if (DeferredOf(argument) != nullptr) In(argument);
  }
  PrepareCall(result);
  ArgumentPlaces places(architecture_.convention);
  for (const llvm::Value* argument : arguments) {
    const PartList list = PartsOf(argument->getType());
    places.ForEachPart(*argument->getType(), list, [&](unsigned part, const ArgumentPlace& place) {
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
