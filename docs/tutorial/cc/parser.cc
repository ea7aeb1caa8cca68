#include "docs/tutorial/cc/parser.h"

#include <cctype>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace pebble {
namespace {

// Operators of two operands, those that bind least first; each level from left to right.
const std::vector<std::vector<std::string>> kLevels = {
    {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};

class Parser {
 public:
  explicit Parser(absl::string_view text) : rest_(text) { Next(); }

  absl::StatusOr<Program> ReadProgram() {
    Program program;
    while (!token_.empty() && error_.ok()) program.functions.push_back(ReadFunction());
    if (!error_.ok()) return error_;
    return program;
  }

 private:
  static bool IsNameStart(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  }
  static bool IsNamePart(char c) {
    return IsNameStart(c) || std::isdigit(static_cast<unsigned char>(c));
  }

  // Moves on to the next token: a name, a number, an operator, or nothing at the end of the text.
  void Next() {
    SkipSpaceAndComments();
    line_of_token_ = line_;
    size_t size = 0;
    if (rest_.empty()) {
    } else if (IsNameStart(rest_[0])) {
      while (size < rest_.size() && IsNamePart(rest_[size])) ++size;
    } else if (std::isdigit(static_cast<unsigned char>(rest_[0]))) {
      while (size < rest_.size() && (IsNamePart(rest_[size]) || rest_[size] == '.')) ++size;
    } else {
      const bool is_double = rest_.size() > 1 && rest_[1] == '=' &&
                             std::string("=!<>").find(rest_[0]) != std::string::npos;
      size = is_double ? 2 : 1;
    }
    token_ = std::string(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }

  void SkipSpaceAndComments() {
    bool in_comment = false;
    while (!rest_.empty() &&
           (in_comment || rest_[0] == '#' || std::isspace(static_cast<unsigned char>(rest_[0])))) {
      in_comment = rest_[0] != '\n' && (in_comment || rest_[0] == '#');
      if (rest_[0] == '\n') ++line_;
      rest_.remove_prefix(1);
    }
  }

  // Keeps the first error, and goes to the end of the text, which ends all loops.
  void Fail(absl::string_view expected) {
    if (error_.ok()) {
      error_ = absl::InvalidArgumentError(
          absl::StrCat("line ", line_of_token_, ": expected ", expected, " but found ",
                       token_.empty() ? "the end" : absl::StrCat("'", token_, "'")));
    }
    rest_ = "";
    token_ = "";
  }

  bool Take(absl::string_view token) {
    if (token_ != token) return false;
    Next();
    return true;
  }

  void Expect(absl::string_view token) {
    if (!Take(token)) Fail(absl::StrCat("'", token, "'"));
  }

  std::string TakeName() {
    if (token_.empty() || !IsNameStart(token_[0])) Fail("a name");
    std::string name = token_;
    Next();
    return name;
  }

  Function ReadFunction() {
    Expect("fun");
    Function function;
    function.line = line_of_token_;
    function.name = TakeName();
    Expect("(");
    while (error_.ok() && !Take(")")) {
      if (!function.parameters.empty()) Expect(",");
      function.parameters.push_back(TakeName());
    }
    function.body = ReadBlock();
    return function;
  }

  std::vector<Statement> ReadBlock() {
    Expect("{");
    std::vector<Statement> statements;
    while (error_.ok() && !Take("}")) statements.push_back(ReadStatement());
    return statements;
  }

  Statement ReadStatement() {
    Statement statement{Statement::kExpression, line_of_token_, "", {}, {}, {}};
    if (Take("let")) {
      statement.kind = Statement::kLet;
      statement.name = TakeName();
      Expect("=");
      statement.value.push_back(ReadOperation(0));
    } else if (Take("return")) {
      statement.kind = Statement::kReturn;
      statement.value.push_back(ReadOperation(0));
    } else if (token_ == "if" || token_ == "while") {
      statement.kind = token_ == "if" ? Statement::kIf : Statement::kWhile;
      Next();
      statement.value.push_back(ReadOperation(0));
      statement.body = ReadBlock();
      if (statement.kind == Statement::kIf && Take("else")) statement.otherwise = ReadBlock();
    } else {
      Expression value = ReadOperation(0);
      if (value.kind == Expression::kVariable && Take("=")) {
        statement.kind = Statement::kAssign;
        statement.name = value.name;
        value = ReadOperation(0);
      }
      statement.value.push_back(std::move(value));
    }
    return statement;
  }

  Expression ReadOperation(size_t level) {
    if (level == kLevels.size()) return ReadOperand();
    Expression left = ReadOperation(level + 1);
    for (bool found = true; found;) {
      found = false;
      for (const std::string& name : kLevels[level]) {
        const int line = line_of_token_;
        if (!Take(name)) continue;
        Expression operation{Expression::kOperation, line, 0, name, {}};
        operation.operands.push_back(std::move(left));
        operation.operands.push_back(ReadOperation(level + 1));
        left = std::move(operation);
        found = true;
        break;
      }
    }
    return left;
  }

  Expression ReadOperand() {
    Expression operand{Expression::kNumber, line_of_token_, 0, "", {}};
    if (Take("(")) {
      operand = ReadOperation(0);
      Expect(")");
    } else if (Take("-")) {
      // Nothing but zero minus the operand.
      operand.kind = Expression::kOperation;
      operand.name = "-";
      operand.operands.push_back({Expression::kNumber, operand.line, 0, "", {}});
      operand.operands.push_back(ReadOperand());
    } else if (absl::SimpleAtod(token_, &operand.number)) {
      Next();
    } else {
      operand.kind = Expression::kVariable;
      operand.name = TakeName();
      if (Take("(")) {
        operand.kind = Expression::kCall;
        while (error_.ok() && !Take(")")) {
          if (!operand.operands.empty()) Expect(",");
          operand.operands.push_back(ReadOperation(0));
        }
      }
    }
    return operand;
  }

  absl::string_view rest_;  // Behind the token.
  int line_ = 1;
  std::string token_;
  int line_of_token_ = 1;
  absl::Status error_;
};

}  // namespace

absl::StatusOr<Program> Parse(absl::string_view text) { return Parser(text).ReadProgram(); }

}  // namespace pebble
