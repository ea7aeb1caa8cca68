#include "bitcode/metadata_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "bitcode/block_walk.h"
#include "bitcode/records.h"
#include "ir/global.h"
#include "ir/operand.h"

namespace firstcall::bitcode {
namespace {

constexpr absl::string_view kCompileUnits = "llvm.dbg.cu";
constexpr absl::string_view kFlags = "llvm.module.flags";
// LLVM makes a flag of this, and calls of intrinsics of calls of functions.
constexpr absl::string_view kOldMarker = "clang.arc.retainAutoreleasedReturnValueMarker";
// LLVM splits the value of this flag if it has more than 8 bits.
constexpr absl::string_view kCollectionFlag = "Objective-C Garbage Collection";

// What a module does if another one has another value of the flag: a number from 1 on.
constexpr uint64_t kBehaviors = 8;
// More than modules have. Each flag can make the reader read a long record.
constexpr uint32_t kMostFlags = 256;

}  // namespace

absl::Status MetadataReader::Read() {
  return WalkBlock(
      reader_, [&](uint32_t) { return SkipBlock(reader_); }, [&] { return ReadRecord(); });
}

absl::Status MetadataReader::ReadRecord() {
  const uint64_t position = reader_.entry_position();
  const uint32_t code = reader_.ReadCode();
  switch (code) {
    case kMetadataStrings:
      if (strings_.count() != 0 || !positions_.empty()) {
        return absl::UnimplementedError("strings of metadata do not stand first");
      }
      FIRSTCALL_RETURN_IF_ERROR(strings_.Read(reader_.ReadOperands()));
      unread_strings_ = strings_;
      return absl::OkStatus();
    case kMetadataIndexOffset:
      return ReadIndex();
    case kMetadataName:
      name_ = reader_.ReadOperands().Text();
      if (name_ == kOldMarker) return absl::UnimplementedError("the module has a mark of old ARC");
      return absl::OkStatus();
    case kMetadataNamedNode: {
      const Record& record = reader_.ReadOperands();
      if (name_ == kCompileUnits && !record.operands.empty()) module_.set_has_compile_units();
      return name_ == kFlags ? ReadFlags(record.operands) : absl::OkStatus();
    }
    case kMetadataGlobalAttachment:
      return ReadAttachments(reader_.ReadOperands().operands);
    case kMetadataKind:
    case kMetadataIndex:
      reader_.SkipOperands();
      return absl::OkStatus();
    case kMetadataOldString:
    case kMetadataOldNode:
    case kMetadataOldFunctionNode:
      return absl::UnimplementedError("metadata is that of an old file");
    default:
      // All others define one node.
      reader_.SkipOperands();
      if (code > kMetadataLastKnown && !reader_.failed()) {
        return absl::UnimplementedError(absl::StrCat("metadata with the code ", code));
      }
      positions_.push_back(position);
      return absl::OkStatus();
  }
}

// [distance to the index: low and high 32 bits]; the index: distances from each node to the next.
absl::Status MetadataReader::ReadIndex() {
  const Record& offset = reader_.ReadOperands();
  if (offset.operands.size() < 2 || !positions_.empty()) {
    return absl::InvalidArgumentError("the index of metadata is not where it should be");
  }
  uint64_t position = reader_.bit_position();
  // Jump refuses a position behind the end, and the sum does not wrap around.
  const uint64_t distance = (offset.operands[0] & UINT32_MAX) | offset.operands[1] << 32;
  reader_.Jump(distance > UINT64_MAX - position ? UINT64_MAX : position + distance);
  if (reader_.Next().kind != EntryKind::kRecord || reader_.ReadCode() != kMetadataIndex) {
    if (reader_.failed()) return reader_.status();
    return absl::InvalidArgumentError("the index of metadata is not where it should be");
  }
  const Record& index = reader_.ReadOperands();
  positions_.reserve(index.operands.size());
  nodes_ = {position, reader_.entry_position()};
  for (uint64_t step : index.operands) positions_.push_back(position += step);
  return absl::OkStatus();
}

absl::Status MetadataReader::ReadFlags(absl::Span<const uint64_t> nodes) {
  const std::vector<uint64_t> numbers(nodes.begin(), nodes.end());  // Reading uses the record.
  const uint64_t position = reader_.bit_position();
  for (uint64_t number : numbers) FIRSTCALL_RETURN_IF_ERROR(ReadFlag(number));
  if (!reader_.Jump(position)) return reader_.status();
  return absl::OkStatus();
}

// A flag has three members: the behavior, the name, the value. Flags that have not are ignored, as
// in LLVM, and those whose value is neither a number of at most 64 bits nor a text.
absl::Status MetadataReader::ReadFlag(uint64_t node) {
  if (++flag_count_ > kMostFlags) return absl::UnimplementedError("the module has too many flags");
  const Record* const record = ReadDefinition(node);
  if (reader_.failed()) return reader_.status();
  if (record == nullptr ||
      (record->code != kMetadataNode && record->code != kMetadataDistinctNode)) {
    return absl::InvalidArgumentError(absl::StrCat("the flag of metadata ", node, " is no node"));
  }
  if (record->operands.size() != 3) return absl::OkStatus();
  // Members are numbers and 1, or 0.
  const uint64_t behavior = record->operands[0], name = record->operands[1],
                 value = record->operands[2];
  if (behavior == 0 || name == 0 || name > strings_.count() || value == 0) return absl::OkStatus();
  const ir::Constant* const behavior_number = ReadInteger(behavior - 1);
  if (reader_.failed()) return reader_.status();
  if (behavior_number == nullptr || behavior_number->LimitedTo(kBehaviors + 1) - 1 >= kBehaviors) {
    return absl::OkStatus();
  }
  ir::ModuleFlag flag;
  flag.is_text = value <= strings_.count();
  if (flag.is_text) {
    FIRSTCALL_RETURN_IF_ERROR(strings_.Find(value - 1, flag.text));
  } else {
    const ir::Constant* const number = ReadInteger(value - 1);
    if (reader_.failed()) return reader_.status();
    if (number == nullptr || number->type->number > 64) return absl::OkStatus();
    flag.value = number->unsigned_bits();
  }
  FIRSTCALL_RETURN_IF_ERROR(strings_.Find(name - 1, flag.name));
  if (flag.name == kCollectionFlag && flag.value > UINT8_MAX) {
    return absl::UnimplementedError("a flag of Objective-C is that of an old file");
  }
  module_.mutable_flags().push_back(flag);
  return absl::OkStatus();
}

const Record* MetadataReader::ReadDefinition(uint64_t number) {
  if (number < strings_.count() || number - strings_.count() >= positions_.size()) return nullptr;
  if (!reader_.Jump(positions_[number - strings_.count()])) return nullptr;
  if (reader_.Next().kind != EntryKind::kRecord) return nullptr;
  const uint64_t begin = reader_.entry_position();
  const Record* const record = &reader_.ReadRecord();
  definitions_.push_back({begin, reader_.bit_position()});
  return record;
}

void MetadataReader::AppendUnreadParts(std::vector<absl::Span<const uint8_t>>& parts) {
  std::sort(definitions_.begin(), definitions_.end(),
            [](const Part& a, const Part& b) { return a.begin < b.begin; });
  definitions_.push_back({nodes_.end, nodes_.end});
  uint64_t begin = nodes_.begin;
  for (const Part& definition : definitions_) {
    // Bytes of which a bit has been read are left out.
    const uint64_t first = (begin + 7) / 8, end = std::min(definition.begin, nodes_.end) / 8;
    if (first < end) parts.push_back(reader_.bytes().subspan(first, end - first));
    begin = std::max(begin, definition.end);
  }
}

const ir::Constant* MetadataReader::ReadInteger(uint64_t number) {
  const Record* const record = ReadDefinition(number);
  // [type, value]
  if (record == nullptr || record->code != kMetadataValue || record->operands.size() < 2 ||
      record->operands[1] >= module_.constants().size()) {
    return nullptr;
  }
  const ir::Constant& constant = module_.constants()[record->operands[1]];
  return constant.IsInteger() ? &constant : nullptr;
}

// [global, pairs of kind and node]
absl::Status MetadataReader::ReadAttachments(absl::Span<const uint64_t> operands) {
  if (reader_.failed()) return reader_.status();
  if (operands.size() % 2 == 0 || operands[0] >= module_.globals().size()) {
    return absl::InvalidArgumentError("metadata belongs to no global");
  }
  const ir::Global& global = module_.globals()[operands[0]];
  // The metadata of a function with a body belongs to the body.
  if (!global.IsVariable() && !(global.IsFunction() && global.is_declaration())) {
    return absl::InvalidArgumentError(
        absl::StrCat("global ", operands[0], " has metadata that it must not have"));
  }
  ir::GlobalTraits traits = *global.traits;
  for (size_t i = 1; i < operands.size(); i += 2) {
    const bool is_debug =
        operands[i] < kinds_.size() && kinds_[operands[i]] == MetadataKind::kDebug;
    (is_debug ? traits.has_debug_information : traits.has_unknown) = true;
  }
  // Several globals in a row often have the same traits, and the same kinds of metadata.
  if (last_traits_ == nullptr || !(*last_traits_ == traits)) {
    last_traits_ = module_.storage().AddTraits(traits);
  }
  module_.mutable_globals()[operands[0]].traits = last_traits_;
  return absl::OkStatus();
}

}  // namespace firstcall::bitcode
