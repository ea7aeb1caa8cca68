#include "ir/check_constraints.h"

#include <cstddef>

#include "absl/strings/string_view.h"
#include "ir/constant.h"
#include "ir/opcode.h"

namespace firstcall::ir {
namespace {

// Empty if the operand is no text.
absl::string_view TextOf(Operand operand, const OperandScope& scope) {
  const Constant* const constant = scope.ConstantOf(operand);
  return constant != nullptr && constant->kind == ConstantKind::kMetadata ? constant->data()
                                                                          : absl::string_view();
}

}  // namespace

Fault CheckConstraints(const ConstrainedOperation& operation, absl::Span<const Operand> texts,
                       const OperandScope& scope) {
  size_t next = 0;
  if (operation.opcode == Opcode::kFCmp) {
    Predicate predicate;
    if (!FindConstrainedPredicate(TextOf(texts[next++], scope), predicate)) {
      return Fault::Invalid("a constrained comparison by no known predicate");
    }
  }
  if (operation.has_rounding && !IsConstrainedRounding(TextOf(texts[next++], scope))) {
    return Fault::Invalid("a constrained operation that rounds in no known way");
  }
  if (!IsConstrainedExceptions(TextOf(texts[next], scope))) {
    return Fault::Invalid("a constrained operation that treats exceptions in no known way");
  }
  return {};
}

}  // namespace firstcall::ir
