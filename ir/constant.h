// The constants of LLVM IR.

#ifndef FIRSTCALL_IR_CONSTANT_H_
#define FIRSTCALL_IR_CONSTANT_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::ir {

enum class ConstantKind : uint8_t {
  kInteger,  // Of at most 64 bits: bits(). Otherwise words().
  kFloat,    // A floating-point number, as its bits in memory: bits(), or of more than 64 words().
  kNull,     // Zero of a type that is neither an integer nor a floating-point number.
  kUndef,
  kPoison,
  kAggregate,           // operands(): the members of a structure, an array or a vector.
  kData,                // data(): the elements of an array or a vector of numbers, as in memory.
  kGlobal,              // The address of the function, variable, alias or ifunc `global`.
  kBlockAddress,        // The address of block number `block()` of the function `global`.
  kExpression,          // `opcode` applied to operands(). kGetElementPtr: see source_type().
  kDsoLocalEquivalent,  // Of `global`.
  kNoCfi,               // Of `global`.
  kInlineAssembly,      // Whose text has an effect: assembly().
  kEmptyAssembly,       // Other inline assembly (base/assembly_text.h). data(): its constraints.
  // The argument of an intrinsic that is metadata. Of a constrained intrinsic's that is a text:
  // data(). Otherwise readers leave out what it is.
  kMetadata,
  kOther,  // What only LLVM knows. operands(): constants that it refers to, if the reader says.
};

// Inline assembly of LLVM's default dialect that needs no aligned stack and does not unwind.
struct InlineAssembly {
  absl::string_view text, constraints;
};

// A plain value of 40 bytes. What it points to belongs to the module or to the function that has
// the constant.
class Constant {
 public:
  ConstantKind kind = ConstantKind::kOther;
  Opcode opcode = Opcode::kUnreachable;  // Of an expression.
  // Of operands(), words() or data().
  uint32_t count = 0;
  const Type* type = nullptr;
  uint32_t global = kNone;  // The number in Module::globals().

  bool IsInteger() const { return kind == ConstantKind::kInteger; }
  bool IsUndefined() const { return kind == ConstantKind::kUndef || kind == ConstantKind::kPoison; }
  bool IsGlobal() const { return kind == ConstantKind::kGlobal; }
  // Whether this is zero: of an integer, a pointer, an aggregate or a vector, or the floating-point
  // number +0.0.
  bool IsZero() const {
    if (kind == ConstantKind::kNull) return true;
    if (kind != ConstantKind::kInteger && kind != ConstantKind::kFloat) return false;
    for (uint64_t word : words()) {
      if (word != 0) return false;
    }
    return count != 0 || bits_ == 0;
  }

  // An integer of at most 64 bits, sign-extended; a floating-point number, zero-extended.
  uint64_t bits() const { return bits_; }
  // The same integer, zero-extended.
  uint64_t unsigned_bits() const {
    return type->number >= 64 ? bits_ : bits_ & ((uint64_t{1} << type->number) - 1);
  }
  // An integer of any width, zero-extended; `most` if the integer is larger than `most`.
  uint64_t LimitedTo(uint64_t most) const {
    if (type->number <= 64) return unsigned_bits() < most ? unsigned_bits() : most;
    for (uint64_t word : words().subspan(1)) {
      if (word != 0) return most;
    }
    return words()[0] < most ? words()[0] : most;
  }
  uint32_t block() const { return static_cast<uint32_t>(bits_); }
  // The type that an expression kGetElementPtr indexes.
  const Type* source_type() const { return source_type_; }
  // Constants only.
  absl::Span<const Operand> operands() const { return {operands_, IsListed() ? count : 0}; }
  // The lowest first; the bits above the width are zero. Empty if bits() has the number.
  absl::Span<const uint64_t> words() const { return {words_, IsListed() ? 0 : count}; }
  absl::string_view data() const { return {data_, count}; }
  // Null if the reader keeps no texts, or if the inline assembly is of another sort.
  const InlineAssembly* assembly() const { return assembly_; }

  void set_bits(uint64_t bits) { bits_ = bits; }
  void set_source_type(const Type* type) { source_type_ = type; }
  // What is given must live as long as the constant.
  void set_operands(absl::Span<const Operand> operands) {
    operands_ = operands.data();
    count = static_cast<uint32_t>(operands.size());
  }
  void set_words(absl::Span<const uint64_t> words) {
    words_ = words.data();
    count = static_cast<uint32_t>(words.size());
  }
  void set_data(absl::string_view data) {
    data_ = data.data();
    count = static_cast<uint32_t>(data.size());
  }
  void set_assembly(const InlineAssembly* assembly) { assembly_ = assembly; }

 private:
  bool IsListed() const {
    return kind == ConstantKind::kAggregate || kind == ConstantKind::kExpression ||
           kind == ConstantKind::kOther;
  }

  union {
    uint64_t bits_ = 0;
    const Type* source_type_;
  };
  union {
    const Operand* operands_ = nullptr;
    const uint64_t* words_;
    const char* data_;
    const InlineAssembly* assembly_;
  };
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CONSTANT_H_
