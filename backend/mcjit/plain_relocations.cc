// MCJIT's linker loads a section if a symbol is defined in it or if a relocation names it. So if
// only relocations name a section, the first one is left to MCJIT. MCJIT finds the unwind tables
// (.eh_frame) among the sections it has loaded. Their relocations are left, too; there is only one
// for each function.

#include "backend/mcjit/plain_relocations.h"

#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/string_ref.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

using ElfObject = llvm::object::ELF64LEObjectFile;
using Elf = llvm::object::ELF64LE;

// Empty if LLVM finds an error: then the object is left to MCJIT as it is.
template <typename T>
T OrNothing(llvm::Expected<T> value) {
  if (value) return *value;
  llvm::consumeError(value.takeError());
  return T();
}

// The sections and symbols of an object, read once.
struct Parts {
  explicit Parts(const llvm::object::ELFFile<Elf>& elf) : file(elf) {
    sections = OrNothing(file.sections());
    for (const Elf::Shdr& section : sections) {
      if (section.sh_type != llvm::ELF::SHT_SYMTAB) continue;
      symbols = OrNothing(file.symbols(&section));
      names = OrNothing(file.getStringTableForSymtab(section));
    }
    is_loaded.resize(sections.size());
    for (const Elf::Sym& symbol : symbols) {
      const bool is_seen =
          symbol.getType() <= llvm::ELF::STT_FUNC && symbol.getBinding() != llvm::ELF::STB_WEAK;
      if (is_seen && IsInSection(symbol)) is_loaded[symbol.st_shndx] = true;
    }
  }

  bool IsInSection(const Elf::Sym& symbol) const {
    return symbol.st_shndx != llvm::ELF::SHN_UNDEF && symbol.st_shndx < sections.size();
  }

  // Whether the symbol's address follows from the address of its section or from its name.
  bool IsPlain(const Elf::Sym& symbol) const {
    if (symbol.getType() > llvm::ELF::STT_SECTION) return false;
    if (symbol.st_shndx == llvm::ELF::SHN_UNDEF) return symbol.st_name != 0;
    return IsInSection(symbol) && symbol.getBinding() != llvm::ELF::STB_WEAK;
  }

  const llvm::object::ELFFile<Elf>& file;
  llvm::ArrayRef<Elf::Shdr> sections;
  llvm::ArrayRef<Elf::Sym> symbols;
  llvm::StringRef names;
  std::vector<bool> is_loaded;  // Whether MCJIT's linker loads the section because of what it sees.
};

// The bytes that a plain relocation writes; zero for other relocations. (No number is a plain
// relocation on one architecture and another relocation on the other.)
size_t SizeOf(const Elf::Rela& relocation) {
  switch (relocation.getType(/*isMips64EL=*/false)) {
    case llvm::ELF::R_X86_64_PC32:
    case llvm::ELF::R_AARCH64_PREL32:
      return 4;
    case llvm::ELF::R_X86_64_64:
    case llvm::ELF::R_AARCH64_ABS64:
      return 8;
    default:
      return 0;
  }
}

bool IsKnown(llvm::Triple::ArchType architecture) {
  return architecture == llvm::Triple::x86_64 || architecture == llvm::Triple::aarch64;
}

}  // namespace

class PlainRelocations::Taker {
 public:
  Taker(const ElfObject& object, PlainRelocations& taken)
      : parts_(object.getELFFile()), taken_(taken), target_of_(parts_.symbols.size(), UINT32_MAX) {
    taken_.is_used_.resize(parts_.sections.size());
  }

  void TakeAll() {
    for (const Elf::Shdr& table : parts_.sections) {
      if (table.sh_type != llvm::ELF::SHT_RELA || table.sh_info >= parts_.sections.size()) continue;
      const Elf::Shdr& section = parts_.sections[table.sh_info];
      const bool is_plain =
          (section.sh_flags & llvm::ELF::SHF_ALLOC) != 0 &&
          !OrNothing(parts_.file.getSectionName(section)).starts_with(".eh_frame");
      if (is_plain) TakeFromTable(table, section);
    }
  }

 private:
  // The object was parsed from bytes that may be changed. Relocations that are taken move behind
  // those that are left.
  void TakeFromTable(const Elf::Shdr& table, const Elf::Shdr& section) {
    llvm::ArrayRef<Elf::Rela> relocations = OrNothing(parts_.file.relas(table));
    if (relocations.empty()) return;
    auto* left = const_cast<Elf::Rela*>(relocations.begin());
    for (auto& relocation : llvm::MutableArrayRef(left, relocations.size())) {
      const bool must_stay = !parts_.is_loaded[table.sh_info];
      parts_.is_loaded[table.sh_info] = true;
      const std::optional<uint32_t> target =
          !must_stay && LiesIn(section, relocation) ? FindTarget(relocation) : std::nullopt;
      if (target) {
        taken_.is_used_[table.sh_info] = true;
        taken_.relocations_.push_back({table.sh_info, *target, SizeOf(relocation) == 8,
                                       relocation.r_offset, relocation.r_addend});
      } else {
        std::swap(*left++, relocation);
      }
    }
    auto& header = const_cast<Elf::Shdr&>(table);
    taken_.tables_.push_back({&header, header.sh_size});
    header.sh_size = static_cast<uint64_t>(left - relocations.begin()) * sizeof(Elf::Rela);
  }

  // Subtracted, not added: in a damaged object a sum may overflow.
  static bool LiesIn(const Elf::Shdr& section, const Elf::Rela& relocation) {
    return relocation.r_offset < section.sh_size &&
           SizeOf(relocation) <= section.sh_size - relocation.r_offset;
  }

  // The target of a relocation, an index of targets_, if it can be taken.
  std::optional<uint32_t> FindTarget(const Elf::Rela& relocation) {
    if (SizeOf(relocation) == 0) return std::nullopt;
    const uint32_t number = relocation.getSymbol(/*isMips64EL=*/false);
    if (number >= parts_.symbols.size()) return std::nullopt;
    const Elf::Sym& symbol = parts_.symbols[number];
    if (!parts_.IsPlain(symbol)) return std::nullopt;
    Target target;
    if (symbol.st_shndx == llvm::ELF::SHN_UNDEF) {
      target.name = ToStringView(OrNothing(symbol.getName(parts_.names)));
      // The linker makes a global offset table of its own, and defines its name.
      if (target.name.empty() || target.name == kGlobalOffsetTable) return std::nullopt;
    } else {
      target.section = symbol.st_shndx;
      target.value = symbol.st_value;
      if (!parts_.is_loaded[target.section]) {
        parts_.is_loaded[target.section] = true;  // Because of this relocation.
        return std::nullopt;
      }
      taken_.is_used_[target.section] = true;
    }
    if (target_of_[number] == UINT32_MAX) {
      target_of_[number] = static_cast<uint32_t>(taken_.targets_.size());
      taken_.targets_.push_back(target);
    }
    return target_of_[number];
  }

  Parts parts_;
  PlainRelocations& taken_;
  std::vector<uint32_t> target_of_;  // By the symbol's number.
};

PlainRelocations PlainRelocations::TakeFrom(const llvm::object::ObjectFile& object) {
  PlainRelocations taken;
  const auto* elf = llvm::dyn_cast<ElfObject>(&object);
  if (elf == nullptr || !IsKnown(elf->getArch())) return taken;
  Taker(*elf, taken).TakeAll();
  return taken;
}

void PlainRelocations::PutBack() {
  for (const ShortenedTable& table : tables_) {
    static_cast<Elf::Shdr*>(table.header)->sh_size = table.size;
  }
  *this = PlainRelocations();
}

void PlainRelocations::Locate(const llvm::object::ObjectFile& object,
                              absl::FunctionRef<Place(llvm::object::SectionRef)> place_of) {
  places_.resize(is_used_.size());
  for (const llvm::object::SectionRef section : object.sections()) {
    if (is_used_[section.getIndex()]) places_[section.getIndex()] = place_of(section);
  }
}

absl::Status PlainRelocations::Apply(
    absl::FunctionRef<ExecutorAddress(absl::string_view)> address_of) const {
  std::vector<ExecutorAddress> addresses;
  addresses.reserve(targets_.size());
  for (const Target& target : targets_) {
    addresses.push_back(target.section == kNoSection ? address_of(target.name)
                                                     : places_[target.section].run + target.value);
  }
  for (const Relocation& relocation : relocations_) {
    const Place& place = places_[relocation.section];
    const Target& target = targets_[relocation.target];
    const bool is_located = place.write != nullptr && (target.section == kNoSection ||
                                                       places_[target.section].write != nullptr);
    if (!is_located) return absl::InternalError("a section was not loaded");
    if (relocation.is_absolute) {
      const uint64_t value =
          addresses[relocation.target].value() + static_cast<uint64_t>(relocation.addend);
      std::memcpy(place.write + relocation.offset, &value, sizeof(value));
      continue;
    }
    const int64_t distance =
        addresses[relocation.target] - (place.run + relocation.offset) + relocation.addend;
    if (distance < std::numeric_limits<int32_t>::min() ||
        distance > std::numeric_limits<int32_t>::max()) {
      return absl::InternalError(
          absl::StrCat("'", target.name, "' is out of reach of a distance of 32 bits"));
    }
    const auto value = static_cast<int32_t>(distance);
    std::memcpy(place.write + relocation.offset, &value, sizeof(value));
  }
  return absl::OkStatus();
}

}  // namespace firstcall
