#include "backend/baseline/empty_assembly.h"

#include <cstddef>

#include "absl/types/span.h"
#include "backend/baseline/assembly_constraints.h"
#include "backend/baseline/value_parts.h"
#include "ir/constant.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::baseline {
namespace {

// Follows values through assembly without text, from inputs to the outputs in the same places.
class TieReader {
 public:
  explicit TieReader(const AssemblyConstraints& constraints) : constraints_(constraints) {
    for (const AssemblyConstraint& constraint : constraints) {
      if (!constraint.is_output()) continue;
      Output& output = outputs_.emplace_back();
      if (constraint.is_indirect) {
        output.number = assembly_.arguments++;
      } else {
        output.number = assembly_.results.size();
        assembly_.results.push_back(ir::kNone);
      }
    }
  }

  // Nothing if an output is the contents of a register, or if two inputs are tied to it.
  std::optional<EmptyAssembly> Read() {
    for (const AssemblyConstraint& constraint : constraints_) {
      if (constraint.kind == AssemblyConstraint::Kind::kInput && !AddInput(constraint)) {
        return std::nullopt;
      }
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!constraints_[i].name.empty() && !outputs_[i].is_tied) return std::nullopt;
    }
    return assembly_;
  }

 private:
  struct Output {
    // The number of the argument that is the output's address, or of the result's member.
    uint32_t number = 0;
    bool is_tied = false;
  };

  bool AddInput(const AssemblyConstraint& input) {
    const uint32_t argument = assembly_.arguments++;
    if (input.tied_to != AssemblyConstraint::kUntied) return Tie(input.tied_to, argument, input);
    if (input.name.empty()) return true;
    // An input in the register of an output is that output.
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (constraints_[i].name == input.name) return Tie(i, argument, input);
    }
    return true;
  }

  bool Tie(size_t place, uint32_t argument, const AssemblyConstraint& input) {
    Output& output = outputs_[place];
    if (output.is_tied) return false;
    output.is_tied = true;
    if (constraints_[place].is_indirect) {
      // A place in memory that is an input and an output keeps its contents.
      if (!input.is_indirect) assembly_.stores.push_back({output.number, argument});
      return true;
    }
    assembly_.results[output.number] = argument;
    return !input.is_indirect;
  }

  const AssemblyConstraints& constraints_;
  absl::InlinedVector<Output, 4> outputs_;  // Of the first constraints.
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

std::optional<EmptyAssembly> ReadConstraints(absl::string_view text) {
  const std::optional<AssemblyConstraints> constraints = ParseConstraints(text);
  return constraints ? TieReader(*constraints).Read() : std::nullopt;
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
