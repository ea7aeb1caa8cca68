// An argument with `swifterror` is a variable in the frame, whose contents are passed, and
// returned, in a register.
//
// Arguments on the stack lie at rsp: in space that the frame has for the most that any call needs,
// or, in a function whose rsp moves with dynamic allocas, in space taken for this call.

#include "backend/baseline/calls.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "backend/baseline/aggregates.h"
#include "backend/baseline/call_attributes.h"
#include "backend/baseline/empty_assembly.h"
#include "backend/baseline/memory.h"
#include "backend/baseline/moves.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/own_registers.h"
#include "backend/baseline/stack_guard.h"
#include "backend/baseline/stack_protection.h"
#include "backend/baseline/symbols.h"
#include "backend/baseline/tail_calls.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

// The step that PlaceArguments performs: kMeasure only determines the places; kCopyByValue copies
// the arguments passed by value to their places; kMove adds the moves of the other arguments.
enum class ArgumentStep : uint8_t { kMeasure, kCopyByValue, kMove };

// The attributes of an argument that is passed by value: those of the call, or those of the called
// function if only these say so.
const ir::AttributeSet& ByValueAttributes(const ir::Function& function, const ir::Instruction& call,
                                          unsigned index) {
  const ir::AttributeSet& own = function.CallOf(call).attributes->OfParameter(index);
  if (own.Has(ir::Attribute::kByVal)) return own;
  return function.CalledFunctionOf(call)->attributes()->OfParameter(index);
}

void CopyByValue(FunctionCode& code, ir::Operand source, uint64_t size, int32_t offset) {
  constexpr uint64_t kMostInline = 64;
  const Mem to = Mem::At(code.architecture.stack_pointer, offset);
  if (size <= kMostInline) {
    CopyBytes(code, to, AddressOf(code, source), size);
  } else {
    code.native.memory.CopyBlock(code, ir::Operand(), to, source, size);
  }
  code.locations.registers().UnpinAll();
}

}  // namespace

Move MoveOfArgument(FunctionCode& code, const ir::Instruction& call, unsigned index,
                    const PartList& list, unsigned part) {
  const PartType& type = list.parts[part];
  Move move = SourceOf(code, OperandAt(code, call, index), part, type);
  if (list.count != 1 || type.is_vector || type.bits >= 64 || type.bits == 32) return move;
  move.is_signed = ArgumentHas(*code.function, call, index, ir::Attribute::kSExt);
  const bool is_extended =
      move.is_signed || ArgumentHas(*code.function, call, index, ir::Attribute::kZExt) ||
      (code.architecture.ConventionOf(code.function->CallOf(call).convention).extends_bits &&
       type.bits == 1);
  // Constants are sign-extended anyway.
  if (is_extended && (move.source != Move::Source::kConstant || !move.is_signed)) {
    move.extended_bits = static_cast<uint8_t>(type.bits);
  }
  return move;
}

namespace {

ArgumentPlaces PlaceArguments(FunctionCode& code, const ir::Instruction& call, ArgumentStep step) {
  const ir::Call& properties = code.function->CallOf(call);
  const CallingConvention& convention = code.architecture.ConventionOf(properties.convention);
  ArgumentPlaces places(convention);
  const bool may_pass_by_value = MayPassByValue(*code.function, call);
  const OwnRegisters own_registers(*code.function, call, code.architecture,
                                   code.facts.swift_registers);
  for (unsigned i = 0; i < properties.argument_count; ++i) {
    const ir::Operand value = OperandAt(code, call, i);
    if (may_pass_by_value && ArgumentHas(*code.function, call, i, ir::Attribute::kByVal)) {
      const ir::AttributeSet& attributes = ByValueAttributes(*code.function, call, i);
      const uint64_t size = attributes.type->alloc_size;
      const ArgumentPlace place = places.ByValue(size, ByValueAlignment(attributes));
      if (step == ArgumentStep::kCopyByValue) CopyByValue(code, value, size, place.offset);
      continue;
    }
    if (const Register own = own_registers.Of(i); own != kNoRegister) {
      if (step != ArgumentStep::kMove) continue;
      Move move = SourceOf(code, value, 0, {false, 8, 64, false});
      if (own == code.architecture.swift.error) move.source = Move::Source::kMemory;
      move.to = own;
      code.moves.Add(move);
      continue;
    }
    const ir::Type* const value_type = TypeOf(code, value);
    const ir::Constant* const constant = ConstantOf(code, value);
    const bool is_undefined = constant != nullptr && constant->IsUndefined();
    const PartList list = PartsOf(value_type);
    places.ForEachPart(*value_type, list, [&](unsigned part, const ArgumentPlace& place) {
      if (step != ArgumentStep::kMove || is_undefined) return;
      Move move = MoveOfArgument(code, call, i, list, part);
      move.to = place.reg;
      if (place.reg == kNoRegister) {
        move.to_memory = Mem::At(code.architecture.stack_pointer, place.offset);
      }
      code.moves.Add(move);
    });
  }
  return places;
}

// Whether the arguments are so few integers and pointers that none of them is on the stack.
bool FitGeneralRegisters(FunctionCode& code, const ir::Instruction& call) {
  const ir::Call& properties = code.function->CallOf(call);
  const CallingConvention& convention = code.architecture.ConventionOf(properties.convention);
  if (properties.argument_count > convention.general.size()) return false;
  if (MayPassByValue(*code.function, call)) return false;
  const absl::Span<const ir::Operand> arguments = code.function->ArgumentsOf(call);
  return std::all_of(arguments.begin(), arguments.end(), [&](ir::Operand argument) {
    const ir::Type* const type = TypeOf(code, argument);
    return type->IsIntegerOrPointer() && PartCount(type) <= 1;
  });
}

// How many bytes the arguments take on the stack.
int32_t StackBytesOf(FunctionCode& code, const ir::Instruction& call) {
  if (FitGeneralRegisters(code, call)) return 0;
  const ArgumentPlaces places = PlaceArguments(code, call, ArgumentStep::kMeasure);
  return (places.stack_bytes() + 15) & ~15;
}

// Takes space for the arguments on the stack. Returns whether the stack pointer was moved for them,
// and must be moved back behind the call.
bool TakeStack(FunctionCode& code, int32_t bytes) {
  const bool moves_stack = code.facts.has_dynamic_alloca && bytes != 0;
  if (moves_stack) {
    code.assembler.AluRi(Alu::kSub, 8, code.architecture.stack_pointer, bytes);
  } else {
    code.frame.NeedOutgoing(bytes);
  }
  return moves_stack;
}

// If the call has an argument with `swifterror`: stores the error that the call has returned.
void KeepError(FunctionCode& code, const ir::Instruction& call) {
  const OwnRegisters own(*code.function, call, code.architecture, code.facts.swift_registers);
  if (!own.has_error()) return;
  for (unsigned i = 0; i < code.function->CallOf(call).argument_count; ++i) {
    if (own.Of(i) != code.architecture.swift.error) continue;
    code.assembler.Store(
        8, SlotOf(code.frame, code.facts.values[NumberOf(code, OperandAt(code, call, i))]),
        code.architecture.swift.error);
  }
}

}  // namespace

void PrepareCall(FunctionCode& code, const ir::Instruction& user) {
  std::vector<ValuePart>& values = code.facts.values;
  for (ir::Operand operand : code.function->OperandsOf(user)) {
    const uint32_t number = NumberOf(code, operand);
    if (number != kNone) --values[number].uses;
  }
  code.locations.SpillSurvivors();
  for (ir::Operand operand : code.function->OperandsOf(user)) {
    const uint32_t number = NumberOf(code, operand);
    if (number != kNone) ++values[number].uses;
  }
}

CallExtent EmitCall(FunctionCode& code, const Callee& callee, const ArgumentPlaces& places) {
  EmitMoves(code);
  if (callee.is_variadic && code.architecture.vector_count != kNoRegister) {
    code.assembler.MovImmediate(code.architecture.vector_count, places.vectors(), true);
  }
  CallExtent extent;
  extent.begin = code.assembler.size();
  if (!callee.pointer.IsNothing()) {
    code.assembler.CallR(code.architecture.callee);
  } else if (callee.global != nullptr && IsNear(code, callee.global)) {
    code.assembler.CallSymbol(code.symbols.NumberOf(callee.global));
  } else {
    code.assembler.CallM(LiteralOf(code, callee.global != nullptr
                                             ? code.symbols.NumberOf(callee.global)
                                             : code.symbols.NumberOf(callee.library_function)));
  }
  extent.end = code.assembler.size();
  code.locations.registers().UnpinAll();
  code.locations.ForgetRegisters();
  return extent;
}

void DefineResultIn(FunctionCode& code, const ir::Instruction& result, unsigned index,
                    Register reg) {
  const uint32_t number = NumberOf(code, result) + index;
  ValuePart& part = code.facts.values[number];
  if (part.is_fixed || code.locations.registers().IsAllocatable(reg)) {
    return code.locations.DefineIn(number, reg);
  }
  // The register is no value's, or another one's for life, though that does not live now.
  part.reg = reg;
  Spill(code.frame, code.assembler, part);
  part.reg = kNoRegister;
}

void DefineResults(FunctionCode& code, const ir::Instruction& result) {
  if (IsLongDouble(result.type)) return code.native.floats.DefineLongDouble(code, result);
  const uint32_t number = NumberOf(code, result);
  if (number == kNone) return;
  ResultPlaces places(result.IsCall()
                          ? code.architecture.ConventionOf(code.function->CallOf(result).convention)
                          : code.architecture.convention);
  for (unsigned i = 0; i < code.facts.values[number].parts; ++i) {
    const ValuePart& part = code.facts.values[number + i];
    DefineResultIn(code, result, i, places.Next(part.is_vector, part.bytes));
  }
}

CallExtent LowerCall(FunctionCode& code, const ir::Instruction& call) {
  if (code.function->CallOf(call).is_must_tail) return LowerTailCall(code, call);
  if (code.facts.has_guard && LeavesByException(*code.function, call)) EmitGuardCheck(code);
  Callee callee;
  callee.is_variadic = code.function->CallOf(call).function_type->is_variadic;
  const ir::Operand operand = code.function->CalleeOf(call);
  callee.global = code.function->GlobalOf(operand);
  if (callee.global == nullptr) callee.pointer = operand;

  const int32_t stack_bytes = StackBytesOf(code, call);
  const bool moves_stack = TakeStack(code, stack_bytes);
  if (stack_bytes != 0) PlaceArguments(code, call, ArgumentStep::kCopyByValue);
  PrepareCall(code, call);
  const ArgumentPlaces places = PlaceArguments(code, call, ArgumentStep::kMove);
  if (!callee.pointer.IsNothing()) {
    Move move = SourceOf(code, callee.pointer, 0, {false, 8, 64, false});
    move.to = code.architecture.callee;
    code.moves.Add(move);
  }
  const CallExtent extent = EmitCall(code, callee, places);
  if (moves_stack) code.assembler.AluRi(Alu::kAdd, 8, code.architecture.stack_pointer, stack_bytes);
  KeepError(code, call);
  DefineResults(code, call);
  return extent;
}

void LowerEmptyAssembly(FunctionCode& code, const ir::Instruction& call) {
  const absl::Span<const ir::Operand> arguments = code.function->ArgumentsOf(call);
  const EmptyAssembly assembly = *EmptyAssemblyOf(*code.function, call);
  for (const EmptyAssembly::Store& store : assembly.stores) {
    StoreValue(code, arguments[store.address], arguments[store.value]);
    code.locations.registers().UnpinAll();
  }
  if (NumberOf(code, call) == kNone) return;
  unsigned part = 0;
  for (uint32_t i = 0; i < assembly.results.size(); ++i) {
    const uint32_t argument = assembly.results[i];
    const unsigned count =
        PartCount(assembly.results.size() == 1 ? call.type : call.type->members()[i]);
    for (unsigned k = 0; k < count; ++k, ++part) {
      if (argument == ir::kNone) {
        Define(code, call, part);
        code.locations.registers().UnpinAll();
      } else {
        CopyPart(code, call, part, arguments[argument], k);
      }
    }
  }
}

void CallLibrary(FunctionCode& code, const char* name, const ir::Instruction& result,
                 std::initializer_list<ir::Operand> arguments, std::optional<Cond> test) {
  // A value that is computed late for this instruction has to be computed now.
  for (ir::Operand argument : arguments) {
    if (DeferredOf(code, argument) != nullptr) In(code, argument);
  }
  // Only long doubles are passed on the stack.
  const auto is_on_stack = [&](ir::Operand argument) {
    return IsLongDouble(TypeOf(code, argument));
  };
  const auto stack_bytes =
      16 * static_cast<int32_t>(std::count_if(arguments.begin(), arguments.end(), is_on_stack));
  const bool moves_stack = TakeStack(code, stack_bytes);
  PrepareCall(code, result);
  ArgumentPlaces places(code.architecture.convention);
  for (ir::Operand argument : arguments) {
    const ir::Type* const type = TypeOf(code, argument);
    const PartList list = PartsOf(type);
    places.ForEachPart(*type, list, [&](unsigned part, const ArgumentPlace& place) {
      Move move = SourceOf(code, argument, part, list.parts[part]);
      move.to = place.reg;
      if (place.reg == kNoRegister) {
        move.to_memory = Mem::At(code.architecture.stack_pointer, place.offset);
      }
      code.moves.Add(move);
    });
  }
  Callee callee;
  callee.library_function = name;
  EmitCall(code, callee, places);
  if (moves_stack) code.assembler.AluRi(Alu::kAdd, 8, code.architecture.stack_pointer, stack_bytes);
  if (test) {
    const Register outcome = code.architecture.convention.general_results[0];
    code.assembler.CompareWithZero(4, outcome);
    code.assembler.Set(*test, outcome);
  }
  DefineResults(code, result);
}

}  // namespace firstcall::baseline
