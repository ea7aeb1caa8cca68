#include "object/object_merger.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/round_up.h"
#include "object/elf_file.h"

namespace firstcall {
namespace {

constexpr uint32_t kX86_64UnwindTable = 0x70000001;  // SHT_X86_64_UNWIND
// Merging constants and strings is left out, which is always allowed. A group stands for one
// definition of several equal ones, and Add has a rule of its own for these.
constexpr uint64_t kIgnoredFlags = SHF_MERGE | SHF_STRINGS | SHF_GROUP;
constexpr uint64_t kKnownFlags = SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR | kIgnoredFlags;

// What the parts of one module may have, too: they are linked by those who know what that means.
constexpr uint64_t kRetained = 0x200000;  // SHF_GNU_RETAIN
constexpr uint64_t kLarge = 0x10000000;   // SHF_X86_64_LARGE
constexpr uint64_t kKnownFlagsOfModule = SHF_TLS | kRetained | kLarge;

bool IsKnownTypeOfModule(uint32_t type) {
  return type == SHT_INIT_ARRAY || type == SHT_FINI_ARRAY || type == SHT_PREINIT_ARRAY ||
         type == SHT_NOTE;
}

// More would not fit into the numbers of the format.
constexpr size_t kMostOutputs = 1000;

}  // namespace

bool ObjectMerger::IsMergeable(const ElfObject& object, const ElfObject::Section& section) const {
  if (section.type == SHT_SYMTAB_SHNDX || section.type == SHT_REL) return false;
  if (section.is_relocation_table()) return true;
  if (!section.is_loaded()) return true;
  const bool is_known = section.type == SHT_PROGBITS || section.type == SHT_NOBITS ||
                        section.type == kX86_64UnwindTable ||
                        (is_of_one_module_ && IsKnownTypeOfModule(section.type));
  const uint64_t known_flags = kKnownFlags | (is_of_one_module_ ? kKnownFlagsOfModule : 0);
  // JITLink gives all sections of a name the same permissions.
  constexpr uint64_t kPermissions = SHF_WRITE | SHF_EXECINSTR;
  if (is_of_one_module_ && std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& output) {
        return output.name == section.name && ((output.flags ^ section.flags) & kPermissions) != 0;
      })) {
    return false;
  }
  // The entries of an unwind table follow each other without gaps, because zeros would end it.
  return is_known && (section.flags & ~known_flags) == 0 &&
         (section.alignment & (section.alignment - 1)) == 0 && section.alignment <= 4096 &&
         !(section.is_unwind_table() && section.size % 4 != 0) &&
         object.BytesOf(section).size() == (section.has_bytes() ? section.size : 0);
}

bool ObjectMerger::IsMergeable(const ElfObject& object, size_t number) const {
  const ElfObject::Symbol symbol = object.symbol(number);
  const int type = symbol.type();
  if (type == STT_FILE || number == 0) return true;
  if (is_of_one_module_) {
    if (type == STT_GNU_IFUNC) return false;
    if (symbol.index == SHN_COMMON) return IsUniqueInModule(object.NameOf(symbol));
    if (symbol.is_undefined()) return !object.NameOf(symbol).empty();
    const uint32_t section = object.SectionOf(symbol, number);
    if (section == 0 || symbol.value > object.sections()[section].size) return false;
    return symbol.is_local() || IsUniqueInModule(object.NameOf(symbol));
  }
  // The definition of a thread-local variable, common, or an ifunc.
  if (type > STT_SECTION && !(type == STT_TLS && symbol.is_undefined())) return false;
  if (symbol.is_undefined()) {
    if (object.NameOf(symbol).empty()) return false;
    auto found = globals_.find(object.NameOf(symbol));
    return found == globals_.end() || symbols_[found->second].record.is_undefined();
  }
  const uint32_t section = object.SectionOf(symbol, number);
  if (section == 0 || symbol.value > object.sections()[section].size) return false;
  if (symbol.is_local()) return true;
  auto found = globals_.find(object.NameOf(symbol));
  return found == globals_.end() || !symbols_[found->second].record.is_undefined();
}

bool ObjectMerger::IsUniqueInModule(absl::string_view name) const {
  const auto found = globals_.find(name);
  return found == globals_.end() || symbols_[found->second].record.is_undefined();
}

bool ObjectMerger::CanBeMerged(const ElfObject& object) const {
  if (object.has_debug_information() || outputs_.size() > kMostOutputs ||
      (!outputs_.empty() && object.machine() != machine_)) {
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

void ObjectMerger::AddSections(Part& part) {
  const ElfObject& object = *part.object;
  part.places.resize(object.sections().size());
  for (uint32_t i = 0; i < part.places.size(); ++i) {
    const ElfObject::Section& section = object.sections()[i];
    if (!section.is_loaded()) continue;
    const uint64_t flags = section.flags & ~(kIgnoredFlags | kRetained);
    // Code generators give unwind tables different types.
    const uint32_t type =
        is_of_one_module_ && section.is_unwind_table() ? SHT_PROGBITS : section.type;
    const auto [found, is_new] = output_numbers_.emplace(
        std::make_tuple(std::string(section.name), type, flags), outputs_.size());
    if (is_new) {
      Output& output = outputs_.emplace_back();
      output.name = std::string(section.name);
      output.type = type;
      output.flags = flags;
    }
    Output& output = outputs_[found->second];
    const uint64_t alignment = std::max<uint64_t>(section.alignment, 1);
    output.alignment = std::max(output.alignment, alignment);
    output.size = RoundUp(output.size, section.is_unwind_table() ? 1 : alignment);
    part.places[i] = {found->second + 1, output.size};
    output.size += section.size;
    if (!section.has_bytes()) continue;
    output.file_size = output.size;
    output.contents.push_back({&part, i});
  }
}

void ObjectMerger::AddSymbols(Part& part) {
  const ElfObject& object = *part.object;
  std::vector<uint32_t>& numbers = part.numbers;
  numbers.resize(object.symbol_count());
  for (size_t i = 1; i < numbers.size(); ++i) {
    const ElfObject::Symbol symbol = object.symbol(i);
    if (symbol.type() == STT_FILE) continue;
    const absl::string_view name = object.NameOf(symbol);
    Symbol added;
    added.record = symbol;
    if (!symbol.is_undefined() && symbol.index != SHN_COMMON) {
      const Place place = part.places[object.SectionOf(symbol, i)];
      if (place.output == 0) continue;  // Of a section that is not loaded.
      added.record.index = static_cast<uint16_t>(place.output);
      added.record.value = symbol.type() == STT_SECTION ? 0 : symbol.value + place.offset;
      if (is_of_one_module_) {
        // LLVM gives an alias the size of its type, which may be more than is left there.
        const uint64_t most = object.sections()[object.SectionOf(symbol, i)].size - symbol.value;
        added.record.size = std::min(symbol.size, most);
      }
    }
    if (is_of_one_module_ && symbol.type() != STT_SECTION && !name.empty()) {
      numbers[i] = FindInModule(symbol, name, added.record);
      if (numbers[i] != 0) continue;
      added.name = name;
      name_bytes_ += name.size() + 1;
      numbers[i] = static_cast<uint32_t>(symbols_.size());
      (symbol.is_local() ? locals_ : globals_).emplace(name, numbers[i]);
      symbols_.push_back(added);
      continue;
    }
    numbers[i] = static_cast<uint32_t>(symbols_.size());
    if (!symbol.is_local() && !name.empty()) {
      const auto [found, is_new] = globals_.emplace(name, numbers[i]);
      if (!is_new && symbol.is_undefined()) {
        numbers[i] = found->second;
        // One strong reference is enough.
        if (symbol.binding() != STB_WEAK) symbols_[found->second].record.info = symbol.info;
        continue;
      }
      if (!is_new) added.record.info = ELF64_ST_INFO(STB_LOCAL, symbol.type());
    }
    if (symbol.type() != STT_SECTION && !name.empty()) {
      added.name = name;
      name_bytes_ += name.size() + 1;
    }
    symbols_.push_back(added);
  }
}

uint32_t ObjectMerger::FindInModule(const ElfObject::Symbol& symbol, absl::string_view name,
                                    const ElfObject::Symbol& record) {
  const auto global = globals_.find(name);
  if (symbol.is_undefined()) {
    const auto local = locals_.find(name);
    if (global == globals_.end()) return local == locals_.end() ? 0 : local->second;
    ElfObject::Symbol& known = symbols_[global->second].record;
    // One strong reference is enough.
    if (known.is_undefined() && symbol.binding() != STB_WEAK) known.info = symbol.info;
    return global->second;
  }
  if (global == globals_.end() || !symbols_[global->second].record.is_undefined()) return 0;
  symbols_[global->second].record = record;
  return global->second;
}

void ObjectMerger::MakeLocal() {
  for (const std::string& name : made_local_) {
    const auto found = globals_.find(name);
    if (found == globals_.end()) continue;
    ElfObject::Symbol& record = symbols_[found->second].record;
    if (record.is_undefined()) continue;
    record.info = ELF64_ST_INFO(STB_LOCAL, record.type());
    record.other = STV_DEFAULT;
  }
}

void ObjectMerger::AddRelocations(const Part& part) {
  const ElfObject& object = *part.object;
  for (uint32_t i = 0; i < object.sections().size(); ++i) {
    const ElfObject::Section& table = object.sections()[i];
    if (!object.IsTableOfLoaded(table)) continue;
    Output& output = outputs_[part.places[table.info].output - 1];
    output.relocations.push_back({&part, i});
    output.relocation_count += object.RelocationCount(table);
  }
}

bool ObjectMerger::Add(ObjectBytes bytes) {
  auto part = std::make_unique<Part>();
  part->bytes = std::move(bytes);
  absl::StatusOr<std::unique_ptr<ElfObject>> object = ElfObject::Parse(
      absl::MakeSpan(part->bytes.data(), part->bytes.size()), "an object to be merged");
  if (!object.ok() || !CanBeMerged(**object)) return false;
  part->object = *std::move(object);
  if (outputs_.empty()) {
    machine_ = part->object->machine();
    symbols_.emplace_back();  // Number 0 stands for no symbol.
  }
  AddSections(*part);
  AddSymbols(*part);
  AddRelocations(*part);
  parts_.push_back(std::move(part));
  return true;
}

size_t ObjectMerger::SizeWithoutHeaders() const {
  size_t size = symbols_.size() * sizeof(Elf64_Sym) + name_bytes_ + 1;
  for (const Output& output : outputs_) {
    size += output.file_size + output.alignment + output.relocation_count * sizeof(Elf64_Rela);
  }
  return size;
}

void ObjectMerger::WriteContents(const Output& output, ElfFile& file) {
  Elf64_Shdr& header = file.AddSection(output.name, output.type, output.alignment);
  header.sh_flags = output.flags;
  header.sh_size = output.size;
  const size_t begin = file.bytes().size();
  for (const PartOfOutput& piece : output.contents) {
    const ElfObject& object = *piece.part->object;
    const absl::Span<const char> bytes = object.BytesOf(object.sections()[piece.section]);
    file.bytes().resize(begin + piece.part->places[piece.section].offset);
    file.bytes().append(bytes.data(), bytes.size());
  }
}

void ObjectMerger::WriteRelocations(const Output& output, const std::vector<uint32_t>& new_numbers,
                                    ElfFile& file) {
  for (const PartOfOutput& piece : output.relocations) {
    const ElfObject& object = *piece.part->object;
    const ElfObject::Section& table = object.sections()[piece.section];
    const uint64_t offset = piece.part->places[table.info].offset;
    for (size_t i = 0; i < object.RelocationCount(table); ++i) {
      ElfObject::Relocation relocation = object.relocation(table, i);
      relocation.offset += offset;
      // The symbol of a section stands for the section's beginning; MCJIT's linker does not look at
      // its value.
      const ElfObject::Symbol symbol = object.symbol(relocation.symbol);
      if (symbol.type() == STT_SECTION && !symbol.is_undefined()) {
        const uint32_t target = object.SectionOf(symbol, relocation.symbol);
        // Of a damaged object the sum may be anything.
        const uint64_t value = symbol.value + piece.part->places[target].offset;
        relocation.addend = static_cast<int64_t>(static_cast<uint64_t>(relocation.addend) + value);
      }
      relocation.symbol = new_numbers[piece.part->numbers[relocation.symbol]];
      AppendRecord(relocation, file.bytes());
    }
  }
}

// The outputs come first, so that their numbers are those that the symbols have. Local symbols come
// before the others, as the format demands.
std::string ObjectMerger::Finish(size_t spare) {
  constexpr size_t kHeaders = 4096;  // For some outputs; more are rare.
  MakeLocal();
  ElfFile file;
  file.bytes().reserve(SizeWithoutHeaders() + kHeaders + spare);
  for (const Output& output : outputs_) WriteContents(output, file);
  std::vector<uint32_t> order(symbols_.size()), new_numbers(symbols_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto locals_end = std::stable_partition(
      order.begin(), order.end(), [&](uint32_t i) { return symbols_[i].record.is_local(); });
  for (uint32_t i = 0; i < order.size(); ++i) new_numbers[order[i]] = i;

  const auto tables = std::count_if(outputs_.begin(), outputs_.end(), [](const Output& output) {
    return output.relocation_count != 0;
  });
  const auto symbol_table =
      static_cast<uint32_t>(file.section_count() + static_cast<size_t>(tables));
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].relocation_count == 0) continue;
    Elf64_Shdr& header = file.AddSection(".rela" + outputs_[i].name, SHT_RELA, 8);
    header.sh_flags = SHF_INFO_LINK;
    header.sh_link = symbol_table;
    header.sh_info = i + 1;
    header.sh_entsize = sizeof(Elf64_Rela);
    WriteRelocations(outputs_[i], new_numbers, file);
    file.EndSection();
  }

  std::string names(1, '\0');
  names.reserve(name_bytes_ + 1);
  Elf64_Shdr& header = file.AddSection(".symtab", SHT_SYMTAB, 8);
  header.sh_link = symbol_table + 1;
  header.sh_info = static_cast<uint32_t>(locals_end - order.begin());
  header.sh_entsize = sizeof(Elf64_Sym);
  for (uint32_t i : order) {
    ElfObject::Symbol record = symbols_[i].record;
    const absl::string_view name = symbols_[i].name;
    record.name = name.empty() ? 0 : static_cast<uint32_t>(names.size());
    if (!name.empty()) names.append(name.data(), name.size()).push_back('\0');
    AppendRecord(record, file.bytes());
  }
  file.EndSection();
  file.AddSection(".strtab", SHT_STRTAB);
  file.bytes().append(names);
  file.EndSection();
  return file.Finish(machine_);
}

}  // namespace firstcall
