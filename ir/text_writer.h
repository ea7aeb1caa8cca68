// Writes the parts of which the texts of modules and functions consist: types, constants and
// attributes. For ir/text only.
//
// Thread-compatible.

#ifndef FIRSTCALL_IR_TEXT_WRITER_H_
#define FIRSTCALL_IR_TEXT_WRITER_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/attributes.h"
#include "ir/constant.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::ir {

class TextWriter {
 public:
  // `constants` are those that operands may refer to; null if there are none.
  explicit TextWriter(const Constants* constants) : constants_(constants) {}

  template <typename... Parts>
  void Append(const Parts&... parts) {
    absl::StrAppend(&text_, parts...);
  }
  // Appends `word` with a space before it, if `is_set`.
  void AppendIf(bool is_set, absl::string_view word) {
    if (is_set) Append(" ", word);
  }
  // Ends a line of the text.
  void EndLine();
  // In quotation marks, with escapes as in C.
  void AppendQuoted(absl::string_view text);
  void AppendType(const Type* type);
  // A value as %5, a constant with its type.
  void AppendOperand(Operand operand);
  void AppendOperands(absl::Span<const Operand> operands);
  // The name of global number `global`.
  void AppendGlobal(uint32_t global);
  // The sets that are not empty, each with a space before it.
  void AppendAttributes(const AttributeList& list);
  // Nothing if the set is empty.
  void AppendAttributes(absl::string_view owner, const AttributeSet& set);
  std::string Take() { return std::move(text_); }

 private:
  // Bounds how deep types and constants are nested in the text, and how many of them it has. What
  // is deeper, or is one too many, is written as "...". Without a bound the text may be out of
  // proportion to the module: each level doubles the text of a constant that has the same operand
  // twice.
  class Level {
   public:
    explicit Level(TextWriter& writer) : writer_(writer) {
      ++writer_.depth_;
      if (writer_.nested_left_ > 0) --writer_.nested_left_;
    }
    ~Level() { --writer_.depth_; }
    bool IsWithinBounds() const {
      return writer_.depth_ <= kMostLevels && writer_.nested_left_ > 0;
    }

   private:
    TextWriter& writer_;
  };
  static constexpr int kMostLevels = 32;
  static constexpr uint32_t kMostNested = uint32_t{1} << 21;
  static constexpr uint32_t kLeastNestedInLine = 256;

  void AppendTypes(absl::Span<const Type* const> types);
  void AppendStructure(const Type& type);
  void AppendConstant(const Constant& constant);
  // Without the type.
  void AppendValue(const Constant& constant);
  void AppendNumber(const Constant& constant);
  void AppendExpression(const Constant& constant);

  const Constants* constants_;
  std::string text_;
  int depth_ = 0;
  uint32_t nested_left_ = kMostNested;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_TEXT_WRITER_H_
