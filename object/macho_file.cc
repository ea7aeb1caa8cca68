#include "object/macho_file.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace firstcall {
namespace {

// Greater alignments are those of damaged objects: LLVM's greatest is 2^32, and the linker's 2^30.
constexpr uint32_t kMostAlignment = 30;

// A name fills its field, or ends with a zero.
absl::string_view NameIn(const char* field) { return {field, strnlen(field, 16)}; }

absl::Status Damaged(absl::string_view what) { return absl::InvalidArgumentError(what); }

}  // namespace

bool MachoFile::IsMacho(absl::string_view bytes) {
  uint32_t magic = 0;
  if (bytes.size() < sizeof(macho::Header)) return false;
  std::memcpy(&magic, bytes.data(), sizeof(magic));
  return magic == macho::kMagic64;
}

absl::StatusOr<MachoFile> MachoFile::Parse(absl::string_view bytes) {
  if (!IsMacho(bytes)) return Damaged("it is no 64-bit little-endian Mach-O object");
  MachoFile file;
  file.bytes_ = bytes;
  const auto header = file.Read<macho::Header>(0);
  if (header.file_type != macho::kObjectFile) return Damaged("it is no relocatable Mach-O object");
  if (header.machine == macho::kX86_64) file.machine_ = Machine::kX86_64;
  if (header.machine == macho::kArm64) file.machine_ = Machine::kAArch64;
  uint64_t offset = sizeof(macho::Header);
  for (uint32_t i = 0; i < header.command_count; ++i) {
    if (!file.Has(offset, sizeof(macho::Command))) return Damaged("its commands are not in it");
    const auto command = file.Read<macho::Command>(offset);
    if (command.size < sizeof(macho::Command) || !file.Has(offset, command.size)) {
      return Damaged("its commands are not in it");
    }
    FIRSTCALL_RETURN_IF_ERROR(file.ReadCommand(command, offset));
    offset += command.size;
  }
  return file;
}

absl::Status MachoFile::ReadCommand(const macho::Command& command, uint64_t offset) {
  const auto is_short = [&](size_t size) { return command.size < size; };
  const absl::Status damaged = Damaged("a command is too short");
  switch (command.type) {
    case macho::kSegment64:
      return is_short(sizeof(macho::SegmentCommand)) ? damaged : ReadSegment(offset, command.size);
    case macho::kSymbolTable:
      return is_short(sizeof(macho::SymbolTableCommand))
                 ? damaged
                 : ReadSymbols(Read<macho::SymbolTableCommand>(offset));
    case macho::kDynamicTable: {
      if (is_short(sizeof(macho::DynamicTableCommand))) return damaged;
      const auto table = Read<macho::DynamicTableCommand>(offset);
      indirect_symbols_ = table.indirect_symbols;
      indirect_symbol_count_ = table.indirect_symbol_count;
      if (!Has(indirect_symbols_, indirect_symbol_count_ * sizeof(uint32_t))) {
        return Damaged("its indirect symbols are not in it");
      }
      return absl::OkStatus();
    }
    default:
      is_for_apple_ =
          is_for_apple_ || command.type == macho::kBuildVersion ||
          std::find(std::begin(macho::kVersionCommands), std::end(macho::kVersionCommands),
                    command.type) != std::end(macho::kVersionCommands);
      return absl::OkStatus();
  }
}

absl::Status MachoFile::ReadSegment(uint64_t offset, uint64_t size) {
  const auto segment = Read<macho::SegmentCommand>(offset);
  const uint64_t room = (size - sizeof(macho::SegmentCommand)) / sizeof(macho::SectionRecord);
  if (segment.section_count > room) return Damaged("its section headers are not in it");
  for (uint32_t i = 0; i < segment.section_count; ++i) {
    FIRSTCALL_RETURN_IF_ERROR(
        ReadSection(offset + sizeof(macho::SegmentCommand) + i * sizeof(macho::SectionRecord)));
  }
  return absl::OkStatus();
}

absl::Status MachoFile::ReadSection(uint64_t offset) {
  const auto record = Read<macho::SectionRecord>(offset);
  const char* const names = bytes_.data() + offset;
  Section section;
  section.name = NameIn(names + offsetof(macho::SectionRecord, name));
  section.segment = NameIn(names + offsetof(macho::SectionRecord, segment));
  const absl::Status damaged =
      Damaged(absl::StrCat("section '", section.segment, ",", section.name, "' is not in it"));
  section.address = record.address;
  section.size = record.size;
  if (record.alignment > kMostAlignment) return damaged;
  section.alignment = uint64_t{1} << record.alignment;
  section.flags = record.flags;
  section.first_indirect_symbol = record.reserved1;
  section.relocations = record.relocations;
  section.relocation_count = record.relocation_count;
  if (!Has(section.relocations, section.relocation_count * sizeof(macho::RelocationRecord))) {
    return damaged;
  }
  if (!section.is_zero_fill()) {
    if (!Has(record.offset, record.size)) return damaged;
    section.bytes = bytes_.substr(record.offset, record.size);
  }
  // More do not fit into the number of a symbol's section.
  if (sections_.size() == UINT8_MAX) return Damaged("it has more sections than the format allows");
  sections_.push_back(section);
  return absl::OkStatus();
}

absl::Status MachoFile::ReadSymbols(const macho::SymbolTableCommand& table) {
  if (!symbols_.empty()) return Damaged("it has several symbol tables");
  if (!Has(table.symbols, uint64_t{table.symbol_count} * sizeof(macho::SymbolRecord)) ||
      !Has(table.names, table.names_size)) {
    return Damaged("its symbol table is not in it");
  }
  const absl::string_view names = bytes_.substr(table.names, table.names_size);
  symbols_.reserve(table.symbol_count);
  for (uint32_t i = 0; i < table.symbol_count; ++i) {
    const auto record =
        Read<macho::SymbolRecord>(table.symbols + uint64_t{i} * sizeof(macho::SymbolRecord));
    Symbol symbol;
    if (record.name != 0) {
      const size_t end = record.name < names.size() ? names.find('\0', record.name) : names.npos;
      if (end == names.npos) return Damaged("the name of a symbol is not in it");
      symbol.name = names.substr(record.name, end - record.name);
    }
    symbol.type = record.type;
    symbol.section = record.section;
    symbol.description = record.description;
    symbol.value = record.value;
    symbols_.push_back(symbol);
  }
  return absl::OkStatus();
}

MachoFile::Relocation MachoFile::relocation(const Section& section, size_t number) const {
  const auto record =
      Read<macho::RelocationRecord>(section.relocations + number * sizeof(macho::RelocationRecord));
  Relocation relocation;
  relocation.offset = record.offset;
  relocation.target = record.info & 0xffffff;
  relocation.is_pc_relative = (record.info >> 24 & 1) != 0;
  relocation.size = static_cast<uint8_t>(1 << (record.info >> 25 & 3));
  relocation.is_external = (record.info >> 27 & 1) != 0;
  relocation.type = static_cast<uint8_t>(record.info >> 28);
  return relocation;
}

std::optional<uint32_t> MachoFile::IndirectSymbol(const Section& section, size_t number) const {
  const uint64_t at = uint64_t{section.first_indirect_symbol} + number;
  if (at >= indirect_symbol_count_) return std::nullopt;
  return Read<uint32_t>(indirect_symbols_ + at * sizeof(uint32_t));
}

}  // namespace firstcall
