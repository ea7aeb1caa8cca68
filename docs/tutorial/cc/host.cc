#include "docs/tutorial/cc/host.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "docs/tutorial/cc/parser.h"

namespace pebble {
namespace {

// Functions of the language take and return doubles.
double Print(double number) {
  std::printf("%.10g\n", number);
  std::fflush(stdout);
  return number;
}

}  // namespace

absl::StatusOr<Program> ReadProgram(const std::string& file) {
  std::ifstream input(file);
  if (!input) return absl::NotFoundError(absl::StrCat("there is no file '", file, "'"));
  std::stringstream text;
  text << input.rdbuf();
  return Parse(text.str());
}

void* FindHostFunction(absl::string_view name) {
  return name == "print" ? reinterpret_cast<void*>(&Print) : nullptr;
}

}  // namespace pebble
