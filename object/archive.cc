#include "object/archive.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/file_contents.h"
#include "base/status.h"

namespace firstcall {
namespace {

// The format is that of ar(5). A header is text: fields of a fixed width, filled up with spaces.
constexpr absl::string_view kMagic = "!<arch>\n";
constexpr absl::string_view kThinMagic = "!<thin>\n";
constexpr absl::string_view kHeaderEnd = "`\n";
constexpr size_t kHeaderSize = 60, kNameSize = 16;
constexpr size_t kSizeOffset = 48, kSizeSize = 10;

class Reader {
 public:
  Reader(const std::string& path, absl::string_view bytes)
      : path_(path), is_thin_(absl::StartsWith(bytes, kThinMagic)), rest_(bytes) {}

  absl::Status Run(absl::FunctionRef<absl::Status(std::string, ObjectBytes)> action) {
    if (!is_thin_ && !absl::StartsWith(rest_, kMagic)) return Invalid("it is no archive");
    rest_.remove_prefix(kMagic.size());
    // A member begins at an even offset.
    for (; !rest_.empty(); rest_.remove_prefix(rest_.empty() ? 0 : is_odd_)) {
      FIRSTCALL_RETURN_IF_ERROR(ReadMember(action));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Invalid(absl::string_view reason) const {
    return absl::InvalidArgumentError(absl::StrCat("reading archive '", path_, "': ", reason));
  }

  absl::Status ReadMember(absl::FunctionRef<absl::Status(std::string, ObjectBytes)> action) {
    uint64_t size = 0;
    if (rest_.size() < kHeaderSize || rest_.substr(kHeaderSize - 2, 2) != kHeaderEnd ||
        !absl::SimpleAtoi(rest_.substr(kSizeOffset, kSizeSize), &size)) {
      return Invalid("a member's header is damaged");
    }
    absl::string_view name = absl::StripSuffix(Trimmed(rest_.substr(0, kNameSize)), "/");
    const bool is_index = name.empty() || name == "/SYM64";
    const bool is_names = Trimmed(rest_.substr(0, kNameSize)) == "//";
    rest_.remove_prefix(kHeaderSize);
    const bool is_elsewhere = is_thin_ && !is_index && !is_names;
    if (!is_elsewhere && size > rest_.size()) return Invalid("a member is cut off");
    is_odd_ = is_elsewhere ? 0 : size % 2;
    absl::string_view contents = rest_.substr(0, is_elsewhere ? 0 : size);
    rest_.remove_prefix(contents.size());
    if (is_names) {
      names_ = contents;
      return absl::OkStatus();
    }
    if (is_index) return absl::OkStatus();
    const std::optional<absl::string_view> found = FullName(name, contents);
    if (!found) return Invalid("a member's name is damaged");
    // The index of a BSD archive.
    if (absl::StartsWith(*found, "__.SYMDEF")) return absl::OkStatus();
    const std::string full_name = absl::StrCat(path_, "(", *found, ")");
    if (!is_elsewhere) return action(full_name, ObjectBytes(contents));
    FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const FileContents> file,
                               FileContents::Read(NextToArchive(*found)));
    return action(full_name, ObjectBytes(file->bytes()));
  }

  static absl::string_view Trimmed(absl::string_view field) {
    return field.substr(0, field.find_last_not_of(' ') + 1);
  }

  // A name too long for its field stands in the member "//" (GNU: "/offset"), or in front of the
  // contents (BSD: "#1/length").
  std::optional<absl::string_view> FullName(absl::string_view name,
                                            absl::string_view& contents) const {
    uint64_t number = 0;
    if (absl::ConsumePrefix(&name, "#1/")) {
      if (!absl::SimpleAtoi(name, &number) || number > contents.size()) return std::nullopt;
      const absl::string_view full = contents.substr(0, number);
      contents.remove_prefix(number);
      return full.substr(0, full.find('\0'));
    }
    if (!absl::ConsumePrefix(&name, "/")) return name;
    if (!absl::SimpleAtoi(name, &number) || number >= names_.size()) return std::nullopt;
    const absl::string_view full = names_.substr(number, names_.find('\n', number) - number);
    return absl::StripSuffix(full, "/");
  }

  // The names in a thin archive are relative to its directory.
  std::string NextToArchive(absl::string_view name) const {
    if (absl::StartsWith(name, "/")) return std::string(name);
    const size_t slash = path_.rfind('/');
    return absl::StrCat(slash == std::string::npos ? "" : path_.substr(0, slash + 1), name);
  }

  const std::string& path_;
  const bool is_thin_;
  absl::string_view rest_;
  absl::string_view names_;
  size_t is_odd_ = 0;  // Of the member that was read last: its size.
};

}  // namespace

absl::Status ForEachMember(
    const std::string& path,
    absl::FunctionRef<absl::Status(std::string name, ObjectBytes contents)> action) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const FileContents> file,
                             FileContents::Read(path));
  return Reader(path, file->bytes()).Run(action);
}

}  // namespace firstcall
