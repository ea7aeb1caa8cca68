// The table is a program for a machine that has an address, a file and a line. What the linker
// would have written to the table is taken from the table's relocations.

#include "object/line_table.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "object/dwarf_reader.h"
#include "object/relocated_places.h"

namespace firstcall {
namespace {

// DWARF 5, 7.22 and 7.5.6.
enum : uint64_t {
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
  kEndSequence = 1,
  kSetAddress = 2,
  kPath = 1,
  kDirectory = 2,
  kFormData2 = 0x05,
  kFormData4 = 0x06,
  kFormData8 = 0x07,
  kFormString = 0x08,
  kFormBlock = 0x09,
  kFormData1 = 0x0b,
  kFormStrp = 0x0e,
  kFormUdata = 0x0f,
  kFormData16 = 0x1e,
  kFormLineStrp = 0x1f,
};

absl::string_view Bytes(const ElfObject& object, const ElfObject::Section& section) {
  const absl::Span<char> bytes = object.BytesOf(section);
  return {bytes.data(), bytes.size()};
}

absl::string_view BytesOfSection(const ElfObject& object, absl::string_view name) {
  for (const ElfObject::Section& section : object.sections()) {
    if (section.name == name) return Bytes(object, section);
  }
  return {};
}

class TableReader {
 public:
  TableReader(const ElfObject& object, uint32_t number)
      : object_(object),
        bytes_(Bytes(object, object.sections()[number])),
        places_(PlacesNamedIn(object, number)) {}

  LineTable Read() {
    size_t at = 0;
    while (at < bytes_.size()) {
      const std::optional<size_t> end = ReadUnit(at);
      if (!end) break;
      at = *end;
    }
    return std::move(table_);
  }

 private:
  struct Header {
    uint64_t version = 0;
    size_t offset_size = 4;
    uint64_t shortest_instruction = 1;
    int64_t line_base = 0;
    uint64_t line_range = 1;
    std::vector<uint64_t> operand_counts;  // Of the standard opcodes, from 1 on.
    std::vector<uint32_t> files;           // Indices in the table, by the unit's numbers.
  };

  // Returns where the unit that begins at `at` ends.
  std::optional<size_t> ReadUnit(size_t at) {
    DwarfReader reader(bytes_, at);
    Header header;
    uint64_t size = reader.Number(4);
    if (size == 0xffffffff) {
      header.offset_size = 8;
      size = reader.Number(8);
    }
    if (!reader.ok() || size > bytes_.size() - reader.at()) return std::nullopt;
    const size_t end = reader.at() + size;
    reader = DwarfReader(bytes_.substr(0, end), reader.at());
    const std::optional<size_t> program = ReadHeader(reader, header);
    if (!program || *program > end) return std::nullopt;
    Run(bytes_.substr(0, end), *program, header);
    return end;
  }

  // Returns where the program begins.
  std::optional<size_t> ReadHeader(DwarfReader& reader, Header& header) {
    header.version = reader.Number(2);
    if (header.version < 4 || header.version > 5) return std::nullopt;
    if (header.version == 5) reader.Skip(2);  // The sizes of addresses and of segments.
    const uint64_t size = reader.Number(header.offset_size);
    const size_t program = reader.at() + size;
    header.shortest_instruction = reader.Number(1);
    reader.Skip(2);  // Operations of an instruction, and where statements begin.
    header.line_base = static_cast<int8_t>(reader.Number(1));
    header.line_range = reader.Number(1);
    const uint64_t first_special = reader.Number(1);
    for (uint64_t i = 1; i < first_special; ++i) header.operand_counts.push_back(reader.Number(1));
    if (header.version == 5) {
      const std::vector<Entry> directories = ReadEntries(reader, header);
      for (const Entry& file : ReadEntries(reader, header)) {
        AddFile(
            file,
            [&](uint64_t number) {
              return number < directories.size() ? directories[number].path : absl::string_view();
            },
            header);
      }
    } else {
      ReadFilesOfVersion4(reader, header);
    }
    if (!reader.ok() || header.line_range == 0 || program < reader.at()) return std::nullopt;
    return program;
  }

  struct Entry {
    absl::string_view path;
    uint64_t directory = 0;
  };

  void ReadFilesOfVersion4(DwarfReader& reader, Header& header) {
    std::vector<absl::string_view> directories = {""};  // The unit's own is not named here.
    for (absl::string_view text = reader.Text(); !text.empty(); text = reader.Text()) {
      directories.push_back(text);
    }
    header.files.push_back(0);  // Numbers begin with 1.
    for (absl::string_view text = reader.Text(); !text.empty(); text = reader.Text()) {
      const Entry file = {text, reader.Unsigned()};
      reader.Unsigned();  // When it was changed.
      reader.Unsigned();  // Its size.
      AddFile(
          file,
          [&](uint64_t number) {
            return number < directories.size() ? directories[number] : absl::string_view();
          },
          header);
    }
  }

  std::vector<Entry> ReadEntries(DwarfReader& reader, const Header& header) {
    std::vector<std::pair<uint64_t, uint64_t>> format(reader.Number(1));
    for (auto& [content, form] : format) {
      content = reader.Unsigned();
      form = reader.Unsigned();
    }
    std::vector<Entry> entries;
    const uint64_t count = reader.Unsigned();
    for (uint64_t i = 0; i < count && reader.ok() && !format.empty(); ++i) {
      Entry entry;
      for (const auto& [content, form] : format) {
        const auto [text, number] = ReadForm(reader, form, header);
        if (content == kPath) entry.path = text;
        if (content == kDirectory) entry.directory = number;
      }
      entries.push_back(entry);
    }
    return entries;
  }

  std::pair<absl::string_view, uint64_t> ReadForm(DwarfReader& reader, uint64_t form,
                                                  const Header& header) {
    switch (form) {
      case kFormString:
        return {reader.Text(), 0};
      case kFormLineStrp:
      case kFormStrp: {
        const auto relocated = places_.find(reader.at());
        uint64_t offset = reader.Number(header.offset_size);
        if (relocated != places_.end()) offset = relocated->second.offset;
        const absl::string_view texts =
            BytesOfSection(object_, form == kFormStrp ? ".debug_str" : ".debug_line_str");
        return {DwarfReader(texts, offset).Text(), 0};
      }
      case kFormData1:
        return {"", reader.Number(1)};
      case kFormData2:
        return {"", reader.Number(2)};
      case kFormData4:
        return {"", reader.Number(4)};
      case kFormData8:
        return {"", reader.Number(8)};
      case kFormUdata:
        return {"", reader.Unsigned()};
      case kFormData16:
        reader.Skip(16);
        return {"", 0};
      case kFormBlock:
        reader.Skip(reader.Unsigned());
        return {"", 0};
      default:
        reader.Skip(bytes_.size() + 1);  // Of unknown size, so nothing behind it can be read.
        return {"", 0};
    }
  }

  template <typename DirectoryOf>
  void AddFile(const Entry& file, DirectoryOf directory_of, Header& header) {
    std::string path(file.path);
    const auto precede = [&](absl::string_view directory) {
      if (!directory.empty() && path.substr(0, 1) != "/") path = absl::StrCat(directory, "/", path);
    };
    precede(directory_of(file.directory));
    precede(directory_of(0));
    auto [at, is_new] = numbers_.try_emplace(path, static_cast<uint32_t>(table_.files.size()));
    if (is_new) table_.files.push_back(path);
    header.files.push_back(at->second);
  }

  // The program begins at `at` and ends with `unit`.
  void Run(absl::string_view unit, size_t at, const Header& header) {
    DwarfReader reader(unit, at);
    RelocatedPlace place;
    uint64_t file = 1;
    uint64_t line = 1;  // Modulo 2^64: what a damaged table adds may be anything.
    const auto advance = [&](uint64_t count) {
      place.offset += count * header.shortest_instruction;
    };
    const auto append = [&](bool is_end) {
      LineRow row;
      row.section = place.section;
      row.offset = place.offset;
      if (!is_end && file < header.files.size()) {
        row.line = static_cast<uint32_t>(line);
        row.file = header.files[file];
      }
      table_.rows.push_back(row);
    };
    const uint64_t first_special = header.operand_counts.size() + 1;
    while (!reader.is_at_end()) {
      const uint64_t opcode = reader.Number(1);
      if (opcode >= first_special) {
        const uint64_t special = opcode - first_special;
        advance(special / header.line_range);
        line += static_cast<uint64_t>(int64_t{header.line_base}) + special % header.line_range;
        append(false);
        continue;
      }
      switch (opcode) {
        case 0: {
          const uint64_t size = reader.Unsigned();
          const size_t begin = reader.at();
          const uint64_t extended = reader.Number(1);
          if (extended == kSetAddress) {
            const auto found = places_.find(reader.at());
            place = found == places_.end() ? RelocatedPlace() : found->second;
          } else if (extended == kEndSequence) {
            append(true);
            place = {};
            file = 1;
            line = 1;
          }
          reader = DwarfReader(unit, begin);
          reader.Skip(size);
          break;
        }
        case kCopy:
          append(false);
          break;
        case kAdvancePc:
          advance(reader.Unsigned());
          break;
        case kAdvanceLine:
          line += static_cast<uint64_t>(reader.Signed());
          break;
        case kSetFile:
          file = reader.Unsigned();
          break;
        case kConstAddPc:
          advance((255 - first_special) / header.line_range);
          break;
        case kFixedAdvancePc:
          place.offset += reader.Number(2);
          break;
        default:
          for (uint64_t i = 0; i < header.operand_counts[opcode - 1]; ++i) reader.Unsigned();
      }
    }
  }

  const ElfObject& object_;
  const absl::string_view bytes_;
  const RelocatedPlaces places_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
  LineTable table_;
};

std::optional<uint32_t> SectionOfTable(const ElfObject& object) {
  for (uint32_t i = 0; i < object.sections().size(); ++i) {
    if (object.sections()[i].name == ".debug_line") return i;
  }
  return std::nullopt;
}

}  // namespace

bool HasLineTable(const ElfObject& object) { return SectionOfTable(object).has_value(); }

LineTable ReadLineTable(const ElfObject& object) {
  const std::optional<uint32_t> section = SectionOfTable(object);
  return section ? TableReader(object, *section).Read() : LineTable();
}

}  // namespace firstcall
