#include "backend/baseline/assembly_plan.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backend/baseline/assembly_constraints.h"
#include "backend/baseline/value_parts.h"
#include "ir/constant.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::baseline {
namespace {

// Letters with which names of classes of several letters begin.
constexpr absl::string_view kLongNames = "UWYj";

bool AreSimple(absl::string_view letters) {
  for (char letter : letters) {
    if (!absl::ascii_isalpha(letter) || absl::StrContains(kLongNames, letter)) return false;
  }
  return true;
}

// Whether a value of this type fills one register, and is written by the size of its type.
bool IsPlain(const ir::Type* type) {
  if (type->IsInteger()) {
    return type->number == 8 || type->number == 16 || type->number == 32 || type->number == 64;
  }
  if (type->IsPointer()) return type->number == 0;
  return type->IsFloat() || type->IsDouble() ||
         (type->IsVector() && PartCount(type) == 1 && type->store_size == 16);
}

uint16_t BitsOf(const ir::Type* type) {
  return static_cast<uint16_t>(type->IsPointer() ? 64 : type->store_size * 8);
}

class Planner {
 public:
  Planner(const ir::Function& function, const ir::Instruction& call,
          const Architecture& architecture, const AssemblyConstraints& constraints)
      : function_(function),
        call_(call),
        arguments_(function.ArgumentsOf(call)),
        syntax_(AssemblySyntaxOf(architecture)),
        constraints_(constraints) {}

  // Registers that constraints name come first, because nothing else may be in them.
  std::optional<AssemblyPlan> Run() {
    if (!FindTypes() || !PlaceNamed()) return std::nullopt;
    for (size_t i = 0; i < plan_.operands.size(); ++i) {
      if (!Place(i)) return std::nullopt;
    }
    for (size_t i = 0; i < plan_.operands.size(); ++i) {
      const AssemblyOperand& operand = plan_.operands[i];
      if (constraints_[i].has_argument()) {
        plan_.arguments.push_back(operand.reg);
      } else {
        plan_.results.push_back(operand.reg);
      }
    }
    plan_.registers = taken_ | clobbers_;
    return plan_;
  }

 private:
  // Of each operand: the type of the value, or of the address if the operand is in memory.
  bool FindTypes() {
    size_t argument = 0, member = 0;
    size_t members = 0;
    for (const AssemblyConstraint& constraint : constraints_) {
      members += constraint.is_output() && !constraint.is_indirect ? 1 : 0;
    }
    const ir::Type* const result = call_.type;
    if (members > 1 ? !result->IsStruct() || result->members().size() != members
                    : result->IsVoid() != (members == 0)) {
      return false;
    }
    for (const AssemblyConstraint& constraint : constraints_) {
      if (constraint.kind == AssemblyConstraint::Kind::kClobber) {
        if (!syntax_.AddClobber(constraint.name, clobbers_)) return false;
        continue;
      }
      if (constraint.has_argument() && argument == arguments_.size()) return false;
      const ir::Type* const type = constraint.has_argument()
                                       ? function_.TypeOf(arguments_[argument])
                                   : members > 1 ? result->members()[member++]
                                                 : result;
      if (!IsPlain(type) || (constraint.is_indirect && !type->IsPointer())) return false;
      values_.push_back(constraint.has_argument() ? arguments_[argument++] : ir::Operand());
      types_.push_back(type);
      plan_.operands.emplace_back().bits = BitsOf(type);
    }
    return argument == arguments_.size();
  }

  bool PlaceNamed() {
    for (size_t i = 0; i < plan_.operands.size(); ++i) {
      const AssemblyConstraint& constraint = constraints_[i];
      if (constraint.name.empty()) continue;
      if (!constraint.is_output() && AreSimple(constraint.letters) &&
          MakeImmediate(values_[i], constraint.letters, plan_.operands[i])) {
        continue;
      }
      const Register reg = syntax_.RegisterOf(constraint.name);
      if (reg == kNoRegister || constraint.is_indirect || !Fits(types_[i], reg)) return false;
      // An input may be in the register of an output, and two of one kind may not share one.
      RegisterSet& named = constraint.is_output() ? named_outputs_ : named_inputs_;
      if ((named & SetOf(reg)) != 0) return false;
      named |= SetOf(reg);
      plan_.operands[i].reg = reg;
    }
    taken_ = named_outputs_ | named_inputs_;
    return true;
  }

  bool Place(size_t i) {
    AssemblyOperand& operand = plan_.operands[i];
    const AssemblyConstraint& constraint = constraints_[i];
    if (!constraint.name.empty()) return true;
    if (constraint.tied_to != AssemblyConstraint::kUntied) return Tie(i, constraint.tied_to);
    if (!AreSimple(constraint.letters)) return false;
    if (constraint.is_indirect) return PlaceInMemory(i);
    if (!constraint.is_output() && MakeImmediate(values_[i], constraint.letters, operand)) {
      return true;
    }
    for (char letter : constraint.letters) {
      if (TakeOf(syntax_.ClassOf(letter), types_[i], operand)) return true;
    }
    return false;
  }

  bool Tie(size_t i, size_t output) {
    AssemblyOperand& operand = plan_.operands[i];
    const AssemblyOperand& target = plan_.operands[output];
    if (constraints_[i].is_indirect || constraints_[output].is_indirect ||
        !Fits(types_[i], target.reg)) {
      return false;
    }
    // Of two inputs only one could be there.
    if (tied_.size() <= output) tied_.resize(output + 1, false);
    if (tied_[output]) return false;
    tied_[output] = true;
    // An input of this register's own would be in the way.
    if ((named_inputs_ & SetOf(target.reg)) != 0) return false;
    operand.reg = target.reg;
    // The register is written as the output is.
    operand.bits = target.bits;
    return true;
  }

  bool PlaceInMemory(size_t i) {
    AssemblyOperand& operand = plan_.operands[i];
    bool is_allowed = false;
    for (char letter : constraints_[i].letters) is_allowed |= syntax_.AllowsMemory(letter);
    if (!is_allowed) return false;
    operand.kind = AssemblyOperand::Kind::kMemory;
    // A place that is an input and an output is there twice.
    for (size_t other = 0; other < i; ++other) {
      const AssemblyOperand& place = plan_.operands[other];
      if (place.kind == AssemblyOperand::Kind::kMemory && values_[other] == values_[i]) {
        operand.reg = place.reg;
        return true;
      }
    }
    return TakeOf(syntax_.ClassOf('r'), types_[i], operand);
  }

  bool MakeImmediate(ir::Operand value, absl::string_view letters, AssemblyOperand& operand) const {
    const ir::Constant* const constant = function_.ConstantOf(value);
    if (constant == nullptr || !constant->IsInteger()) return false;
    const auto number = static_cast<int64_t>(constant->bits());
    for (char letter : letters) {
      if (!syntax_.AllowsImmediate(letter, number, constant->unsigned_bits())) continue;
      operand.kind = AssemblyOperand::Kind::kImmediate;
      operand.immediate = number;
      return true;
    }
    return false;
  }

  static bool Fits(const ir::Type* type, Register reg) {
    return IsVector(reg) != type->IsIntegerOrPointer();
  }

  // Gives the operand the first register that nothing else is in.
  bool TakeOf(absl::Span<const Register> registers, const ir::Type* type,
              AssemblyOperand& operand) {
    for (Register reg : registers) {
      if (!Fits(type, reg) || ((taken_ | clobbers_) & SetOf(reg)) != 0) continue;
      taken_ |= SetOf(reg);
      operand.reg = reg;
      return true;
    }
    return false;
  }

  const ir::Function& function_;
  const ir::Instruction& call_;
  const absl::Span<const ir::Operand> arguments_;
  const AssemblySyntax& syntax_;
  const AssemblyConstraints& constraints_;
  // For each operand; values_ has no value for results.
  absl::InlinedVector<ir::Operand, 8> values_;
  absl::InlinedVector<const ir::Type*, 8> types_;
  RegisterSet clobbers_ = 0, taken_ = 0, named_outputs_ = 0, named_inputs_ = 0;
  absl::InlinedVector<bool, 8> tied_;  // Whether an input is tied to the output of this number.
  AssemblyPlan plan_;
};

}  // namespace

bool CallsAssembly(const ir::Function& function, const ir::Instruction& instruction) {
  const ir::Constant* const callee = function.ConstantOf(function.CalleeOf(instruction));
  return callee != nullptr && callee->kind == ir::ConstantKind::kInlineAssembly;
}

std::optional<AssemblyPlan> PlanAssembly(const ir::Function& function, const ir::Instruction& call,
                                         const Architecture& architecture) {
  const ir::InlineAssembly* const assembly =
      function.ConstantOf(function.CalleeOf(call))->assembly();
  if (assembly == nullptr) return std::nullopt;
  const std::optional<AssemblyConstraints> constraints = ParseConstraints(assembly->constraints);
  if (!constraints) return std::nullopt;
  return Planner(function, call, architecture, *constraints).Run();
}

}  // namespace firstcall::baseline
