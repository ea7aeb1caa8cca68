#include "base/assembly_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace firstcall {
namespace {

// Whether the line is empty or an alignment to at most 2^9 bytes.
bool IsAlignment(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (line.empty()) return true;
  if (!absl::ConsumePrefix(&line, ".p2align")) return false;
  const absl::string_view number = absl::StripLeadingAsciiWhitespace(line);
  return number.size() == 1 && number.size() < line.size() && absl::ascii_isdigit(number[0]);
}

}  // namespace

bool IsEmptyAssembly(absl::string_view text) {
  if (text.empty()) return true;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!IsAlignment(line)) return false;
  }
  return true;
}

}  // namespace firstcall
