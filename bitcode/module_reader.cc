#include "bitcode/module_reader.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "bitcode/attribute_reader.h"
#include "bitcode/body_place.h"
#include "bitcode/metadata_reader.h"
#include "bitcode/records.h"
#include "bitcode/type_table_reader.h"
#include "ir/constant.h"
#include "ir/data_layout.h"
#include "ir/global.h"

namespace firstcall::bitcode {
namespace {

// Names of globals are in a table of the file, and operands of instructions are relative.
constexpr uint64_t kVersion = 2;
// The record and the body of a function that returns at once have hardly fewer.
constexpr size_t kFewestBytesOfFunction = 32;
// There is room for as many functions from the beginning; where the address space is bounded, a
// large file must not take all of it.
constexpr size_t kMostFunctionsAtOnce = size_t{1} << 20;
// The highest number of a kind of metadata that is kept.
constexpr uint64_t kHighestMetadataKind = 0xffff;

MetadataKind KindOfName(absl::string_view name) {
  if (name == "dbg") return MetadataKind::kDebug;
  if (name == "pcsections") return MetadataKind::kPcSections;
  if (name == "make.implicit") return MetadataKind::kMakeImplicit;
  return MetadataKind::kOther;
}

SyncScope ScopeOfName(absl::string_view name) {
  if (name == "singlethread") return SyncScope::kSingleThread;
  return name.empty() ? SyncScope::kSystem : SyncScope::kOther;
}

bool IsDefinedFunction(const ir::Global& global) {
  return global.IsFunction() && !global.is_declaration();
}

}  // namespace

ModuleReader::ModuleReader(const FileLayout& layout, const DefaultTarget& default_target,
                           BitcodeModule& target)
    : target_(target),
      default_target_(default_target),
      position_(layout.module_position),
      reader_(layout.stream, &target.block_info_),
      globals_(layout.stream, layout.names, target.types_, target.attributes_, target.module_),
      constants_(target.types_) {
  target.bytes_ = layout.stream;
  target.producer_ = layout.producer;
}

absl::Status ModuleReader::Read() {
  reader_.Restart(position_);
  if (!reader_.EnterBlock(kModuleBlock)) return reader_.status();
  for (;;) {
    const Entry entry = reader_.Next();
    switch (entry.kind) {
      case EntryKind::kRecord:
        if (entry.id == kUnabbreviatedId) {
          const uint64_t end = globals_.ReadRepeated(reader_.bit_position());
          if (end != 0) {
            reader_.Jump(end);
            break;
          }
        }
        FIRSTCALL_RETURN_IF_ERROR(ReadRecord(entry.id));
        break;
      case EntryKind::kSubBlock:
        FIRSTCALL_RETURN_IF_ERROR(ReadBlock(entry.id));
        break;
      case EntryKind::kEndBlock:
        return Finish();
      case EntryKind::kFailure:
        return reader_.status();
    }
  }
}

absl::Status ModuleReader::ReadRecord(uint32_t abbreviation) {
  const uint64_t begin = reader_.bit_position();
  const Record& record = reader_.ReadRecord();
  if (reader_.failed()) return reader_.status();
  switch (record.code) {
    case kModuleVersion:
      has_version_ = !record.operands.empty() && record.operands[0] == kVersion;
      return absl::OkStatus();
    case kModuleTriple:
    case kModuleDataLayout:
      if (has_tables_) {
        return absl::InvalidArgumentError("the data layout stands behind what depends on it");
      }
      (record.code == kModuleTriple ? triple_ : layout_text_) = record.Text();
      return absl::OkStatus();
    case kModuleAssembly:
      if (!record.operands.empty()) target_.module_.set_has_assembly();
      return absl::OkStatus();
    case kModuleSectionName:
      globals_.AddSection(record.Text());
      return absl::OkStatus();
    case kModuleCollectorName:
      globals_.AddCollector(record.Text());
      return absl::OkStatus();
    case kModuleComdat:
      return globals_.AddComdat(record.operands);
    case kModuleVariable:
      FIRSTCALL_RETURN_IF_ERROR(ReadTables());
      return globals_.ReadVariable(record.operands);
    case kModuleFunction:
      FIRSTCALL_RETURN_IF_ERROR(ReadTables());
      FIRSTCALL_RETURN_IF_ERROR(globals_.ReadFunction(record.operands));
      if (abbreviation == kUnabbreviatedId) globals_.NoteRecord(begin, reader_.bit_position());
      return absl::OkStatus();
    case kModuleAlias:
      FIRSTCALL_RETURN_IF_ERROR(ReadTables());
      return globals_.ReadAlias(record.operands);
    case kModuleIfunc:
      FIRSTCALL_RETURN_IF_ERROR(ReadTables());
      return globals_.ReadIfunc(record.operands);
    case kModuleDependentLibrary:
    case kModuleSymbolTableOffset:
    case kModuleUnusedMetadataValues:
    case kModuleSourceFileName:
    case kModuleHash:
      return absl::OkStatus();
    default:
      return absl::UnimplementedError(absl::StrCat("a record of a module has code ", record.code));
  }
}

absl::Status ModuleReader::ReadBlock(uint32_t id) {
  switch (id) {
    case kBlockInfoBlock:
      reader_.ReadBlockInfo(target_.block_info_);
      break;
    case kTypeBlock:
      return SkipUntilLater(types_);
    case kAttributeGroupBlock:
      return SkipUntilLater(attribute_groups_);
    case kAttributeBlock:
      return SkipUntilLater(attribute_lists_);
    case kConstantsBlock:
      return ReadConstants();
    case kMetadataKindBlock:
      return ReadMetadataKinds();
    case kMetadataBlock:
      return ReadMetadata();
    case kOperandBundleTagsBlock:
    case kSyncScopeNamesBlock:
      return ReadNames(id);
    case kFunctionBlock:
      return FindBody();
    case kIdentificationBlock:
    case kValueSymbolTableBlock:
    case kUseListBlock:
    case kModuleStringTableBlock:
    case kGlobalSummaryBlock:
    case kStringTableBlock:
    case kFullLtoSummaryBlock:
    case kSymbolTableBlock:
      reader_.SkipBlock();
      break;
    default:
      return absl::UnimplementedError(absl::StrCat("a block of a module has id ", id));
  }
  return reader_.status();
}

absl::Status ModuleReader::SkipUntilLater(uint64_t& place) {
  if (place != 0 || has_tables_) {
    return absl::InvalidArgumentError("a table of types or attributes comes twice, or too late");
  }
  place = reader_.bit_position();
  reader_.SkipBlock();
  return reader_.status();
}

absl::Status ModuleReader::ReadTables() {
  if (has_tables_) return absl::OkStatus();
  has_tables_ = true;
  if (!has_version_) {
    return absl::UnimplementedError("the module has another version than LLVM 15 to 22 write");
  }
  FIRSTCALL_RETURN_IF_ERROR(ReadLayout());
  // Room for all functions that the file can have, so that lists of many do not move. Room that is
  // not used takes no memory.
  const size_t room =
      std::min(target_.bytes_.size() / kFewestBytesOfFunction, kMostFunctionsAtOnce);
  target_.module_.mutable_globals().reserve(room);
  target_.module_.mutable_constants().reserve(room);
  BitReader reader(target_.bytes_, &target_.block_info_);
  FIRSTCALL_RETURN_IF_ERROR(ReadTypes(reader));
  return ReadAttributes(reader);
}

absl::Status ModuleReader::ReadLayout() {
  target_.layout_text_ = ir::DataLayout::Upgraded(layout_text_, triple_);
  if (target_.layout_text_.empty()) {
    target_.layout_text_ = std::string(default_target_.data_layout);
  }
  if (triple_.empty()) triple_ = std::string(default_target_.triple);
  FIRSTCALL_ASSIGN_OR_RETURN(ir::DataLayout layout, ir::DataLayout::Parse(target_.layout_text_));
  target_.module_.set_layout(std::move(layout));
  target_.module_.set_triple(triple_);
  return absl::OkStatus();
}

absl::Status ModuleReader::ReadTypes(BitReader& reader) {
  if (types_ == 0) return absl::OkStatus();
  reader.Restart(types_);
  if (!reader.EnterBlock(kTypeBlock)) return reader.status();
  return TypeTableReader(target_.module_, target_.types_).Read(reader);
}

absl::Status ModuleReader::ReadAttributes(BitReader& reader) {
  AttributeReader attributes(target_.types_, target_.bytes_.size(), target_.module_,
                             target_.attributes_);
  if (attribute_groups_ != 0) {
    reader.Restart(attribute_groups_);
    if (!reader.EnterBlock(kAttributeGroupBlock)) return reader.status();
    FIRSTCALL_RETURN_IF_ERROR(attributes.ReadGroups(reader));
  }
  if (attribute_lists_ == 0) return absl::OkStatus();
  reader.Restart(attribute_lists_);
  if (!reader.EnterBlock(kAttributeBlock)) return reader.status();
  return attributes.ReadLists(reader);
}

absl::Status ModuleReader::ReadConstants() {
  FIRSTCALL_RETURN_IF_ERROR(ReadTables());
  if (!reader_.EnterBlock(kConstantsBlock)) return reader_.status();
  return constants_.ReadOfModule(reader_, target_.module_);
}

absl::Status ModuleReader::ReadMetadata() {
  if (!reader_.EnterBlock(kMetadataBlock)) return reader_.status();
  MetadataReader metadata(reader_, target_.metadata_kinds_, target_.module_);
  FIRSTCALL_RETURN_IF_ERROR(metadata.Read());
  ++target_.metadata_blocks_;
  target_.metadata_count_ = metadata.count();
  target_.metadata_strings_ = metadata.strings();
  metadata.AppendUnreadParts(target_.unread_metadata_);
  return absl::OkStatus();
}

// Records of [number, characters of the name].
absl::Status ModuleReader::ReadMetadataKinds() {
  if (!reader_.EnterBlock(kMetadataKindBlock)) return reader_.status();
  for (;;) {
    switch (reader_.Next().kind) {
      case EntryKind::kRecord: {
        const Record& record = reader_.ReadRecord();
        if (record.code != kMetadataKind || record.operands.empty()) break;
        const MetadataKind kind = KindOfName(record.Text(1));
        const uint64_t number = record.operands[0];
        if (kind == MetadataKind::kOther || number > kHighestMetadataKind) break;
        std::vector<MetadataKind>& kinds = target_.metadata_kinds_;
        if (number >= kinds.size()) kinds.resize(number + 1, MetadataKind::kOther);
        kinds[number] = kind;
        break;
      }
      case EntryKind::kSubBlock:
        reader_.SkipBlock();
        break;
      case EntryKind::kEndBlock:
        return absl::OkStatus();
      case EntryKind::kFailure:
        return reader_.status();
    }
  }
}

// Records of characters: tags of operand bundles, or scopes of atomic instructions.
absl::Status ModuleReader::ReadNames(uint32_t block) {
  if (!reader_.EnterBlock(block)) return reader_.status();
  for (;;) {
    switch (reader_.Next().kind) {
      case EntryKind::kRecord: {
        const Record& record = reader_.ReadRecord();
        if (block == kOperandBundleTagsBlock && record.code == kOperandBundleTag) {
          target_.operand_bundle_tags_.push_back(record.Text());
        } else if (block == kSyncScopeNamesBlock && record.code == kSyncScopeName) {
          target_.sync_scopes_.push_back(ScopeOfName(record.Text()));
        }
        break;
      }
      case EntryKind::kSubBlock:
        reader_.SkipBlock();
        break;
      case EntryKind::kEndBlock:
        return absl::OkStatus();
      case EntryKind::kFailure:
        return reader_.status();
    }
  }
}

// Bodies have the order of the functions. A body begins with the number of its blocks.
absl::Status ModuleReader::FindBody() {
  if (!has_tables_) FIRSTCALL_RETURN_IF_ERROR(ReadTables());
  const absl::Span<const ir::Global> globals = target_.module_.globals();
  while (next_body_ < globals.size() && !IsDefinedFunction(globals[next_body_])) ++next_body_;
  if (next_body_ == globals.size()) {
    return absl::InvalidArgumentError("there are more bodies than functions");
  }
  const uint64_t bit = reader_.bit_position();
  const uint64_t block_count = ReadBlockCount();
  if (reader_.failed()) return reader_.status();
  // No block has fewer than 4 bits.
  if (block_count == 0 || block_count > target_.bytes_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("function ", next_body_, " has no valid number of blocks"));
  }
  if (bit >= BodyPlace::kMostBits || block_count > BodyPlace::kMostBlocks) {
    return absl::UnimplementedError(absl::StrCat("function ", next_body_, " is too large"));
  }
  if (target_.bodies_.size() != globals.size()) target_.bodies_.resize(globals.size());
  target_.bodies_[next_body_++] = BodyPlace(bit, block_count);
  return absl::OkStatus();
}

// The reader is where a body's block begins, and then where it ends. 0: the first record has no
// number of blocks.
uint64_t ModuleReader::ReadBlockCount() {
  const uint64_t count = PeekBlockCount(target_.bytes_, reader_.bit_position());
  if (count != 0) {
    reader_.SkipBlock();
    return count;
  }
  if (!reader_.EnterBlock(kFunctionBlock)) return 0;
  if (reader_.Next().kind != EntryKind::kRecord) return 0;
  const Record& record = reader_.ReadRecord();
  if (record.code != kFunctionDeclareBlocks || record.operands.empty()) return 0;
  const uint64_t blocks = record.operands[0];
  reader_.LeaveEarly();
  return blocks;
}

absl::Status ModuleReader::Finish() {
  FIRSTCALL_RETURN_IF_ERROR(ReadTables());
  ir::Module& module = target_.module_;
  target_.bodies_.resize(module.globals().size());
  // Bodies have the order of the functions.
  for (uint32_t number = next_body_; number < module.globals().size(); ++number) {
    if (!IsDefinedFunction(module.globals()[number])) continue;
    return absl::InvalidArgumentError(absl::StrCat("function ", number, " has no body"));
  }
  FIRSTCALL_RETURN_IF_ERROR(globals_.CheckOperands());
  const uint32_t highest = constants_.highest_reference();
  if (highest != 0 && highest >= module.constants().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a constant refers to value ", highest, ", which there is not"));
  }
  FIRSTCALL_RETURN_IF_ERROR(CheckBlockAddresses());
  module.FindUsesByData();
  return absl::OkStatus();
}

absl::Status ModuleReader::CheckBlockAddresses() const {
  for (const ir::Constant& constant : target_.module_.constants()) {
    if (constant.kind != ir::ConstantKind::kBlockAddress) continue;
    if (constant.block() >= target_.bodies_[constant.global].block_count()) {
      return absl::InvalidArgumentError(absl::StrCat("function ", constant.global, " has no block ",
                                                     constant.block(),
                                                     ", whose address is a constant"));
    }
  }
  return absl::OkStatus();
}

}  // namespace firstcall::bitcode
