#include "object/code_names.h"

#include <elf.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "object/debugger_registration.h"
#include "object/machine.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

// The code of a section lies within so many bytes: a debugger takes the whole section for code.
constexpr uint64_t kSectionBytes = uint64_t{1} << 20;
constexpr size_t kMostCodeSections = 1024;
// A debugger drops a section that overlaps one of another object, so one object should be enough.
constexpr size_t kMostSymbols = 1 << 16;
constexpr size_t kNameBytes = 3 << 20;

// A relocatable object whose tables have room for more. Plain bytes, zero at first. The object has
// megabytes, so its memory is mapped, and pages that are not used yet take no memory.
struct Tables {
  static constexpr char kSectionNameBytes[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
  static constexpr size_t kSymbols = 1, kNames = 2, kSectionNames = 3, kFirstCode = 4;

  Elf64_Ehdr header;
  Elf64_Shdr sections[kFirstCode + kMostCodeSections];
  char section_names[sizeof(kSectionNameBytes)];
  Elf64_Sym symbols[kMostSymbols];
  char names[kNameBytes];
};

class GrowingObject {
 public:
  // An object without symbols, in memory that is never freed.
  GrowingObject() : tables_(*static_cast<Tables*>(std::calloc(1, sizeof(Tables)))) {
    Elf64_Ehdr& header = tables_.header;
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_REL;
    header.e_machine = HostMachine() == Machine::kAArch64 ? EM_AARCH64 : EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof(header);
    header.e_shoff = offsetof(Tables, sections);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = Tables::kFirstCode;
    header.e_shstrndx = Tables::kSectionNames;
    std::memcpy(tables_.section_names, Tables::kSectionNameBytes, sizeof(tables_.section_names));
    Elf64_Shdr& symbols = Set(Tables::kSymbols, SHT_SYMTAB, /*name=*/7, offsetof(Tables, symbols));
    symbols.sh_link = Tables::kNames;
    symbols.sh_info = 1;  // The first global symbol.
    symbols.sh_entsize = sizeof(Elf64_Sym);
    symbols.sh_addralign = 8;
    symbols.sh_size = sizeof(Elf64_Sym);  // The first one means no symbol.
    Set(Tables::kNames, SHT_STRTAB, /*name=*/15, offsetof(Tables, names)).sh_size = 1;
    Set(Tables::kSectionNames, SHT_STRTAB, /*name=*/23, offsetof(Tables, section_names)).sh_size =
        sizeof(tables_.section_names);
  }

  // Null if the object is full.
  Elf64_Sym* Add(absl::string_view name, uint64_t address, uint64_t size) {
    const size_t section = SectionFor(address);
    uint64_t& symbol_bytes = tables_.sections[Tables::kSymbols].sh_size;
    uint64_t& name_bytes = tables_.sections[Tables::kNames].sh_size;
    if (section == 0 || symbol_bytes == sizeof(tables_.symbols) ||
        name.size() + 1 > kNameBytes - name_bytes) {
      return nullptr;
    }
    Elf64_Shdr& code = tables_.sections[section];
    Elf64_Sym& symbol = tables_.symbols[symbol_bytes / sizeof(Elf64_Sym)];
    symbol.st_name = static_cast<uint32_t>(name_bytes);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = static_cast<uint16_t>(section);
    symbol.st_value = address - code.sh_addr;
    symbol.st_size = size;
    std::memcpy(tables_.names + name_bytes, name.data(), name.size());
    // A debugger stops the threads anywhere, and reads what the sizes tell it.
    std::atomic_signal_fence(std::memory_order_release);
    code.sh_size = std::max(code.sh_size, symbol.st_value + size);
    name_bytes += name.size() + 1;
    std::atomic_signal_fence(std::memory_order_release);
    symbol_bytes += sizeof(Elf64_Sym);
    return &symbol;
  }

  const char* bytes() const { return reinterpret_cast<const char*>(&tables_); }

 private:
  Elf64_Shdr& Set(size_t section, uint32_t type, uint32_t name, uint64_t offset) {
    Elf64_Shdr& header = tables_.sections[section];
    header.sh_type = type;
    header.sh_name = name;
    header.sh_offset = offset;
    header.sh_addralign = 1;
    return header;
  }

  // The number of the section whose code may be at `address`; 0 if there is no such section.
  size_t SectionFor(uint64_t address) {
    const uint64_t begin = address & -kSectionBytes;
    uint16_t& count = tables_.header.e_shnum;
    // The last one first: code that is linked one after the other lies close together.
    for (size_t i = count; i-- > Tables::kFirstCode;) {
      if (tables_.sections[i].sh_addr == begin) return i;
    }
    if (count == Tables::kFirstCode + kMostCodeSections) return 0;
    Elf64_Shdr& added = Set(count, SHT_NOBITS, /*name=*/1, /*offset=*/0);
    added.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    added.sh_addr = begin;
    std::atomic_signal_fence(std::memory_order_release);
    return count++;
  }

  Tables& tables_;
};

class Names {
 public:
  // Null if names cannot be kept.
  Elf64_Sym* Add(absl::string_view name, uint64_t address, uint64_t size)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (is_turned_away_) return nullptr;
    Elf64_Sym* const symbol = last_ ? last_->Add(name, address, size) : nullptr;
    if (symbol != nullptr) return symbol;
    last_.emplace();
    is_turned_away_ = !RegisterLastingImage(last_->bytes(), sizeof(Tables));
    if (is_turned_away_) return nullptr;
    return last_->Add(name, address, size);
  }

  void Remove(Elf64_Sym& symbol) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    symbol.st_shndx = SHN_UNDEF;
  }

 private:
  absl::Mutex mutex_;
  std::optional<GrowingObject> last_ ABSL_GUARDED_BY(mutex_);
  bool is_turned_away_ ABSL_GUARDED_BY(mutex_) = false;
};

Names& TheNames() {
  static auto* const names = new Names();  // Other threads may outlive statics.
  return *names;
}

}  // namespace

std::function<void()> NoteCodeNames(const ElfObject& object,
                                    absl::FunctionRef<ExecutorAddress(uint32_t)> address_of) {
  std::vector<Elf64_Sym*> added;
  for (size_t i = 0; i < object.symbol_count(); ++i) {
    const ElfObject::Symbol symbol = object.symbol(i);
    if (symbol.type() != STT_FUNC || symbol.is_undefined()) continue;
    const uint32_t section = object.SectionOf(symbol, i);
    const uint64_t address = section == 0 ? 0 : address_of(section).value();
    if (address == 0) continue;
    const absl::string_view name = WithoutOrdinal(object.NameOf(symbol));
    Elf64_Sym* const note = TheNames().Add(name, address + symbol.value, symbol.size);
    if (note != nullptr) added.push_back(note);
  }
  if (added.empty()) return {};
  return [added = std::move(added)] {
    for (Elf64_Sym* symbol : added) TheNames().Remove(*symbol);
  };
}

}  // namespace firstcall
