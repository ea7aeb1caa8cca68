// Walks over the operands of a record of a function's body and says what they mean: numbers, types,
// blocks, values.
//
// Whoever reads past the record's end, or reads a number that means nothing, gets something
// harmless, and the body's builder has failed (BodyBuilder). Types are never null.
//
// A local variable of the function that reads the record, so that it lives in registers: for that,
// its functions are inline, and what they call besides does not get the cursor. Thread-compatible.

#ifndef FIRSTCALL_BITCODE_RECORD_CURSOR_H_
#define FIRSTCALL_BITCODE_RECORD_CURSOR_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/types/span.h"
#include "bitcode/body_builder.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::bitcode {

class RecordCursor {
 public:
  // The operands must not change as long as the cursor is used.
  RecordCursor(absl::Span<const uint64_t> operands, BodyBuilder& body)
      : body_(body),
        next_(operands.data()),
        end_(operands.data() + operands.size()),
        base_(body.next_value()) {}

  size_t left() const { return static_cast<size_t>(end_ - next_); }
  bool IsAtEnd() const { return next_ == end_; }
  // Further operands would mean something that this reader does not know.
  void ExpectEnd() {
    if (ABSL_PREDICT_FALSE(next_ != end_)) body_.Refuse("the record has unknown operands");
  }

  ABSL_ATTRIBUTE_ALWAYS_INLINE uint64_t Number() {
    if (ABSL_PREDICT_TRUE(next_ != end_)) return *next_++;
    body_.Fail("the record lacks operands");
    return 0;
  }
  // 0 if the record has no further operands.
  uint64_t OptionalNumber() { return IsAtEnd() ? 0 : *next_++; }
  bool Flag() { return Number() != 0; }

  ABSL_ATTRIBUTE_ALWAYS_INLINE const ir::Type* Type() { return body_.TypeNumbered(Number()); }
  // A type that the result of an instruction may have.
  ABSL_ATTRIBUTE_ALWAYS_INLINE const ir::Type* ResultType() {
    const ir::Type* type = Type();
    if (ABSL_PREDICT_FALSE(!type->IsFirstClass() || type->kind == ir::TypeKind::kLabel ||
                           type->kind == ir::TypeKind::kMetadata)) {
      body_.Fail("a result of a type that no value has");
    }
    return type;
  }

  ABSL_ATTRIBUTE_ALWAYS_INLINE uint32_t Block() {
    const uint64_t block = Number();
    if (ABSL_PREDICT_TRUE(block < body_.block_count())) return static_cast<uint32_t>(block);
    body_.Fail("no block has this number");
    return 0;
  }

  // The logarithm of an alignment in bytes, which the record has with 1 added.
  ABSL_ATTRIBUTE_ALWAYS_INLINE uint8_t AlignmentLog() { return AlignmentLogOf(Number()); }
  ABSL_ATTRIBUTE_ALWAYS_INLINE uint8_t AlignmentLogOf(uint64_t coded) {
    if (ABSL_PREDICT_TRUE(coded - 1 <= kMostAlignmentLog)) return static_cast<uint8_t>(coded - 1);
    if (coded == 0) {
      body_.Refuse("an access without an alignment");
    } else {
      body_.Fail("an alignment is out of range");
    }
    return 0;
  }

  uint8_t Ordering() {
    const uint64_t ordering = Number();
    if (ABSL_PREDICT_TRUE(ordering <= kMostOrdering)) return static_cast<uint8_t>(ordering);
    body_.Fail("no ordering of memory has this number");
    return 0;
  }

  // A value whose type follows from something else. The record says how far the value's number lies
  // before that of the result that was the next one when the record began.
  ABSL_ATTRIBUTE_ALWAYS_INLINE ir::Operand Value() {
    const uint32_t number = RelativeNumber();
    return ABSL_PREDICT_TRUE(number < base_) ? body_.KnownValue(number) : body_.LaterValue(number);
  }
  // The same, but the distance has a sign (in the lowest bit).
  ABSL_ATTRIBUTE_ALWAYS_INLINE ir::Operand SignedValue() {
    const uint64_t coded = Number();
    const uint64_t distance = (coded & 1) != 0 ? -(coded >> 1) : coded >> 1;
    return ValueNumbered(base_ - distance);
  }
  // The record has the value's number itself.
  ABSL_ATTRIBUTE_ALWAYS_INLINE ir::Operand AbsoluteValue() { return ValueNumbered(Number()); }
  // The number of metadata. The record has a distance, as of a value.
  uint32_t Metadata() { return RelativeNumber(); }
  // A value as from Value, with its type. The record has the type, too, of a value that is defined
  // later.
  ABSL_ATTRIBUTE_ALWAYS_INLINE TypedOperand ValueAndType() {
    const uint32_t number = RelativeNumber();
    if (ABSL_PREDICT_TRUE(number < base_)) return body_.KnownTypedValue(number);
    return body_.LaterTypedValue(number, Number());
  }

 private:
  static constexpr uint64_t kMostAlignmentLog = 32;
  static constexpr uint64_t kMostOrdering =
      static_cast<uint64_t>(ir::Ordering::kSequentiallyConsistent);

  // Distances to later values are negative, as numbers of 32 bits.
  ABSL_ATTRIBUTE_ALWAYS_INLINE uint32_t RelativeNumber() {
    const uint64_t distance = Number();
    if (ABSL_PREDICT_FALSE(distance > UINT32_MAX)) body_.Fail("a value is too far away");
    return base_ - static_cast<uint32_t>(distance);
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE ir::Operand ValueNumbered(uint64_t number) {
    if (ABSL_PREDICT_TRUE(number < base_)) return body_.KnownValue(static_cast<uint32_t>(number));
    if (number <= UINT32_MAX) return body_.LaterValue(static_cast<uint32_t>(number));
    body_.Fail("the number of a value is out of range");
    return ir::Operand();
  }

  BodyBuilder& body_;
  const uint64_t* next_;
  const uint64_t* const end_;
  const uint32_t base_;  // The number of the next result when the record began.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_RECORD_CURSOR_H_
