#include "base/module_contents.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"

namespace firstcall {
namespace {

// The magic numbers of bitcode and of bitcode in a wrapper (llvm/Bitcode/BitcodeReader.h).
constexpr absl::string_view kBitcode = "BC\xc0\xde";
constexpr absl::string_view kWrapper = "\xde\xc0\x17\x0b";

// Text has no control characters but white space. A file with others is neither text nor bitcode.
bool IsText(absl::string_view bytes) {
  const absl::string_view start = bytes.substr(0, 512);
  return std::none_of(start.begin(), start.end(), [](unsigned char c) {
    return absl::ascii_iscntrl(c) && !absl::ascii_isspace(c);
  });
}

}  // namespace

absl::StatusOr<ModuleContents> ModuleContents::Read(const std::string& path) {
  ModuleContents contents;
  // As LLVM names standard input.
  contents.name = path == "-" ? "<stdin>" : path;
  FIRSTCALL_ASSIGN_OR_RETURN(contents.bytes, FileContents::Read(path));
  const absl::string_view bytes = contents.bytes->bytes();
  if (absl::StartsWith(bytes, kBitcode) || absl::StartsWith(bytes, kWrapper)) return contents;
  if (!IsText(bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' is neither LLVM bitcode nor LLVM assembly text"));
  }
  contents.form = Form::kText;
  return contents;
}

}  // namespace firstcall
