// How the text of a data layout is read: DataLayout::Parse.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "ir/data_layout.h"

namespace firstcall::ir {
namespace {

// Of sizes and of the numbers of address spaces.
constexpr uint32_t kLimit = uint32_t{1} << 24;
// Of alignments, in bits.
constexpr uint32_t kAlignmentLimit = uint32_t{1} << 16;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A decimal number below `limit`.
absl::StatusOr<uint32_t> ReadNumber(absl::string_view text, uint32_t limit,
                                    absl::string_view what) {
  if (text.empty()) return absl::InvalidArgumentError(absl::StrCat("the ", what, " is missing"));
  uint32_t number = 0;
  for (char digit : text) {
    if (!IsDigit(digit)) {
      return absl::InvalidArgumentError(absl::StrCat("the ", what, " is no number"));
    }
    number = number * 10 + static_cast<uint32_t>(digit - '0');
    if (number >= limit) {
      return absl::InvalidArgumentError(absl::StrCat("the ", what, " is too large"));
    }
  }
  return number;
}

absl::StatusOr<uint32_t> ReadSize(absl::string_view text) {
  FIRSTCALL_ASSIGN_OR_RETURN(const uint32_t size, ReadNumber(text, kLimit, "size"));
  if (size == 0) return absl::InvalidArgumentError("the size is zero");
  return size;
}

// In bytes; zero if the text says zero.
absl::StatusOr<uint32_t> ReadAlignmentOrZero(absl::string_view text) {
  FIRSTCALL_ASSIGN_OR_RETURN(const uint32_t bits, ReadNumber(text, kAlignmentLimit, "alignment"));
  const uint32_t bytes = bits / 8;
  if (bits % 8 != 0 || (bytes & (bytes - 1)) != 0) {
    return absl::InvalidArgumentError("the alignment is no power of two, in bytes");
  }
  return bytes;
}

absl::StatusOr<uint32_t> ReadAlignment(absl::string_view text) {
  FIRSTCALL_ASSIGN_OR_RETURN(const uint32_t bytes, ReadAlignmentOrZero(text));
  if (bytes == 0) return absl::InvalidArgumentError("the alignment is zero");
  return bytes;
}

absl::Status CheckCount(const std::vector<absl::string_view>& parts, size_t least, size_t most) {
  if (parts.size() >= least && parts.size() <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(parts.size(), " parts between colons, instead of ", least, " to ", most));
}

absl::Status NotKnown() { return absl::UnimplementedError("not known to this version"); }

}  // namespace

// Reads one specification after the other into a layout.
class DataLayout::Parser {
 public:
  explicit Parser(DataLayout& layout) : layout_(layout) {}

  // `specification` is not empty.
  absl::Status Read(absl::string_view specification);
  // What only the whole text can tell.
  absl::Status Finish() const;

 private:
  absl::Status ReadOfWidth(std::vector<Alignment>& rules, absl::string_view rest, bool is_integer);
  absl::Status ReadAggregate(absl::string_view rest);
  absl::Status ReadPointer(absl::string_view rest);
  absl::Status ReadMangling(absl::string_view rest);
  absl::Status ReadAddressSpace(absl::string_view rest, uint32_t& address_space);
  static absl::Status CheckNativeIntegers(absl::string_view rest);
  static absl::Status CheckNonIntegral(absl::string_view rest);
  static absl::Status CheckFunctionPointers(absl::string_view rest);
  // Reads the alignments abi[:preferred] at the end of `parts`, from part number `first`.
  static absl::Status ReadAlignments(const std::vector<absl::string_view>& parts, size_t first,
                                     Alignment& alignment);
  static void Set(std::vector<Alignment>& rules, const Alignment& rule);

  DataLayout& layout_;
  bool is_big_endian_ = false;
  uint32_t index_bits_ = 64;  // Of pointers of address space 0.
};

absl::Status DataLayout::Parser::Read(absl::string_view specification) {
  if (absl::StartsWith(specification, "ni")) return CheckNonIntegral(specification.substr(2));
  const absl::string_view rest = specification.substr(1);
  switch (specification[0]) {
    case 'e':
    case 'E':
      if (!rest.empty()) return NotKnown();
      is_big_endian_ = specification[0] == 'E';
      return absl::OkStatus();
    case 'i':
      return ReadOfWidth(layout_.integers_, rest, /*is_integer=*/true);
    case 'f':
      return ReadOfWidth(layout_.floats_, rest, /*is_integer=*/false);
    case 'v':
      return ReadOfWidth(layout_.vectors_, rest, /*is_integer=*/false);
    case 'a':
      return ReadAggregate(rest);
    case 'p':
      return ReadPointer(rest);
    case 'm':
      return ReadMangling(rest);
    case 'n':
      return CheckNativeIntegers(rest);
    case 'S':
      return ReadAlignment(rest).status();
    case 'F':
      return CheckFunctionPointers(rest);
    case 'A':
      return ReadAddressSpace(rest, layout_.alloca_address_space_);
    case 'P':
      return ReadAddressSpace(rest, layout_.program_address_space_);
    case 'G':  // Of variables, whose addresses have types that say the same.
      return ReadNumber(rest, kLimit, "address space").status();
    case 's':  // Of LLVM before 3.0; ignored since.
      return absl::OkStatus();
    default:
      return NotKnown();
  }
}

absl::Status DataLayout::Parser::Finish() const {
  if (is_big_endian_) return absl::UnimplementedError("the machine is big-endian");
  if (layout_.OfPointer(0).size != 64 || index_bits_ != 64) {
    return absl::UnimplementedError("pointers or their indices have not 64 bits");
  }
  return absl::OkStatus();
}

// [ifv]<size>:<abi>[:<preferred>]
absl::Status DataLayout::Parser::ReadOfWidth(std::vector<Alignment>& rules, absl::string_view rest,
                                             bool is_integer) {
  if (!rest.empty() && !IsDigit(rest[0]) && rest[0] != ':') return NotKnown();
  const std::vector<absl::string_view> parts = absl::StrSplit(rest, ':');
  FIRSTCALL_RETURN_IF_ERROR(CheckCount(parts, 2, 3));
  Alignment rule = {};
  FIRSTCALL_ASSIGN_OR_RETURN(rule.bits, ReadSize(parts[0]));
  FIRSTCALL_RETURN_IF_ERROR(ReadAlignments(parts, 1, rule));
  if (is_integer && rule.bits == 8 && rule.abi != 1) {
    return absl::InvalidArgumentError("i8 must be aligned to one byte");
  }
  Set(rules, rule);
  return absl::OkStatus();
}

// a:<abi>[:<preferred>], or with a size that is zero. No alignment at all is that of one byte.
absl::Status DataLayout::Parser::ReadAggregate(absl::string_view rest) {
  std::vector<absl::string_view> parts = absl::StrSplit(rest, ':');
  FIRSTCALL_RETURN_IF_ERROR(CheckCount(parts, 2, 3));
  if (!parts[0].empty()) {
    FIRSTCALL_ASSIGN_OR_RETURN(const uint32_t size, ReadNumber(parts[0], kLimit, "size"));
    if (size != 0) return absl::InvalidArgumentError("the size of aggregates is not zero");
  }
  if (parts[1] == "0") parts[1] = "8";
  return ReadAlignments(parts, 1, layout_.aggregate_);
}

// p[<address space>]:<size>:<abi>[:<preferred>[:<index>]]
absl::Status DataLayout::Parser::ReadPointer(absl::string_view rest) {
  if (!rest.empty() && !IsDigit(rest[0]) && rest[0] != ':') return NotKnown();
  std::vector<absl::string_view> parts = absl::StrSplit(rest, ':');
  FIRSTCALL_RETURN_IF_ERROR(CheckCount(parts, 3, 5));
  Alignment rule = {};
  if (!parts[0].empty()) FIRSTCALL_RETURN_IF_ERROR(ReadAddressSpace(parts[0], rule.bits));
  FIRSTCALL_ASSIGN_OR_RETURN(rule.size, ReadSize(parts[1]));
  uint32_t index_bits = rule.size;
  if (parts.size() == 5) {
    FIRSTCALL_ASSIGN_OR_RETURN(index_bits, ReadSize(parts[4]));
    if (index_bits > rule.size) {
      return absl::InvalidArgumentError("the index is larger than the pointer");
    }
    parts.pop_back();
  }
  FIRSTCALL_RETURN_IF_ERROR(ReadAlignments(parts, 2, rule));
  if (rule.bits == 0) index_bits_ = index_bits;
  Set(layout_.pointers_, rule);
  return absl::OkStatus();
}

// m:<letter>
absl::Status DataLayout::Parser::ReadMangling(absl::string_view rest) {
  if (!absl::ConsumePrefix(&rest, ":") || rest.empty()) {
    return absl::InvalidArgumentError("the mangling is missing");
  }
  // ELF, GOFF, Mach-O, MIPS, COFF, COFF of 32-bit x86, XCOFF.
  if (rest.size() != 1 || !absl::StrContains("elomwxa", rest)) return NotKnown();
  layout_.symbol_prefix_ = rest == "o" || rest == "x" ? '_' : 0;
  return absl::OkStatus();
}

absl::Status DataLayout::Parser::ReadAddressSpace(absl::string_view rest, uint32_t& address_space) {
  FIRSTCALL_ASSIGN_OR_RETURN(address_space, ReadNumber(rest, kLimit, "address space"));
  return absl::OkStatus();
}

// n<size>[:<size>]..., the widths of the machine's registers.
absl::Status DataLayout::Parser::CheckNativeIntegers(absl::string_view rest) {
  for (absl::string_view part : absl::StrSplit(rest, ':')) {
    FIRSTCALL_RETURN_IF_ERROR(ReadSize(part).status());
  }
  return absl::OkStatus();
}

// ni:<address space>[:<address space>]..., whose pointers are no integers. Their layout is that of
// other pointers.
absl::Status DataLayout::Parser::CheckNonIntegral(absl::string_view rest) {
  if (!absl::ConsumePrefix(&rest, ":")) {
    return absl::InvalidArgumentError("the address spaces are missing");
  }
  for (absl::string_view part : absl::StrSplit(rest, ':')) {
    FIRSTCALL_ASSIGN_OR_RETURN(const uint32_t number, ReadNumber(part, kLimit, "address space"));
    if (number == 0) return absl::InvalidArgumentError("address space 0 is always integral");
  }
  return absl::OkStatus();
}

// F<i|n><alignment>: of the functions that pointers point to. The layout of pointers is another.
absl::Status DataLayout::Parser::CheckFunctionPointers(absl::string_view rest) {
  if (rest.empty()) return absl::InvalidArgumentError("the kind is missing");
  if (rest[0] != 'i' && rest[0] != 'n') return NotKnown();
  return ReadAlignment(rest.substr(1)).status();
}

absl::Status DataLayout::Parser::ReadAlignments(const std::vector<absl::string_view>& parts,
                                                size_t first, Alignment& alignment) {
  FIRSTCALL_ASSIGN_OR_RETURN(alignment.abi, ReadAlignment(parts[first]));
  alignment.preferred = alignment.abi;
  if (first + 1 < parts.size()) {
    FIRSTCALL_ASSIGN_OR_RETURN(alignment.preferred, ReadAlignment(parts[first + 1]));
  }
  if (alignment.preferred < alignment.abi) {
    return absl::InvalidArgumentError("the preferred alignment is less than that of the ABI");
  }
  return absl::OkStatus();
}

void DataLayout::Parser::Set(std::vector<Alignment>& rules, const Alignment& rule) {
  const auto place =
      std::lower_bound(rules.begin(), rules.end(), rule.bits,
                       [](const Alignment& other, uint32_t bits) { return other.bits < bits; });
  if (place != rules.end() && place->bits == rule.bits) {
    *place = rule;
  } else {
    rules.insert(place, rule);
  }
}

absl::StatusOr<DataLayout> DataLayout::Parse(absl::string_view text) {
  DataLayout layout;
  if (text.empty()) return layout;
  Parser parser(layout);
  for (absl::string_view specification : absl::StrSplit(text, '-')) {
    if (specification.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("reading the data layout '", text, "': a specification is empty"));
    }
    const absl::Status status = parser.Read(specification);
    if (!status.ok()) {
      return Annotate(status, absl::StrCat("reading the data layout '", text, "': specification '",
                                           specification, "'"));
    }
  }
  const absl::Status status = parser.Finish();
  if (!status.ok()) return Annotate(status, absl::StrCat("reading the data layout '", text, "'"));
  return layout;
}

}  // namespace firstcall::ir
