// Step 1: reads a program and prints what it consists of.

#include <cstdio>
#include <string>

#include "docs/tutorial/cc/host.h"

namespace {

std::string Text(const pebble::Expression& expression) {
  std::string text;
  switch (expression.kind) {
    case pebble::Expression::kNumber:
      text.resize(30);
      text.resize(std::snprintf(text.data(), text.size(), "%g", expression.number));
      return text;
    case pebble::Expression::kVariable:
      return expression.name;
    case pebble::Expression::kCall:
    case pebble::Expression::kOperation:
      break;
  }
  for (const pebble::Expression& operand : expression.operands) text += " " + Text(operand);
  return "(" + expression.name + text + ")";
}

void Print(const std::vector<pebble::Statement>& statements, int indent) {
  static const char* const kKinds[] = {"let", "set", "if", "while", "return", "call"};
  for (const pebble::Statement& statement : statements) {
    std::printf("%3d:%*s%s %s %s\n", statement.line, indent, "", kKinds[statement.kind],
                statement.name.c_str(), Text(statement.value[0]).c_str());
    Print(statement.body, indent + 2);
    Print(statement.otherwise, indent + 2);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const absl::StatusOr<pebble::Program> program = pebble::ReadProgram(argc > 1 ? argv[1] : "");
  if (!program.ok()) {
    std::fprintf(stderr, "%s\n", std::string(program.status().message()).c_str());
    return 1;
  }
  for (const pebble::Function& function : program->functions) {
    std::printf("%s with %zu parameters\n", function.name.c_str(), function.parameters.size());
    Print(function.body, 2);
  }
}
