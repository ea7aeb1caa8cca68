#include "object/macho_sections.h"

#include <elf.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace firstcall {
namespace {

struct KnownSection {
  absl::string_view segment;
  absl::string_view name;
  const char* elf_name;
};

constexpr KnownSection kKnownSections[] = {
    {"__TEXT", "__text", ".text"},
    {"__TEXT", "__const", ".rodata"},
    {"__TEXT", "__cstring", ".rodata.str"},
    {"__TEXT", "__ustring", ".rodata.ustr"},
    {"__TEXT", "__literal4", ".rodata.cst4"},
    {"__TEXT", "__literal8", ".rodata.cst8"},
    {"__TEXT", "__literal16", ".rodata.cst16"},
    {"__TEXT", "__eh_frame", ".eh_frame"},
    {"__TEXT", "__gcc_except_tab", ".gcc_except_table"},
    {"__DATA", "__data", ".data"},
    {"__DATA", "__const", ".data.rel.ro"},
    {"__DATA_CONST", "__const", ".data.rel.ro"},
    {"__DATA", "__bss", ".bss"},
    {"__DATA", "__common", ".bss"},
    // Names of more than 16 characters are cut off.
    {"__DWARF", "__debug_str_offs", ".debug_str_offsets"},
    {"__DWARF", "__debug_gnu_pubn", ".debug_gnu_pubnames"},
    {"__DWARF", "__debug_gnu_pubt", ".debug_gnu_pubtypes"},
    {"__DWARF", "__apple_namespac", ".apple_namespaces"},
};

}  // namespace

bool IsKept(const MachoFile::Section& section) {
  return section.segment != "__LD" && section.segment != "__LLVM";
}

std::string NameInElf(const MachoFile::Section& section, const SectionNames& names) {
  auto found = names.find(section.name);
  if (found != names.end()) return found->second;
  if (section.type() == macho::kInitFunctions) return ".init_array";
  if (section.type() == macho::kTermFunctions) return ".fini_array";
  for (const KnownSection& known : kKnownSections) {
    if (known.segment == section.segment && known.name == section.name) return known.elf_name;
  }
  if (section.is_debug_information()) {
    return absl::StrCat(".", absl::StripPrefix(section.name, "__"));
  }
  return std::string(section.name);
}

uint64_t FlagsInElf(const MachoFile::Section& section) {
  if (section.is_debug_information()) return 0;
  uint64_t flags = SHF_ALLOC;
  if (section.is_code()) flags |= SHF_EXECINSTR;
  const bool is_constant = section.segment == "__TEXT" || section.segment == "__DATA_CONST" ||
                           (section.segment == "__DATA" && section.name == "__const");
  if (!is_constant) flags |= SHF_WRITE;
  return flags;
}

absl::Status CheckSection(const MachoFile::Section& section) {
  const char* obstacle = nullptr;
  if (section.is_thread_local()) {
    obstacle = "thread-local variables are";
  } else if (section.type() == macho::kLazyPointers || section.type() == macho::kStubs) {
    obstacle = "a linker's stubs are";
  } else if (section.type() == macho::kInitOffsets) {
    obstacle = "constructors by their offsets are";
  }
  return obstacle == nullptr ? absl::OkStatus()
                             : absl::UnimplementedError(
                                   absl::StrCat("section '", section.segment, ",", section.name,
                                                "': ", obstacle, " not supported"));
}

}  // namespace firstcall
