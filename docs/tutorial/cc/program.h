// A program in Pebble, the language of the tutorial, as a tree.
//
// Plain values; movable.

#ifndef FIRSTCALL_DOCS_TUTORIAL_CC_PROGRAM_H_
#define FIRSTCALL_DOCS_TUTORIAL_CC_PROGRAM_H_

#include <memory>
#include <string>
#include <vector>

namespace pebble {

struct Expression {
  enum Kind { kNumber, kVariable, kCall, kOperation };
  Kind kind;
  int line;
  double number = 0;
  std::string name;                  // Of a variable or a function; an operator.
  std::vector<Expression> operands;  // Of an operation, or the arguments of a call.
};

struct Statement {
  enum Kind { kLet, kAssign, kIf, kWhile, kReturn, kExpression };
  Kind kind;
  int line;
  std::string name;                  // The variable.
  std::vector<Expression> value;     // One: what is assigned, returned, or the condition.
  std::vector<Statement> body;       // Of if and while.
  std::vector<Statement> otherwise;  // Of else.
};

struct Function {
  std::string name;
  int line;
  std::vector<std::string> parameters;
  std::vector<Statement> body;
};

struct Program {
  std::vector<Function> functions;
};

}  // namespace pebble

#endif  // FIRSTCALL_DOCS_TUTORIAL_CC_PROGRAM_H_
