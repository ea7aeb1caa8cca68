#include "engine/object_image.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "code/symbol_name.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"

namespace firstcall {
namespace {

using ElfObject = llvm::object::ELF64LEObjectFile;
using Elf = llvm::object::ELF64LE;

// The linker makes its own global offset table and defines this name.
constexpr absl::string_view kGlobalOffsetTable = "_GLOBAL_OFFSET_TABLE_";

absl::string_view View(llvm::StringRef text) { return {text.data(), text.size()}; }

// How far away the target of a reference to another object may lie.
enum class Reach {
  kAny,   // Anywhere; if necessary, the linker goes through a table or a jump.
  kNear,  // Within an arena.
  kNone,  // Not even within an arena.
};

// ELF for x86-64 (psABI, 4.4.1) and for the Arm 64-bit Architecture (5.7). LLVM's linker checks
// distances only in builds with assertions. On other architectures everything counts as reachable:
// see docs/porting.md.
Reach ReachOf(llvm::Triple::ArchType architecture, uint64_t relocation) {
  if (architecture == llvm::Triple::x86_64) {
    switch (relocation) {
      case llvm::ELF::R_X86_64_PC32:
        return Reach::kNear;
      case llvm::ELF::R_X86_64_32:
      case llvm::ELF::R_X86_64_32S:
        return Reach::kNone;
      default:
        return Reach::kAny;
    }
  }
  if (architecture == llvm::Triple::aarch64) {
    switch (relocation) {
      case llvm::ELF::R_AARCH64_PREL32:
      case llvm::ELF::R_AARCH64_PLT32:
      case llvm::ELF::R_AARCH64_ADR_PREL_PG_HI21:
        return Reach::kNear;
      case llvm::ELF::R_AARCH64_ABS32:
      case llvm::ELF::R_AARCH64_ABS16:
      case llvm::ELF::R_AARCH64_PREL16:
      case llvm::ELF::R_AARCH64_LD_PREL_LO19:
      case llvm::ELF::R_AARCH64_ADR_PREL_LO21:
      case llvm::ELF::R_AARCH64_CONDBR19:
      case llvm::ELF::R_AARCH64_TSTBR14:
        return Reach::kNone;
      default:
        return Reach::kAny;
    }
  }
  return Reach::kAny;
}

// Whether the relocation writes an absolute address.
bool IsAbsolute(llvm::Triple::ArchType architecture,
                const llvm::object::RelocationRef& relocation) {
  const uint64_t type = relocation.getType();
  return architecture == llvm::Triple::x86_64 ||
         (type == llvm::ELF::R_AARCH64_ABS32 || type == llvm::ELF::R_AARCH64_ABS16);
}

// Whether the relocation is a call or a jump that may go through another jump.
bool IsCall(llvm::Triple::ArchType architecture, uint32_t relocation) {
  switch (architecture) {
    case llvm::Triple::x86_64:
      return relocation == llvm::ELF::R_X86_64_PLT32;
    case llvm::Triple::aarch64:
      return relocation == llvm::ELF::R_AARCH64_CALL26 || relocation == llvm::ELF::R_AARCH64_JUMP26;
    default:
      return false;
  }
}

// The object was parsed from bytes that may be changed.
template <typename T>
T& Mutable(const T& constant) {
  return const_cast<T&>(constant);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ObjectImage>> ObjectImage::Parse(absl::Span<char> bytes,
                                                                absl::string_view name) {
  std::unique_ptr<ObjectImage> image(new ObjectImage());
  image->bytes_ = bytes;
  llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()),
                               llvm::StringRef(name.data(), name.size()));
  FIRSTCALL_ASSIGN_OR_RETURN(
      image->object_,
      FromLlvm(llvm::object::ObjectFile::createObjectFile(buffer),
               absl::StatusCode::kInvalidArgument, absl::StrCat("reading object '", name, "'")));
  if (!llvm::isa<ElfObject>(*image->object_) || !image->object_->isRelocatableObject()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "reading object '", name, "': not a 64-bit little-endian relocatable ELF object"));
  }
  image->architecture_ = image->object_->getArch();
  FIRSTCALL_RETURN_IF_ERROR(Annotate(image->ReadSymbols(), absl::StrCat("object '", name, "'")));
  return image;
}

absl::Status ObjectImage::ReadSymbols() {
  const auto& object = llvm::cast<ElfObject>(*object_);
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    const uint8_t type = symbol.getELFType();
    if (type == llvm::ELF::STT_SECTION || type == llvm::ELF::STT_FILE) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(
        llvm::StringRef name,
        FromLlvm(symbol.getName(), absl::StatusCode::kInvalidArgument, "reading its symbols"));
    FIRSTCALL_ASSIGN_OR_RETURN(const Elf::Sym* entry,
                               FromLlvm(object.getSymbol(symbol.getRawDataRefImpl()),
                                        absl::StatusCode::kInvalidArgument, "reading its symbols"));
    if (name.empty()) continue;
    if (entry->st_shndx != llvm::ELF::SHN_UNDEF) {
      if (entry->getBinding() != llvm::ELF::STB_LOCAL) defined_.push_back(View(name));
    } else if (View(name) != kGlobalOffsetTable) {
      undefined_.push_back({View(name), entry->getBinding() == llvm::ELF::STB_WEAK});
    }
  }
  const auto& file = object.getELFFile();
  FIRSTCALL_ASSIGN_OR_RETURN(
      auto sections,
      FromLlvm(file.sections(), absl::StatusCode::kInvalidArgument, "reading its sections"));
  for (const Elf::Shdr& section : sections) {
    if (section.sh_type != llvm::ELF::SHT_RELA || section.sh_offset > bytes_.size() ||
        section.sh_size > bytes_.size() - section.sh_offset) {
      continue;
    }
    relocation_tables_.push_back({section.sh_info, section.sh_offset, section.sh_size});
  }
  return DropUndefinedOfUnloadedSections();
}

// Looks at all relocations only if there is debug information, which may name other symbols.
absl::Status ObjectImage::DropUndefinedOfUnloadedSections() {
  if (llvm::none_of(object_->sections(), [](llvm::object::ELFSectionRef section) {
        return section.getType() == llvm::ELF::SHT_PROGBITS &&
               !(section.getFlags() & llvm::ELF::SHF_ALLOC) && section.getSize() != 0 &&
               llvm::StringRef(llvm::cantFail(section.getName())).starts_with(".debug_");
      })) {
    return absl::OkStatus();
  }
  absl::flat_hash_set<absl::string_view> needed;
  for (const llvm::object::SectionRef section : object_->sections()) {
    FIRSTCALL_ASSIGN_OR_RETURN(
        llvm::object::section_iterator target,
        FromLlvm(section.getRelocatedSection(), absl::StatusCode::kInvalidArgument,
                 "reading its sections"));
    if (target == object_->section_end()) continue;
    if (!(llvm::object::ELFSectionRef(*target).getFlags() & llvm::ELF::SHF_ALLOC)) continue;
    for (const llvm::object::RelocationRef relocation : section.relocations()) {
      if (relocation.getSymbol() == object_->symbol_end()) continue;
      FIRSTCALL_ASSIGN_OR_RETURN(llvm::StringRef name, FromLlvm(relocation.getSymbol()->getName(),
                                                                absl::StatusCode::kInvalidArgument,
                                                                "reading its relocations"));
      needed.insert(View(name));
    }
  }
  llvm::erase_if(undefined_,
                 [&](const Undefined& symbol) { return !needed.contains(symbol.name); });
  return absl::OkStatus();
}

bool ObjectImage::Defines(absl::string_view name) const {
  return std::find(defined_.begin(), defined_.end(), name) != defined_.end();
}

std::vector<absl::string_view> ObjectImage::ReferrersTo(absl::string_view name) const {
  std::vector<absl::string_view> referrers;
  auto file = llvm::expectedToOptional(
      llvm::object::ELFFile<Elf>::create(llvm::StringRef(bytes_.data(), bytes_.size())));
  if (!file) return referrers;
  llvm::ArrayRef<Elf::Sym> symbols;
  llvm::StringRef names;
  const auto sections = llvm::cantFail(file->sections());
  for (const Elf::Shdr& section : sections) {
    if (section.sh_type != llvm::ELF::SHT_SYMTAB) continue;
    symbols = llvm::cantFail(file->symbols(&section));
    names = llvm::cantFail(file->getStringTableForSymtab(section));
  }
  const auto add_definitions_at = [&](uint32_t section, uint64_t offset) {
    for (const Elf::Sym& symbol : symbols) {
      const bool has_place =
          symbol.getType() == llvm::ELF::STT_FUNC || symbol.getType() == llvm::ELF::STT_OBJECT;
      if (!has_place || symbol.st_shndx != section || offset < symbol.st_value ||
          offset - symbol.st_value >= symbol.st_size) {
        continue;
      }
      const absl::string_view referrer = View(llvm::cantFail(symbol.getName(names)));
      if (!llvm::is_contained(referrers, referrer)) referrers.push_back(referrer);
    }
  };
  for (const RelocationTable& table : relocation_tables_) {
    const auto* begin = reinterpret_cast<const Elf::Rela*>(bytes_.data() + table.offset);
    for (const Elf::Rela& relocation : llvm::ArrayRef(begin, table.size / sizeof(Elf::Rela))) {
      const uint32_t symbol = relocation.getSymbol(/*isMips64EL=*/false);
      if (symbol < symbols.size() && View(llvm::cantFail(symbols[symbol].getName(names))) == name) {
        add_definitions_at(table.section, relocation.r_offset);
      }
    }
  }
  return referrers;
}

std::vector<ObjectImage::Definition> ObjectImage::DescribeDefinitions() const {
  std::vector<Definition> definitions;
  const auto& object = llvm::cast<ElfObject>(*object_);
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    const Elf::Sym* entry = llvm::cantFail(object.getSymbol(symbol.getRawDataRefImpl()));
    if (entry->st_shndx == llvm::ELF::SHN_UNDEF || entry->getBinding() == llvm::ELF::STB_LOCAL) {
      continue;
    }
    Definition definition;
    definition.name = View(llvm::cantFail(symbol.getName()));
    // A tentative definition gives way, too.
    definition.is_weak =
        entry->getBinding() == llvm::ELF::STB_WEAK || entry->st_shndx == llvm::ELF::SHN_COMMON;
    definition.is_hidden = entry->getVisibility() == llvm::ELF::STV_HIDDEN ||
                           entry->getVisibility() == llvm::ELF::STV_INTERNAL;
    definitions.push_back(definition);
  }
  return definitions;
}

bool ObjectImage::HasSeveralCodeSections() const {
  return llvm::count_if(object_->sections(), [](const llvm::object::ELFSectionRef section) {
           return (section.getFlags() & llvm::ELF::SHF_EXECINSTR) != 0 && section.getSize() != 0;
         }) > 1;
}

SegmentSizes ObjectImage::MemorySizes() const {
  // Each reference may need a jump (at most 20 bytes, on AArch64) and an entry of the offset table.
  constexpr size_t kBytesForReference = 32;
  SegmentSizes sizes;
  for (const llvm::object::ELFSectionRef section : object_->sections()) {
    const uint64_t size = section.getSize() + section.getAlignment().value();
    if (section.getType() == llvm::ELF::SHT_RELA) {
      const size_t references = section.getSize() / sizeof(Elf::Rela);
      sizes.code += kBytesForReference * references;
      sizes.data += kBytesForReference * references;
    } else if (!(section.getFlags() & llvm::ELF::SHF_ALLOC)) {
      continue;
    } else if (section.getFlags() & llvm::ELF::SHF_EXECINSTR) {
      sizes.code += size;
    } else if (section.getFlags() & llvm::ELF::SHF_WRITE) {
      sizes.data += size;
    } else {
      sizes.read_only += size;
    }
  }
  for (const llvm::object::ELFSymbolRef symbol : object_->symbols()) {
    if (llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Common) {
      sizes.data += symbol.getCommonSize() + symbol.getAlignment();
    }
  }
  return sizes;
}

std::vector<ObjectImage::NamedSection> ObjectImage::NamedSections() const {
  std::vector<NamedSection> named;
  absl::flat_hash_map<absl::string_view, int> count;
  for (const llvm::object::ELFSectionRef section : llvm::cast<ElfObject>(*object_).sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
    } else if ((section.getFlags() & llvm::ELF::SHF_ALLOC) != 0 && IsIdentifier(View(*name))) {
      named.push_back({View(*name), section});
      ++count[View(*name)];
    }
  }
  llvm::erase_if(named, [&](const NamedSection& section) { return count[section.name] > 1; });
  return named;
}

absl::StatusOr<std::vector<ObjectImage::LifecyclePointer>> ObjectImage::LifecyclePointers() const {
  constexpr absl::StatusCode kDamaged = absl::StatusCode::kInvalidArgument;
  std::vector<LifecyclePointer> pointers;
  for (const llvm::object::SectionRef relocations : object_->sections()) {
    FIRSTCALL_ASSIGN_OR_RETURN(
        llvm::object::section_iterator section,
        FromLlvm(relocations.getRelocatedSection(), kDamaged, "reading its sections"));
    if (section == object_->section_end()) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(llvm::StringRef name,
                               FromLlvm(section->getName(), kDamaged, "reading its sections"));
    for (LifecyclePhase phase : {LifecyclePhase::kStart, LifecyclePhase::kEnd}) {
      std::optional<int64_t> priority = PriorityOfSection(View(name), phase);
      if (!priority) continue;
      for (const llvm::object::ELFRelocationRef relocation : relocations.relocations()) {
        const llvm::object::symbol_iterator symbol = relocation.getSymbol();
        if (symbol == object_->symbol_end()) continue;
        FIRSTCALL_ASSIGN_OR_RETURN(llvm::object::section_iterator target,
                                   FromLlvm(symbol->getSection(), kDamaged, "reading its symbols"));
        if (target == object_->section_end()) {
          return absl::UnimplementedError(
              absl::StrCat("section '", View(name), "': a pointer to another object's function"));
        }
        FIRSTCALL_ASSIGN_OR_RETURN(uint64_t value,
                                   FromLlvm(symbol->getValue(), kDamaged, "reading its symbols"));
        FIRSTCALL_ASSIGN_OR_RETURN(
            int64_t addend, FromLlvm(relocation.getAddend(), kDamaged, "reading its relocations"));
        pointers.push_back({phase, *priority, *target, value + static_cast<uint64_t>(addend)});
      }
    }
  }
  return pointers;
}

absl::StatusOr<std::vector<absl::string_view>> ObjectImage::NearSymbols() const {
  std::vector<absl::string_view> symbols;
  constexpr absl::StatusCode kDamaged = absl::StatusCode::kInvalidArgument;
  for (const llvm::object::SectionRef relocations : object_->sections()) {
    FIRSTCALL_ASSIGN_OR_RETURN(
        llvm::object::section_iterator section,
        FromLlvm(relocations.getRelocatedSection(), kDamaged, "reading its sections"));
    if (section == object_->section_end() ||
        !(llvm::object::ELFSectionRef(*section).getFlags() & llvm::ELF::SHF_ALLOC)) {
      continue;
    }
    for (const llvm::object::RelocationRef relocation : relocations.relocations()) {
      const Reach reach = ReachOf(architecture_, relocation.getType());
      const llvm::object::symbol_iterator symbol = relocation.getSymbol();
      if (reach == Reach::kAny || symbol == object_->symbol_end()) continue;
      FIRSTCALL_ASSIGN_OR_RETURN(uint32_t flags,
                                 FromLlvm(symbol->getFlags(), kDamaged, "reading its symbols"));
      const bool is_undefined = (flags & llvm::object::SymbolRef::SF_Undefined) != 0;
      if (reach == Reach::kNone && (is_undefined || IsAbsolute(architecture_, relocation))) {
        return absl::UnimplementedError("an address of 32 bits or less: compile it with -fPIC");
      }
      if (!is_undefined) continue;
      FIRSTCALL_ASSIGN_OR_RETURN(llvm::StringRef name,
                                 FromLlvm(symbol->getName(), kDamaged, "reading its symbols"));
      symbols.push_back(View(name));
    }
  }
  return symbols;
}

void ObjectImage::Undefine(absl::string_view name) {
  const auto& object = llvm::cast<ElfObject>(*object_);
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    const Elf::Sym* entry = llvm::cantFail(object.getSymbol(symbol.getRawDataRefImpl()));
    if (View(llvm::cantFail(symbol.getName())) != name ||
        entry->getBinding() == llvm::ELF::STB_LOCAL) {
      continue;
    }
    Mutable(*entry).st_shndx = llvm::ELF::SHN_UNDEF;
    Mutable(*entry).st_value = 0;
    Mutable(*entry).setBinding(llvm::ELF::STB_GLOBAL);
    Mutable(*entry).setType(llvm::ELF::STT_NOTYPE);
  }
  defined_.erase(std::remove(defined_.begin(), defined_.end(), name), defined_.end());
  undefined_.push_back({name, /*is_weak=*/false});
}

void ObjectImage::MakeDefinitionsStrong() {
  const auto& object = llvm::cast<ElfObject>(*object_);
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    const Elf::Sym* entry = llvm::cantFail(object.getSymbol(symbol.getRawDataRefImpl()));
    if (entry->st_shndx != llvm::ELF::SHN_UNDEF && entry->getBinding() == llvm::ELF::STB_WEAK) {
      Mutable(*entry).setBinding(llvm::ELF::STB_GLOBAL);
    }
  }
}

void ObjectImage::DefineAsZero(absl::string_view name) {
  const auto& object = llvm::cast<ElfObject>(*object_);
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    const Elf::Sym* entry = llvm::cantFail(object.getSymbol(symbol.getRawDataRefImpl()));
    if (entry->st_shndx != llvm::ELF::SHN_UNDEF || View(llvm::cantFail(symbol.getName())) != name) {
      continue;
    }
    Mutable(*entry).st_shndx = llvm::ELF::SHN_ABS;
    Mutable(*entry).st_value = 0;
    zeros_.push_back(name);
  }
  undefined_.erase(std::remove_if(undefined_.begin(), undefined_.end(),
                                  [name](const Undefined& symbol) { return symbol.name == name; }),
                   undefined_.end());
}

absl::Status ObjectImage::BindCallsDirectly(absl::FunctionRef<bool(absl::string_view)> is_near) {
  bool all_are_direct = true;
  const auto& object = llvm::cast<ElfObject>(*object_);
  const auto& file = object.getELFFile();
  FIRSTCALL_ASSIGN_OR_RETURN(
      auto sections,
      FromLlvm(file.sections(), absl::StatusCode::kInvalidArgument, "reading its sections"));
  for (const Elf::Shdr& section : sections) {
    if (section.sh_type != llvm::ELF::SHT_RELA) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(auto relocations,
                               FromLlvm(file.relas(section), absl::StatusCode::kInvalidArgument,
                                        "reading its relocations"));
    FIRSTCALL_ASSIGN_OR_RETURN(const Elf::Shdr* table,
                               FromLlvm(file.getSection(section.sh_link),
                                        absl::StatusCode::kInvalidArgument, "reading its symbols"));
    FIRSTCALL_ASSIGN_OR_RETURN(llvm::StringRef names,
                               FromLlvm(file.getStringTableForSymtab(*table),
                                        absl::StatusCode::kInvalidArgument, "reading its symbols"));
    for (const Elf::Rela& relocation : relocations) {
      if (!IsCall(architecture_, relocation.getType(/*isMips64EL=*/false))) continue;
      FIRSTCALL_ASSIGN_OR_RETURN(
          const Elf::Sym* symbol,
          FromLlvm(file.getRelocationSymbol(relocation, table), absl::StatusCode::kInvalidArgument,
                   "reading its relocations"));
      if (symbol == nullptr) continue;
      if (symbol->st_shndx == llvm::ELF::SHN_ABS) all_are_direct = false;
      if (symbol->st_shndx != llvm::ELF::SHN_UNDEF) continue;
      FIRSTCALL_ASSIGN_OR_RETURN(
          llvm::StringRef name, FromLlvm(symbol->getName(names), absl::StatusCode::kInvalidArgument,
                                         "reading its symbols"));
      if (!is_near(View(name))) {
        all_are_direct = false;
      } else if (architecture_ == llvm::Triple::x86_64) {
        Mutable(relocation).setType(llvm::ELF::R_X86_64_PC32, /*IsMips64EL=*/false);
      }
    }
  }
  calls_are_direct_ = all_are_direct && architecture_ == llvm::Triple::aarch64;
  return absl::OkStatus();
}

}  // namespace firstcall
