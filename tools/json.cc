#include "tools/json.h"

#include <cstddef>

#include "absl/strings/str_format.h"

namespace firstcall {
namespace {

bool IsContinuation(absl::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

// The length of the character at `at`, or 0 if there is none in UTF-8. Overlong forms are let
// through.
size_t LengthAt(absl::string_view text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const size_t length = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text, at + i)) return 0;
  }
  return length;
}

// Whether a character of ASCII stands for itself.
bool IsPlain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<'; }

}  // namespace

std::string JsonString(absl::string_view text) {
  std::string result = "\"";
  for (size_t i = 0; i < text.size();) {
    // Most texts are plain, and are copied at once.
    size_t end = i;
    while (end < text.size() && IsPlain(text[end])) ++end;
    result.append(text.data() + i, end - i);
    i = end;
    if (i == text.size()) break;
    const size_t length = LengthAt(text, i);
    if (length == 0) {
      result += "\xef\xbf\xbd";
      ++i;
      continue;
    }
    const char c = text[i];
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == 0x7f) {
      result += absl::StrFormat("\\u%04x", static_cast<unsigned>(c));
    } else {
      result.append(text.data() + i, length);
    }
    i += length;
  }
  return result + "\"";
}

}  // namespace firstcall
