#include "backend/baseline/stack_protection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "backend/baseline/element_indices.h"
#include "backend/baseline/static_alloca.h"
#include "ir/constant.h"
#include "ir/global.h"
#include "ir/intrinsic.h"
#include "ir/module.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::baseline {
namespace {

using ir::Attribute;
using ir::IntrinsicId;
using ir::Opcode;

// What may go wrong with a variable. The more, the nearer to the guard the variable lies.
enum class Danger : uint8_t { kNone, kAddressTaken, kSmallArray, kLargeArray };

// The least size in bytes of large arrays, if no attribute says another one.
constexpr uint64_t kLargeBytes = 8;

// Whether the module says where the guard is.
bool MovesGuard(const ir::Module& module) {
  return absl::c_any_of(module.flags(), [](const ir::ModuleFlag& flag) {
    return absl::StartsWith(flag.name, "stack-protector-guard");
  });
}

class Planner {
 public:
  Planner(FunctionFacts& facts, bool is_strong, uint64_t large_bytes)
      : facts_(facts),
        function_(*facts.function),
        is_strong_(is_strong),
        large_bytes_(large_bytes) {}

  // Finds the variables that are in danger.
  void Run() {
    for (const OrderedBlock& block : facts_.order.blocks()) {
      for (const ir::Instruction& instruction :
           function_.InstructionsOf(function_.blocks[block.block])) {
        if (instruction.opcode == Opcode::kAlloca) {
          AddVariable(instruction);
        } else if (!pointers_.empty() && instruction.opcode != Opcode::kPhi) {
          LookAtOperands(instruction);
        }
      }
    }
    if (!pointers_.empty()) LookAtPhis();
  }

  bool has_danger() const {
    return absl::c_any_of(
        variables_, [](const Variable& variable) { return variable.danger != Danger::kNone; });
  }

  // The variables in the frame that are in danger, the most dangerous ones first.
  void List(std::vector<const ir::Instruction*>& list) const {
    for (Danger danger : {Danger::kLargeArray, Danger::kSmallArray, Danger::kAddressTaken}) {
      for (const Variable& variable : variables_) {
        if (variable.danger == danger && IsStaticAlloca(function_, *variable.alloca)) {
          list.push_back(variable.alloca);
        }
      }
    }
  }

 private:
  struct Variable {
    const ir::Instruction* alloca;
    Danger danger;
  };
  // A value that points into a variable.
  struct Pointer {
    uint32_t variable = kNone;
    uint64_t left = 0;  // The bytes from there to the variable's end.
  };

  Danger DangerOfType(const ir::Type& type) const {
    if (type.IsArray()) {
      // Without "strong", only arrays of characters count.
      if (!is_strong_ && !type.element()->IsInteger(8)) return Danger::kNone;
      if (type.alloc_size >= large_bytes_) return Danger::kLargeArray;
      return is_strong_ ? Danger::kSmallArray : Danger::kNone;
    }
    Danger danger = Danger::kNone;
    if (!type.IsStruct()) return danger;
    for (const ir::Type* member : type.members()) {
      danger = std::max(danger, DangerOfType(*member));
    }
    return danger;
  }

  Danger DangerOfAlloca(const ir::Instruction& alloca) const {
    const ir::Constant* count = function_.ConstantOf(function_.OperandOf(alloca, 0));
    if (count == nullptr || !count->IsInteger()) return Danger::kLargeArray;
    if (count->LimitedTo(2) == 1) return DangerOfType(*alloca.source_type);
    if (count->LimitedTo(large_bytes_) >= large_bytes_) return Danger::kLargeArray;
    return is_strong_ ? Danger::kSmallArray : Danger::kNone;
  }

  void AddVariable(const ir::Instruction& alloca) {
    const Danger danger = DangerOfAlloca(alloca);
    if (danger == Danger::kNone && is_strong_) {
      pointers_.resize(function_.values.size());
      pointers_[alloca.value] = {static_cast<uint32_t>(variables_.size()),
                                 alloca.source_type->alloc_size};
    }
    variables_.push_back({&alloca, danger});
  }

  const Pointer* PointerOf(ir::Operand operand) const {
    if (!operand.IsValue()) return nullptr;
    const Pointer& pointer = pointers_[operand.number()];
    return pointer.variable == kNone ? nullptr : &pointer;
  }

  void LookAtOperands(const ir::Instruction& instruction) {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
      const Pointer* pointer = PointerOf(function_.OperandOf(instruction, i));
      if (pointer != nullptr && IsTaken(instruction, i, *pointer)) {
        variables_[pointer->variable].danger = Danger::kAddressTaken;
      }
    }
  }

  // The operands of phis may be defined later than the phis.
  void LookAtPhis() {
    for (const OrderedBlock& block : facts_.order.blocks()) {
      for (const ir::Instruction& phi : function_.InstructionsOf(function_.blocks[block.block])) {
        if (phi.opcode != Opcode::kPhi) break;
        LookAtOperands(phi);
      }
    }
  }

  // Whether the instruction may keep the pointer, its operand number `index`, or access something
  // beyond the variable. If neither, but the result points into the variable: notes that.
  bool IsTaken(const ir::Instruction& instruction, unsigned index, const Pointer& pointer) {
    const auto is_beyond = [&](const ir::Type* type) { return pointer.left < type->store_size; };
    const auto type_at = [&](unsigned i) { return function_.TypeAt(instruction, i); };
    switch (instruction.opcode) {
      case Opcode::kLoad:
        return is_beyond(instruction.type);
      case Opcode::kStore:
      case Opcode::kAtomicRmw:
      case Opcode::kCmpXchg:
        return index != 0 || is_beyond(type_at(1));
      case Opcode::kRet:
        return false;
      case Opcode::kBitCast:
        Follow(instruction, pointer);
        return false;
      case Opcode::kGetElementPtr:
        return index != 0 || IsElementTaken(instruction, pointer);
      case Opcode::kCall:
        return !IsOnlyMark(function_.IntrinsicOf(instruction));
      default:
        return true;
    }
  }

  bool IsElementTaken(const ir::Instruction& element, const Pointer& pointer) {
    if (element.type->IsVector()) return true;
    uint64_t offset = 0;  // Wraps, as addresses do: a negative one is beyond each variable.
    bool is_constant = true;
    ForEachIndex(
        function_, element, [&](uint64_t distance) { offset += distance; },
        [&](ir::Operand index, uint64_t stride) {
          const ir::Constant* number = function_.ConstantOf(index);
          if (number == nullptr || !number->IsInteger() || number->type->number > 64) {
            is_constant = false;
          } else {
            offset += stride * number->bits();
          }
        });
    if (!is_constant || offset >= pointer.left) return true;
    Follow(element, {pointer.variable, pointer.left - offset});
    return false;
  }

  void Follow(const ir::Instruction& result, const Pointer& pointer) {
    const Pointer copy = pointer;
    pointers_[result.value] = copy;
  }

  static bool IsOnlyMark(IntrinsicId intrinsic) {
    switch (intrinsic) {
      case IntrinsicId::kLifetimeStart:
      case IntrinsicId::kLifetimeEnd:
      case IntrinsicId::kDbgDeclare:
      case IntrinsicId::kDbgValue:
      case IntrinsicId::kDbgLabel:
      case IntrinsicId::kDbgAssign:
      case IntrinsicId::kPseudoprobe:
        return true;
      default:
        return false;
    }
  }

  const FunctionFacts& facts_;
  const ir::Function& function_;
  const bool is_strong_;
  const uint64_t large_bytes_;
  std::vector<Variable> variables_;
  std::vector<Pointer> pointers_;  // For each value. Empty while no variable is followed.
};

}  // namespace

bool AsksForProtection(const ir::AttributeSet& attributes) {
  return attributes.Has(Attribute::kStackProtect) || attributes.Has(Attribute::kStackProtectReq) ||
         attributes.Has(Attribute::kStackProtectStrong);
}

Refusal PlanStackProtection(FunctionFacts& facts, const CoverageOptions& options) {
  const ir::AttributeSet& attributes = facts.function->attributes().function;
  if (!options.has_stack_guard || MovesGuard(facts.function->module())) {
    return Refusal::kFunctionAttribute;
  }
  const std::optional<uint64_t> large_bytes =
      attributes.NumberOf("stack-protector-buffer-size", kLargeBytes);
  if (!large_bytes) return Refusal::kFunctionAttribute;
  const bool is_required = attributes.Has(Attribute::kStackProtectReq);
  Planner planner(facts, is_required || attributes.Has(Attribute::kStackProtectStrong),
                  *large_bytes);
  planner.Run();
  facts.has_guard = is_required || planner.has_danger();
  if (!facts.has_guard) return Refusal::kNone;
  facts.has_call = true;
  planner.List(facts.guarded_variables);
  return Refusal::kNone;
}

bool LeavesByException(const ir::Function& function, const ir::Instruction& call) {
  const auto has = [&](Attribute attribute) {
    if (function.CallOf(call).attributes->function.Has(attribute)) return true;
    const ir::Global* callee = function.GlobalOf(function.CalleeOf(call));
    return callee != nullptr && callee->IsFunction() &&
           callee->attributes()->function.Has(attribute);
  };
  return has(Attribute::kNoReturn) && !has(Attribute::kNoUnwind);
}

}  // namespace firstcall::baseline
