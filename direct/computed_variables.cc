#include "direct/computed_variables.h"

#include <cstddef>

#include "absl/types/span.h"
#include "ir/constant.h"
#include "ir/global.h"
#include "ir/opcode.h"
#include "ir/operand.h"

namespace firstcall::direct {
namespace {

bool IsDifference(const ir::Constant& constant) {
  return constant.kind == ir::ConstantKind::kExpression && constant.opcode == ir::Opcode::kSub;
}

// Constants may refer to later ones, so each is looked at when all that it refers to has been
// looked at.
class DistanceFinder {
 public:
  DistanceFinder(const ir::Module& module, absl::FunctionRef<bool(uint32_t)> is_elsewhere,
                 bool both_ways)
      : constants_(module.constants()),
        is_elsewhere_(is_elsewhere),
        both_ways_(both_ways),
        facts_(constants_.size(), 0) {}

  // Whether `root` has a distance from something elsewhere as a part.
  bool HoldsDistance(ir::Operand root) {
    pending_.push_back(root.number());
    while (!pending_.empty()) {
      const uint32_t number = pending_.back();
      if ((facts_[number] & kBegun) == 0) {
        facts_[number] |= kBegun;
        for (ir::Operand part : constants_[number].operands()) {
          if (part.IsConstant() && (facts_[part.number()] & kBegun) == 0) {
            pending_.push_back(part.number());
          }
        }
        continue;
      }
      pending_.pop_back();
      facts_[number] |= FactsOf(constants_[number]);
    }
    return (facts_[root.number()] & kHoldsDistance) != 0;
  }

 private:
  static constexpr uint8_t kBegun = 1;
  // The constant is made of an address elsewhere by expressions, of which none is a distance that
  // is to be computed.
  static constexpr uint8_t kIsElsewhere = 2;
  static constexpr uint8_t kHoldsDistance = 4;

  uint8_t FactsOf(const ir::Constant& constant) const {
    switch (constant.kind) {
      case ir::ConstantKind::kGlobal:
      case ir::ConstantKind::kDsoLocalEquivalent:
      case ir::ConstantKind::kNoCfi:
        return is_elsewhere_(constant.global) ? kIsElsewhere : 0;
      case ir::ConstantKind::kExpression:
        return FactsOfExpression(constant);
      default:
        uint8_t facts = 0;
        for (ir::Operand part : constant.operands()) facts |= facts_[part.number()];
        return facts & kHoldsDistance;
    }
  }

  uint8_t FactsOfExpression(const ir::Constant& expression) const {
    const absl::Span<const ir::Operand> operands = expression.operands();
    const bool is_difference = IsDifference(expression);
    uint8_t facts = 0;
    for (ir::Operand operand : operands) {
      const uint8_t of_operand = facts_[operand.number()];
      facts |= of_operand & kHoldsDistance;
      if ((of_operand & kIsElsewhere) == 0) continue;
      const bool is_computed = is_difference && (both_ways_ || operand == operands[1]);
      facts |= is_computed ? kHoldsDistance : kIsElsewhere;
    }
    return facts;
  }

  const absl::Span<const ir::Constant> constants_;
  const absl::FunctionRef<bool(uint32_t)> is_elsewhere_;
  const bool both_ways_;
  std::vector<uint8_t> facts_;     // By constant.
  std::vector<uint32_t> pending_;  // Each one before what it refers to.
};

}  // namespace

bool HasDifferences(const ir::Module& module) {
  for (const ir::Constant& constant : module.constants().subspan(module.globals().size())) {
    if (IsDifference(constant)) return true;
  }
  return false;
}

std::vector<uint32_t> ComputedVariables(const ir::Module& module,
                                        absl::FunctionRef<bool(uint32_t)> is_elsewhere,
                                        bool both_ways) {
  std::vector<uint32_t> computed;
  DistanceFinder finder(module, is_elsewhere, both_ways);
  for (const ir::Global& global : module.globals()) {
    if (!global.IsVariable() || global.initializer.IsNothing()) continue;
    if (finder.HoldsDistance(global.initializer)) computed.push_back(module.NumberOf(global));
  }
  return computed;
}

}  // namespace firstcall::direct
