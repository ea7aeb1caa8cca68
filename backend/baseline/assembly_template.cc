#include "backend/baseline/assembly_template.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace firstcall::baseline {
namespace {

class Expansion {
 public:
  Expansion(absl::string_view text, absl::Span<const AssemblyOperand> operands,
            const AssemblySyntax& syntax)
      : text_(text), operands_(operands), syntax_(syntax) {}

  std::optional<std::string> Run() {
    while (!text_.empty()) {
      const char next = Take();
      if (next != '$') {
        Append(next);
      } else if (text_.empty() || !AddEscape()) {
        return std::nullopt;
      }
    }
    if (alternative_ != kNone) return std::nullopt;
    return result_;
  }

 private:
  static constexpr int kNone = -1;  // Outside of alternatives.

  char Take() {
    const char next = text_[0];
    text_.remove_prefix(1);
    return next;
  }

  // Whether what follows is in the result.
  bool IsChosen() const { return alternative_ <= 0; }
  void Append(char next) {
    if (IsChosen()) result_.push_back(next);
  }

  // What follows a `$`.
  bool AddEscape() {
    if (absl::ascii_isdigit(text_[0])) return AddOperand(TakeNumber(), 0);
    switch (Take()) {
      case '$':
        Append('$');
        return true;
      case '(':
        if (alternative_ != kNone) return false;
        alternative_ = 0;
        return true;
      case '|':
        if (alternative_ == kNone) {
          Append('|');
        } else {
          ++alternative_;
        }
        return true;
      case ')':
        if (alternative_ == kNone) {
          Append('}');  // As LLVM reads it.
        } else {
          alternative_ = kNone;
        }
        return true;
      case '{':
        return AddBraces();
      default:
        return false;
    }
  }

  absl::string_view TakeNumber() {
    size_t size = 0;
    while (size < text_.size() && absl::ascii_isdigit(text_[size])) ++size;
    const absl::string_view number = text_.substr(0, size);
    text_.remove_prefix(size);
    return number;
  }

  // Behind `${`: the number of an operand, perhaps a modifier, or a colon and a word.
  bool AddBraces() {
    const size_t end = text_.find('}');
    if (end == absl::string_view::npos) return false;
    absl::string_view inside = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    // A number that is unique in the object: labels of one piece of assembly are those of no other.
    if (inside == ":uid") {
      Append('0');
      return true;
    }
    const size_t colon = inside.find(':');
    if (colon == absl::string_view::npos) return AddOperand(inside, 0);
    if (colon + 2 != inside.size()) return false;
    return AddOperand(inside.substr(0, colon), inside[colon + 1]);
  }

  bool AddOperand(absl::string_view number, char modifier) {
    uint32_t place = 0;
    if (!absl::SimpleAtoi(number, &place) || place >= operands_.size()) return false;
    if (!IsChosen()) return true;
    return syntax_.Write(operands_[place], modifier, result_);
  }

  absl::string_view text_;  // What is left.
  const absl::Span<const AssemblyOperand> operands_;
  const AssemblySyntax& syntax_;
  int alternative_ = kNone;
  std::string result_;
};

}  // namespace

std::optional<std::string> ExpandTemplate(absl::string_view text,
                                          absl::Span<const AssemblyOperand> operands,
                                          const AssemblySyntax& syntax) {
  return Expansion(text, operands, syntax).Run();
}

}  // namespace firstcall::baseline
