// What the operands of instructions and of constants refer to: types and constants by operand. As
// ir::Function tells them, but with the arrays' addresses at hand, and for a module's constants,
// too.
//
// A view: the arrays must outlive the object, and must not grow. Thread-safe.

#ifndef FIRSTCALL_IR_OPERAND_SCOPE_H_
#define FIRSTCALL_IR_OPERAND_SCOPE_H_

#include <cstddef>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::ir {

class OperandScope {
 public:
  // Of the constants of `module`, which no values belong to.
  explicit OperandScope(const Module& module)
      : shared_(module.constants()), globals_(module.globals()) {}
  explicit OperandScope(const Function& function)
      : values_(function.values),
        shared_(function.module().constants()),
        own_(function.constants),
        globals_(function.module().globals()) {}

  ABSL_ATTRIBUTE_ALWAYS_INLINE const Type* TypeOf(Operand operand) const {
    return operand.IsValue() ? values_[operand.number()].type : At(operand.number()).type;
  }
  // The constant, or null if the operand is a value.
  ABSL_ATTRIBUTE_ALWAYS_INLINE const Constant* ConstantOf(Operand operand) const {
    return operand.IsConstant() ? &At(operand.number()) : nullptr;
  }
  // The global if the operand is its address; null otherwise.
  ABSL_ATTRIBUTE_ALWAYS_INLINE const Global* GlobalOf(Operand operand) const {
    const Constant* const constant = ConstantOf(operand);
    return constant != nullptr && constant->IsGlobal() ? &globals_[constant->global] : nullptr;
  }
  absl::Span<const Global> globals() const { return globals_; }

 private:
  const Constant& At(size_t number) const {
    return number < shared_.size() ? shared_[number] : own_[number - shared_.size()];
  }

  absl::Span<const Value> values_;
  absl::Span<const Constant> shared_, own_;
  absl::Span<const Global> globals_;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_OPERAND_SCOPE_H_
