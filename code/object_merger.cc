#include "code/object_merger.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "base/round_up.h"

namespace firstcall {
namespace {

constexpr uint32_t kX86_64UnwindTable = 0x70000001;  // SHT_X86_64_UNWIND
// Merging constants and strings is left out, which is always allowed. A group stands for one
// definition of several equal ones, and Add has a rule of its own for these.
constexpr uint64_t kIgnoredFlags = SHF_MERGE | SHF_STRINGS | SHF_GROUP;
constexpr uint64_t kKnownFlags = SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR | kIgnoredFlags;

bool IsDefinition(const ElfObject::Symbol& symbol) { return !symbol.is_undefined(); }

template <typename T>
void Append(const T& value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

bool ObjectMerger::IsMergeable(const ElfObject& object, const ElfObject::Section& section) const {
  if (section.type == SHT_SYMTAB_SHNDX || section.type == SHT_REL) return false;
  if (section.is_relocation_table()) return true;
  if (!section.is_loaded()) return true;
  const bool is_known = section.type == SHT_PROGBITS || section.type == SHT_NOBITS ||
                        section.type == kX86_64UnwindTable;
  // The entries of an unwind table follow each other without gaps, because zeros would end it.
  return is_known && (section.flags & ~kKnownFlags) == 0 &&
         (section.alignment & (section.alignment - 1)) == 0 && section.alignment <= 4096 &&
         !(section.is_unwind_table() && section.size % 4 != 0) &&
         object.BytesOf(section).size() == (section.has_bytes() ? section.size : 0);
}

bool ObjectMerger::IsMergeable(const ElfObject& object, size_t number) const {
  const ElfObject::Symbol symbol = object.symbol(number);
  const int type = symbol.type();
  if (type == STT_FILE || number == 0) return true;
  if (type > STT_SECTION) return false;  // Thread-local, common, or an ifunc.
  if (symbol.is_undefined()) {
    if (object.NameOf(symbol).empty()) return false;
    auto found = globals_.find(object.NameOf(symbol));
    return found == globals_.end() || symbols_[found->second].output == 0;
  }
  const uint32_t section = object.SectionOf(symbol, number);
  if (section == 0 || symbol.value > object.sections()[section].size) return false;
  if (symbol.is_local()) return true;
  auto found = globals_.find(object.NameOf(symbol));
  return found == globals_.end() || symbols_[found->second].output != 0;
}

bool ObjectMerger::CanBeMerged(const ElfObject& object) const {
  if (object.has_debug_information() || (!outputs_.empty() && object.machine() != machine_)) {
    return false;
  }
  for (const ElfObject::Section& section : object.sections()) {
    if (!IsMergeable(object, section)) return false;
    if (!object.IsTableOfLoaded(section)) continue;
    for (size_t i = 0; i < object.RelocationCount(section); ++i) {
      const ElfObject::Relocation relocation = object.relocation(section, i);
      if (relocation.symbol >= object.symbol_count() ||
          relocation.offset >= object.sections()[section.info].size) {
        return false;
      }
    }
  }
  for (size_t i = 0; i < object.symbol_count(); ++i) {
    if (!IsMergeable(object, i)) return false;
  }
  return true;
}

std::vector<ObjectMerger::Place> ObjectMerger::AddSections(const ElfObject& object) {
  std::vector<Place> places(object.sections().size());
  for (size_t i = 0; i < places.size(); ++i) {
    const ElfObject::Section& section = object.sections()[i];
    if (!section.is_loaded()) continue;
    const uint64_t flags = section.flags & ~kIgnoredFlags;
    const auto [found, is_new] = output_numbers_.emplace(
        std::make_tuple(std::string(section.name), section.type, flags), outputs_.size());
    if (is_new) {
      Output& output = outputs_.emplace_back();
      output.name = std::string(section.name);
      output.type = section.type;
      output.flags = flags;
    }
    Output& output = outputs_[found->second];
    const uint64_t alignment = std::max<uint64_t>(section.alignment, 1);
    output.alignment = std::max(output.alignment, alignment);
    output.size = RoundUp(output.size, section.is_unwind_table() ? 1 : alignment);
    places[i] = {found->second + 1, output.size};
    output.size += section.size;
    if (!section.has_bytes()) continue;
    output.bytes.resize(places[i].offset);
    const absl::Span<const char> bytes = object.BytesOf(section);
    output.bytes.append(bytes.data(), bytes.size());
  }
  return places;
}

std::vector<uint32_t> ObjectMerger::AddSymbols(const ElfObject& object,
                                               const std::vector<Place>& places) {
  std::vector<uint32_t> numbers(object.symbol_count());
  for (size_t i = 1; i < numbers.size(); ++i) {
    const ElfObject::Symbol symbol = object.symbol(i);
    if (symbol.type() == STT_FILE) continue;
    const absl::string_view name = object.NameOf(symbol);
    Symbol added;
    added.info = symbol.info;
    added.other = symbol.other;
    if (IsDefinition(symbol)) {
      const Place place = places[object.SectionOf(symbol, i)];
      if (place.output == 0) continue;  // Of a section that is not loaded.
      added.output = place.output;
      added.value = place.offset + symbol.value;
      added.size = symbol.size;
    }
    numbers[i] = static_cast<uint32_t>(symbols_.size());
    if (!symbol.is_local() && !name.empty()) {
      const auto [found, is_new] = globals_.emplace(std::string(name), numbers[i]);
      if (!is_new && added.output == 0) {
        numbers[i] = found->second;
        // One strong reference is enough.
        Symbol& same = symbols_[found->second];
        if (symbol.binding() != STB_WEAK) same.info = symbol.info;
        continue;
      }
      if (!is_new) added.info = ELF64_ST_INFO(STB_LOCAL, symbol.type());
    }
    if (symbol.type() != STT_SECTION) added.name = std::string(name);
    symbols_.push_back(std::move(added));
  }
  return numbers;
}

void ObjectMerger::AddRelocations(const ElfObject& object, const std::vector<Place>& places,
                                  const std::vector<uint32_t>& numbers) {
  for (const ElfObject::Section& table : object.sections()) {
    if (!object.IsTableOfLoaded(table)) continue;
    const Place place = places[table.info];
    std::string& relocations = outputs_[place.output - 1].relocations;
    for (size_t i = 0; i < object.RelocationCount(table); ++i) {
      ElfObject::Relocation relocation = object.relocation(table, i);
      relocation.offset += place.offset;
      relocation.symbol = numbers[relocation.symbol];
      Append(relocation, relocations);
    }
  }
}

bool ObjectMerger::Add(const ElfObject& object) {
  if (!CanBeMerged(object)) return false;
  if (outputs_.empty()) {
    machine_ = object.machine();
    symbols_.emplace_back();  // Number 0 stands for no symbol.
  }
  const std::vector<Place> places = AddSections(object);
  const std::vector<uint32_t> numbers = AddSymbols(object, places);
  AddRelocations(object, places, numbers);
  return true;
}

// The sections of the file: none, the outputs, a table of relocations for each that has any, the
// symbols, their names, and the names of the sections.
ObjectBytes ObjectMerger::Finish() {
  // Local symbols come first, as the format demands.
  std::vector<uint32_t> order, new_numbers(symbols_.size());
  for (const bool wants_local : {true, false}) {
    for (uint32_t i = 0; i < symbols_.size(); ++i) {
      if ((ELF64_ST_BIND(symbols_[i].info) == STB_LOCAL) != wants_local) continue;
      new_numbers[i] = static_cast<uint32_t>(order.size());
      order.push_back(i);
    }
  }
  const auto local_count = static_cast<uint32_t>(
      std::count_if(symbols_.begin(), symbols_.end(),
                    [](const Symbol& symbol) { return ELF64_ST_BIND(symbol.info) == STB_LOCAL; }));
  std::string symbol_table, names(1, '\0'), section_names(1, '\0');
  for (uint32_t i : order) {
    const Symbol& symbol = symbols_[i];
    Elf64_Sym record = {};
    if (!symbol.name.empty()) {
      record.st_name = static_cast<uint32_t>(names.size());
      names.append(symbol.name).push_back('\0');
    }
    record.st_info = symbol.info;
    record.st_other = symbol.other;
    record.st_shndx = static_cast<uint16_t>(symbol.output);
    record.st_value = symbol.value;
    record.st_size = symbol.size;
    Append(record, symbol_table);
  }

  ObjectBytes bytes(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> headers(1);
  const auto add = [&](absl::string_view name, uint32_t type, uint64_t alignment,
                       absl::string_view contents) -> Elf64_Shdr& {
    bytes.resize(RoundUp(bytes.size(), alignment));
    Elf64_Shdr& header = headers.emplace_back();
    header = {};
    header.sh_name = static_cast<uint32_t>(section_names.size());
    section_names.append(name.data(), name.size()).push_back('\0');
    header.sh_type = type;
    header.sh_offset = bytes.size();
    header.sh_size = contents.size();
    header.sh_addralign = alignment;
    bytes.append(contents.data(), contents.size());
    return header;
  };
  for (const Output& output : outputs_) {
    Elf64_Shdr& header = add(output.name, output.type, output.alignment, output.bytes);
    header.sh_flags = output.flags;
    header.sh_size = output.size;
  }
  const size_t tables =
      static_cast<size_t>(std::count_if(outputs_.begin(), outputs_.end(), [](const Output& output) {
        return !output.relocations.empty();
      }));
  const auto symbols = static_cast<uint32_t>(headers.size() + tables);
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    std::string& relocations = outputs_[i].relocations;
    if (relocations.empty()) continue;
    for (size_t at = 0; at < relocations.size(); at += sizeof(ElfObject::Relocation)) {
      ElfObject::Relocation relocation;
      std::memcpy(&relocation, &relocations[at], sizeof(relocation));
      relocation.symbol = new_numbers[relocation.symbol];
      std::memcpy(&relocations[at], &relocation, sizeof(relocation));
    }
    Elf64_Shdr& header = add(".rela" + outputs_[i].name, SHT_RELA, 8, relocations);
    header.sh_flags = SHF_INFO_LINK;
    header.sh_link = symbols;
    header.sh_info = i + 1;
    header.sh_entsize = sizeof(Elf64_Rela);
  }
  Elf64_Shdr& symbol_header = add(".symtab", SHT_SYMTAB, 8, symbol_table);
  symbol_header.sh_link = symbols + 1;
  symbol_header.sh_info = local_count;
  symbol_header.sh_entsize = sizeof(Elf64_Sym);
  add(".strtab", SHT_STRTAB, 1, names);
  // Its own name included.
  const std::string own_name(".shstrtab");
  const std::string all_names = section_names + own_name + '\0';
  add(own_name, SHT_STRTAB, 1, all_names);
  bytes.resize(RoundUp(bytes.size(), 8));

  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = machine_ == Machine::kX86_64 ? EM_X86_64 : EM_AARCH64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shoff = bytes.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(headers.size());
  header.e_shstrndx = static_cast<uint16_t>(headers.size() - 1);
  std::memcpy(bytes.data(), &header, sizeof(header));
  bytes.append(reinterpret_cast<const char*>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
  return bytes;
}

}  // namespace firstcall
