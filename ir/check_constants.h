// Checks constants: those of a module, or those that only a function has.
//
// A constant must not consist of itself. Walks over constants may recurse, so each list may nest
// its constants at most kMostLevels deep: a constant of a function has at most twice as many
// levels. A walk over an expression whose operands are the same constant takes twice as long for
// each level, so an expression has less than kMostParts parts, each counted as often as it is used;
// a constant of the module counts as one part of an expression of a function.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_IR_CHECK_CONSTANTS_H_
#define FIRSTCALL_IR_CHECK_CONSTANTS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/constant.h"
#include "ir/fault.h"
#include "ir/operand.h"
#include "ir/operand_scope.h"

namespace firstcall::ir {

class ConstantChecker {
 public:
  static constexpr uint32_t kMostLevels = 100;
  static constexpr uint32_t kMostParts = 1000;

  // Checks `constants`, of which the first one has the number `first`; those before must have been
  // checked. `scope` has all of them.
  Fault Check(absl::Span<const Constant> constants, uint32_t first, const OperandScope& scope);

  // The number of the constant that the last Check found fault with.
  uint32_t faulty() const { return faulty_; }

 private:
  // What a constant consists of.
  struct Extent {
    uint16_t levels = kUnknown;
    uint16_t parts = 0;
  };
  // A constant whose extent is being found.
  struct Step {
    uint32_t constant;     // The number, less `first_`.
    uint32_t operand = 0;  // The first one that is not yet counted.
    uint32_t levels = 0;   // Of the operands before.
    uint32_t parts = 0;
  };
  static constexpr uint16_t kUnknown = 0;
  static constexpr uint16_t kBeingFound = UINT16_MAX;

  Fault CheckAlone(const OperandScope& scope);
  Fault CheckExpressions(const OperandScope& scope);
  Fault CheckNesting();
  Fault FindExtent(uint32_t root);
  // Counts operands of the constant on top of `path_`. If one of them has no extent yet, puts it on
  // top. If there is none, takes the constant off.
  Fault Proceed();
  Fault Finish();

  absl::Span<const Constant> constants_;
  uint32_t first_ = 0;
  uint32_t faulty_ = 0;
  bool has_expressions_ = false;
  bool has_operands_ = false;
  std::vector<Extent> extents_;  // By number, less `first_`.
  std::vector<Step> path_;       // Each is an operand of the one before.
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CHECK_CONSTANTS_H_
