#include "ir/check_call.h"

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "ir/attributes.h"
#include "ir/check_attributes.h"
#include "ir/check_intrinsic.h"
#include "ir/global.h"
#include "ir/type_rules.h"

namespace firstcall::ir {
namespace {

// More arguments than this are LLVM's: their offsets on the stack are numbers of 31 bits.
constexpr uint32_t kMostArguments = uint32_t{1} << 16;

// An argument without a parameter.
Fault CheckFurtherArgument(const Type& type) {
  return HasPlainValues(type) ? Fault() : Fault::Unknown("a further argument of this type");
}

// `type`: that of the function that is called.
Fault CheckArguments(const Type& type, absl::Span<const Operand> arguments,
                     const OperandScope& scope) {
  const absl::Span<const Type* const> parameters = type.parameters();
  if (arguments.size() != parameters.size() &&
      (arguments.size() < parameters.size() || !type.is_variadic)) {
    return Fault::Invalid("the number of arguments is not that of the function's type");
  }
  if (arguments.size() > kMostArguments) return Fault::Unknown("more than 2^16 arguments");
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (scope.TypeOf(arguments[i]) != parameters[i]) {
      return Fault::Invalid("an argument has another type than the parameter");
    }
  }
  for (size_t i = parameters.size(); i < arguments.size(); ++i) {
    if (Fault fault = CheckFurtherArgument(*scope.TypeOf(arguments[i]))) return fault;
  }
  return {};
}

// A variable for errors: an alloca of its own kind, or such a parameter.
bool IsErrorVariable(const Function& function, Operand operand) {
  if (!operand.IsValue()) return false;
  const Instruction* const definition = function.DefinitionOf(operand);
  if (definition != nullptr) {
    return definition->opcode == Opcode::kAlloca && definition->is_swift_error;
  }
  return function.attributes().OfParameter(operand.number()).Has(Attribute::kSwiftError);
}

// Checks the attributes of the arguments. Those that the call has come first, then those that only
// the callee's parameters have.
class ArgumentChecker {
 public:
  ArgumentChecker(const Function& function, absl::Span<const Operand> arguments,
                  const OperandScope& scope)
      : function_(function), arguments_(arguments), scope_(scope) {}

  Fault Add(const AttributeList& list, const AttributeList* before) {
    for (uint32_t i = 0; i < list.parameters.size() && i < arguments_.size(); ++i) {
      const AttributeSet& set = list.parameters[i];
      uint64_t kinds = set.kinds;
      if (before != nullptr) kinds &= ~before->OfParameter(i).kinds;
      if (Fault fault = parameters_.Add(i, *scope_.TypeOf(arguments_[i]), set, kinds)) return fault;
      if (set.Has(Attribute::kSwiftError) && !IsErrorVariable(function_, arguments_[i])) {
        return Fault::Invalid("a swifterror argument is no variable for errors");
      }
    }
    return {};
  }

 private:
  const Function& function_;
  const absl::Span<const Operand> arguments_;
  const OperandScope& scope_;
  ParameterChecker parameters_;
};

// `callee`: the function that is called by its name and by its own type; null if there is none.
Fault CheckAttributes(const Function& function, const Call& call, const Global* callee,
                      absl::Span<const Operand> arguments, const OperandScope& scope) {
  ArgumentChecker checker(function, arguments, scope);
  if (Fault fault = checker.Add(*call.attributes, nullptr)) return fault;
  if (callee == nullptr || !checker.Add(*callee->attributes(), call.attributes)) return {};
  // The attributes of both are valid alone.
  return Fault::Unknown("a call with other attributes than the function's");
}

}  // namespace

Fault CheckCall(const Function& function, const Instruction& instruction,
                const OperandScope& scope) {
  const Call& call = function.calls[instruction.call];
  if (instruction.operand_count == 0 || call.argument_count != instruction.operand_count - 1) {
    return Fault::Invalid("the operands are not the arguments and what is called");
  }
  const absl::Span<const Operand> arguments = function.ArgumentsOf(instruction);
  const Type& type = *call.function_type;
  if (!type.IsFunction()) return Fault::Invalid("what is called has not the type of a function");
  if (instruction.type != type.result()) {
    return Fault::Invalid("the result has another type than the function's");
  }
  if (type.result()->kind == TypeKind::kOpaqueStruct) {
    return Fault::Unknown("a result of an opaque type");
  }
  if (Fault fault = CheckArguments(type, arguments, scope)) return fault;
  const Operand address = function.CalleeOf(instruction);
  if (!scope.TypeOf(address)->IsPointer()) return Fault::Invalid("what is called is no pointer");

  const Global* callee = scope.GlobalOf(address);
  if (callee != nullptr && !callee->IsFunction()) callee = nullptr;
  const bool is_intrinsic = callee != nullptr && callee->intrinsic() != IntrinsicId::kNone;
  if (callee != nullptr && callee->value_type() != &type) {
    if (is_intrinsic) return Fault::Invalid("an intrinsic is called by another type than its own");
    callee = nullptr;
  }
  uint64_t kinds = call.attributes->anywhere;
  if (callee != nullptr) kinds |= callee->attributes()->anywhere;
  if (ParameterChecker::IsNeeded(kinds)) {
    if (Fault fault = CheckAttributes(function, call, callee, arguments, scope)) return fault;
  }
  if (!is_intrinsic) return {};
  return CheckIntrinsic(*callee, arguments, *function.global().value_type(), scope);
}

}  // namespace firstcall::ir
