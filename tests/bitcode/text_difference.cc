#include "tests/bitcode/text_difference.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace firstcall::testing {
namespace {

// A line of ir::TextOf without the numbers of the instructions that use the result.
absl::string_view WithoutUses(absl::string_view line) { return line.substr(0, line.find(" ; ")); }

// The number of the first line of which `part` differs; the shorter text's count of lines if there
// is none.
template <typename Part>
size_t FirstDifferentLine(const std::vector<absl::string_view>& expected,
                          const std::vector<absl::string_view>& found, const Part& part) {
  const size_t common = std::min(expected.size(), found.size());
  for (size_t line = 0; line < common; ++line) {
    if (part(expected[line]) != part(found[line])) return line;
  }
  return common;
}

}  // namespace

std::string FirstDifference(absl::string_view expected, absl::string_view found) {
  if (expected == found) return "";
  const std::vector<absl::string_view> old_lines = absl::StrSplit(expected, '\n');
  const std::vector<absl::string_view> new_lines = absl::StrSplit(found, '\n');
  size_t line = FirstDifferentLine(old_lines, new_lines, WithoutUses);
  if (line == old_lines.size() && line == new_lines.size()) {
    line = FirstDifferentLine(old_lines, new_lines, [](absl::string_view text) { return text; });
  }
  const auto at = [line](const std::vector<absl::string_view>& lines) {
    return line < lines.size() ? lines[line] : "(end)";
  };
  std::string text;
  if (line > 0) absl::StrAppend(&text, "  ", old_lines[line - 1], "\n");
  absl::StrAppend(&text, "- ", at(old_lines), "\n+ ", at(new_lines));
  return text;
}

std::string WithoutNames(absl::string_view message) {
  std::string text;
  for (size_t i = 0; i < message.size(); ++i) {
    if (message[i] == '\'') {
      const size_t end = message.find('\'', i + 1);
      if (end != absl::string_view::npos) {
        text += "'…'";
        i = end;
        continue;
      }
    }
    if (!absl::ascii_isdigit(static_cast<unsigned char>(message[i]))) {
      text += message[i];
    } else if (text.empty() || text.back() != '#') {
      text += '#';
    }
  }
  return text;
}

}  // namespace firstcall::testing
