#include "ir/check_constants.h"

#include <algorithm>
#include <cstddef>

#include "ir/check_operation.h"
#include "ir/global.h"
#include "ir/opcode.h"
#include "ir/type.h"
#include "ir/type_rules.h"

namespace firstcall::ir {
namespace {

uint32_t WordsOf(uint64_t bits) { return static_cast<uint32_t>((bits + 63) / 64); }

// Numbers of `bits` bits. `words` has what lies above the width, too.
Fault CheckWords(absl::Span<const uint64_t> words, uint64_t bits) {
  if (words.size() != WordsOf(bits)) {
    return Fault::Invalid("the number has not as many words as the type");
  }
  if (bits % 64 != 0 && words.back() >> (bits % 64) != 0) {
    return Fault::Invalid("the number is too large for the type");
  }
  return {};
}

Fault CheckInteger(const Constant& constant) {
  if (!constant.type->IsInteger()) return Fault::Invalid("an integer of another type");
  const uint32_t bits = constant.type->number;
  if (bits > 64) return CheckWords(constant.words(), bits);
  const auto above = static_cast<unsigned>(64 - bits);
  const auto extended =
      static_cast<uint64_t>(static_cast<int64_t>(constant.bits() << above) >> above);
  return constant.count == 0 && extended == constant.bits()
             ? Fault()
             : Fault::Invalid("the number is too large for the type");
}

Fault CheckFloat(const Constant& constant) {
  if (!constant.type->IsFloatingPoint()) {
    return Fault::Invalid("a floating-point number of another type");
  }
  const uint64_t bits = constant.type->bit_size;
  if (bits > 64) return CheckWords(constant.words(), bits);
  return constant.count == 0 && (bits == 64 || constant.bits() >> bits == 0)
             ? Fault()
             : Fault::Invalid("the number is too large for the type");
}

bool MayBeNull(const Type& type) {
  return type.IsPointer() || type.IsAggregate() || type.IsVector() || type.IsToken() ||
         type.kind == TypeKind::kTargetExtension;
}

Fault CheckAggregate(const Constant& constant, const OperandScope& scope) {
  const Type& type = *constant.type;
  const absl::Span<const Operand> members = constant.operands();
  if (!type.IsAggregate() && !type.IsFixedVector()) {
    return Fault::Invalid("members of what has none");
  }
  if (members.size() != (type.IsStruct() ? type.members().size() : type.count)) {
    return Fault::Invalid("the number of members is not that of the type");
  }
  for (size_t i = 0; i < members.size(); ++i) {
    const Type* const wanted = type.IsStruct() ? type.members()[i] : type.element();
    if (!members[i].IsConstant() || scope.TypeOf(members[i]) != wanted) {
      return Fault::Invalid("a member has another type than the one in the type");
    }
  }
  return {};
}

// Bytes of each number in data; 0 if there is no data of such numbers.
uint64_t BytesInData(const Type& element) {
  switch (element.kind) {
    case TypeKind::kInteger:
      return element.number == 8 || element.number == 16 || element.number == 32 ||
                     element.number == 64
                 ? element.number / 8
                 : 0;
    case TypeKind::kHalf:
    case TypeKind::kBFloat:
      return 2;
    case TypeKind::kFloat:
      return 4;
    case TypeKind::kDouble:
      return 8;
    default:
      return 0;
  }
}

Fault CheckData(const Constant& constant) {
  const Type& type = *constant.type;
  if (!type.IsArray() && !type.IsFixedVector()) {
    return Fault::Invalid("data of what is neither an array nor a vector");
  }
  const uint64_t bytes = BytesInData(*type.element());
  if (bytes == 0) return Fault::Invalid("data of elements that are no such numbers");
  const uint64_t size = constant.data().size();
  return size % bytes == 0 && size / bytes == type.count
             ? Fault()
             : Fault::Invalid("the size of the data is not that of the type");
}

// `constant` refers to a global.
Fault CheckAddress(const Constant& constant, const OperandScope& scope) {
  if (constant.global >= scope.globals().size()) return Fault::Invalid("of no global");
  const Global& global = scope.globals()[constant.global];
  if (constant.type != global.type()) {
    return Fault::Invalid("an address of another type than the global's");
  }
  if (constant.kind != ConstantKind::kBlockAddress) return {};
  return global.IsFunction() && !global.is_declaration()
             ? Fault()
             : Fault::Invalid("the address of a block of what is no defined function");
}

Fault CheckOperandCount(const Constant& expression, size_t count) {
  return expression.operands().size() == count ? Fault()
                                               : Fault::Invalid("the number of operands is wrong");
}

Fault CheckExpression(const Constant& expression, const OperandScope& scope) {
  const absl::Span<const Operand> operands = expression.operands();
  for (Operand operand : operands) {
    if (!operand.IsConstant()) return Fault::Invalid("an operand is no constant");
  }
  const Type& type = *expression.type;
  const Opcode opcode = expression.opcode;
  if (IsCast(opcode)) {
    if (Fault fault = CheckOperandCount(expression, 1)) return fault;
    return CheckCast(opcode, *scope.TypeOf(operands[0]), type);
  }
  switch (opcode) {
    case Opcode::kGetElementPtr:
      if (operands.empty() || expression.source_type() == nullptr) {
        return Fault::Invalid("an address without a base or a type");
      }
      return CheckElementAddress(type, *expression.source_type(), operands, scope);
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      if (Fault fault = CheckOperandCount(expression, 2)) return fault;
      return CheckBinary(opcode, type, operands, scope);
    case Opcode::kExtractElement:
    case Opcode::kInsertElement:
    case Opcode::kShuffleVector:
      if (Fault fault = CheckOperandCount(expression, opcode == Opcode::kExtractElement ? 2 : 3)) {
        return fault;
      }
      return CheckVectorOperation(opcode, type, operands, scope);
    default:
      return Fault::Unknown("an expression of this kind");
  }
}

// Of a constant that is no expression.
Fault CheckOne(const Constant& constant, const OperandScope& scope) {
  const Type& type = *constant.type;
  switch (constant.kind) {
    case ConstantKind::kInteger:
      return CheckInteger(constant);
    case ConstantKind::kFloat:
      return CheckFloat(constant);
    case ConstantKind::kNull:
      return MayBeNull(type) ? Fault() : Fault::Invalid("null of a type without it");
    case ConstantKind::kUndef:
    case ConstantKind::kPoison:
      return HasPlainValues(type) || type.IsToken()
                 ? Fault()
                 : Fault::Invalid("an undefined value of a type without values");
    case ConstantKind::kAggregate:
      return CheckAggregate(constant, scope);
    case ConstantKind::kData:
      return CheckData(constant);
    case ConstantKind::kGlobal:
    case ConstantKind::kBlockAddress:
    case ConstantKind::kDsoLocalEquivalent:
    case ConstantKind::kNoCfi:
      return CheckAddress(constant, scope);
    case ConstantKind::kInlineAssembly:
    case ConstantKind::kEmptyAssembly:
      return type.IsPointer() ? Fault() : Fault::Invalid("inline assembly that is no pointer");
    case ConstantKind::kMetadata:
      return type.kind == TypeKind::kMetadata ? Fault()
                                              : Fault::Invalid("metadata of another type");
    case ConstantKind::kExpression:  // See CheckExpression.
    case ConstantKind::kOther:
      break;
  }
  return {};
}

Fault TooDeep() { return Fault::Unknown("constants that are nested too deep"); }

}  // namespace

Fault ConstantChecker::Check(absl::Span<const Constant> constants, uint32_t first,
                             const OperandScope& scope) {
  constants_ = constants;
  first_ = first;
  if (Fault fault = CheckAlone(scope)) return fault;
  if (has_expressions_) {
    if (Fault fault = CheckExpressions(scope)) return fault;
  }
  return has_operands_ ? CheckNesting() : Fault();
}

// An expression may look into other constants, so expressions are checked last.
Fault ConstantChecker::CheckAlone(const OperandScope& scope) {
  has_expressions_ = has_operands_ = false;
  for (uint32_t i = 0; i < constants_.size(); ++i) {
    has_operands_ |= !constants_[i].operands().empty();
    if (constants_[i].kind == ConstantKind::kExpression) {
      has_expressions_ = true;
      continue;
    }
    if (Fault fault = CheckOne(constants_[i], scope)) {
      faulty_ = first_ + i;
      return fault;
    }
  }
  return {};
}

Fault ConstantChecker::CheckExpressions(const OperandScope& scope) {
  for (uint32_t i = 0; i < constants_.size(); ++i) {
    if (constants_[i].kind != ConstantKind::kExpression) continue;
    if (Fault fault = CheckExpression(constants_[i], scope)) {
      faulty_ = first_ + i;
      return fault;
    }
  }
  return {};
}

Fault ConstantChecker::CheckNesting() {
  extents_.assign(constants_.size(), Extent());
  for (uint32_t i = 0; i < constants_.size(); ++i) {
    if (constants_[i].operands().empty() || extents_[i].levels != kUnknown) continue;
    if (Fault fault = FindExtent(i)) {
      faulty_ = first_ + i;
      return fault;
    }
  }
  return {};
}

// Constants may consist of each other to any depth, so there is no recursion.
Fault ConstantChecker::FindExtent(uint32_t root) {
  path_.assign(1, {root});
  extents_[root].levels = kBeingFound;
  while (!path_.empty()) {
    if (Fault fault = Proceed()) return fault;
  }
  return {};
}

Fault ConstantChecker::Proceed() {
  Step& step = path_.back();
  const absl::Span<const Operand> operands = constants_[step.constant].operands();
  for (; step.operand < operands.size(); ++step.operand) {
    const Operand operand = operands[step.operand];
    // Constants of a module count as one part each.
    Extent extent;
    if (operand.IsConstant() && operand.number() >= first_) {
      const uint32_t number = operand.number() - first_;
      extent = extents_[number];
      if (extent.levels == kBeingFound) return Fault::Invalid("a constant that consists of itself");
      if (extent.levels == kUnknown && !constants_[number].operands().empty()) {
        if (path_.size() == kMostLevels) return TooDeep();
        extents_[number].levels = kBeingFound;
        path_.push_back({number});
        return {};
      }
    }
    step.levels = std::max<uint32_t>(step.levels, extent.levels);
    step.parts = std::min(step.parts + std::max<uint32_t>(extent.parts, 1), kMostParts);
  }
  return Finish();
}

Fault ConstantChecker::Finish() {
  const Step& step = path_.back();
  if (step.levels == kMostLevels) return TooDeep();
  Extent& extent = extents_[step.constant];
  extent.levels = static_cast<uint16_t>(step.levels + 1);
  const Constant& constant = constants_[step.constant];
  const bool is_expression = constant.kind == ConstantKind::kExpression;
  if (is_expression && step.parts == kMostParts) {
    return Fault::Unknown("an expression of too many parts");
  }
  // What is in a structure or an array is no part of an expression.
  if (is_expression || constant.type->IsVector()) extent.parts = static_cast<uint16_t>(step.parts);
  path_.pop_back();
  return {};
}

}  // namespace firstcall::ir
