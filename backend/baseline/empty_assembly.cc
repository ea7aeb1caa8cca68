#include "backend/baseline/empty_assembly.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "backend/baseline/value_parts.h"
#include "ir/constant.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::baseline {
namespace {

// An output, by its place among the constraints.
struct Output {
  // The number of the argument that is the output's address, or of the result's member.
  uint32_t number = 0;
  bool is_indirect = false;
  absl::string_view register_name;  // In braces. Empty: the constraint names none.
  bool is_tied = false;
};

// Reads the constraints one after the other: outputs, then inputs, then clobbers.
class ConstraintReader {
 public:
  // False if the constraint is not covered.
  bool Add(absl::string_view constraint) {
    if (absl::StartsWith(constraint, "~")) return true;
    if (absl::StartsWith(constraint, "!")) return false;
    const bool is_output = absl::ConsumePrefix(&constraint, "=");
    bool is_indirect = false;
    while (!constraint.empty() && absl::StrContains("*&%", constraint[0])) {
      is_indirect |= constraint[0] == '*';
      constraint.remove_prefix(1);
    }
    if (constraint.empty()) return false;
    return is_output ? AddOutput(constraint, is_indirect) : AddInput(constraint, is_indirect);
  }

  // After the last one.
  std::optional<EmptyAssembly> Take() {
    for (const Output& output : outputs_) {
      if (!output.register_name.empty() && !output.is_tied) return std::nullopt;
    }
    return assembly_;
  }

 private:
  bool AddOutput(absl::string_view constraint, bool is_indirect) {
    if (has_inputs_) return false;
    Output& output = outputs_.emplace_back();
    output.is_indirect = is_indirect;
    output.register_name = constraint[0] == '{' ? constraint : absl::string_view();
    if (is_indirect) {
      output.number = assembly_.arguments++;
    } else {
      output.number = assembly_.results.size();
      assembly_.results.push_back(ir::kNone);
    }
    return true;
  }

  bool AddInput(absl::string_view constraint, bool is_indirect) {
    has_inputs_ = true;
    const uint32_t argument = assembly_.arguments++;
    if (constraint[0] == '{') return TieToRegister(constraint, argument);
    if (!absl::ascii_isdigit(constraint[0])) return true;
    uint32_t place = 0;
    // Alternatives, which "|" separates, tie to one output or to none.
    if (!absl::SimpleAtoi(constraint, &place) || place >= outputs_.size()) return false;
    return Tie(outputs_[place], argument, is_indirect);
  }

  // An input in the register of an output is that output.
  bool TieToRegister(absl::string_view name, uint32_t argument) {
    for (Output& output : outputs_) {
      if (output.register_name == name) return Tie(output, argument, false);
    }
    return true;
  }

  bool Tie(Output& output, uint32_t argument, bool is_indirect) {
    if (output.is_tied) return false;
    output.is_tied = true;
    if (output.is_indirect) {
      // A place in memory that is an input and an output keeps its contents.
      if (!is_indirect) assembly_.stores.push_back({output.number, argument});
      return true;
    }
    assembly_.results[output.number] = argument;
    return !is_indirect;
  }

  absl::InlinedVector<Output, 4> outputs_;
  bool has_inputs_ = false;
  EmptyAssembly assembly_;
};

// Whether a value of this type can be stored as it is.
bool IsPlain(const ir::Type* type) {
  if (type->IsInteger()) {
    return type->number == 8 || type->number == 16 || type->number == 32 || type->number == 64;
  }
  return (type->IsPointer() && type->number == 0) || type->IsFloat() || type->IsDouble();
}

}  // namespace

std::optional<EmptyAssembly> ReadConstraints(absl::string_view constraints) {
  ConstraintReader reader;
  if (!constraints.empty()) {
    for (absl::string_view constraint : absl::StrSplit(constraints, ',')) {
      if (!reader.Add(constraint)) return std::nullopt;
    }
  }
  return reader.Take();
}

bool CallsEmptyAssembly(const ir::Function& function, const ir::Instruction& instruction) {
  const ir::Constant* callee = function.ConstantOf(function.CalleeOf(instruction));
  return callee != nullptr && callee->kind == ir::ConstantKind::kEmptyAssembly;
}

std::optional<EmptyAssembly> EmptyAssemblyOf(const ir::Function& function,
                                             const ir::Instruction& call) {
  const ir::Constant* callee = function.ConstantOf(function.CalleeOf(call));
  std::optional<EmptyAssembly> assembly = ReadConstraints(callee->data());
  const absl::Span<const ir::Operand> arguments = function.ArgumentsOf(call);
  if (!assembly || assembly->arguments != arguments.size()) return std::nullopt;

  const size_t results = assembly->results.size();
  const bool has_members = results > 1;
  if (has_members ? !call.type->IsStruct() || call.type->members().size() != results
                  : call.type->IsVoid() != (results == 0)) {
    return std::nullopt;
  }
  for (size_t i = 0; i < results; ++i) {
    const ir::Type* type = has_members ? call.type->members()[i] : call.type;
    const uint32_t argument = assembly->results[i];
    if (PartCount(type) == 0) return std::nullopt;
    if (argument != ir::kNone && function.TypeOf(arguments[argument]) != type) return std::nullopt;
  }
  for (const EmptyAssembly::Store& store : assembly->stores) {
    if (!IsPlain(function.TypeOf(arguments[store.value])) ||
        !function.TypeOf(arguments[store.address])->IsPointer()) {
      return std::nullopt;
    }
  }
  return assembly;
}

}  // namespace firstcall::baseline
