#include "object/code_names.h"

#include <elf.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <map>
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

// A section ends so many bytes behind its first code at most: a debugger takes all between its
// functions for code.
constexpr uint64_t kSectionBytes = uint64_t{1} << 20;
constexpr size_t kMostCodeSections = 1024;
// A debugger drops a section that overlaps one of another object, so one object should be enough.
constexpr size_t kMostSymbols = 1 << 15;
constexpr size_t kNameBytes = 3 << 19;
// A name may take the place of one that is so many bytes longer.
constexpr size_t kMostUnused = 16;

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
  // An object without symbols. `tables`, which are zero and never freed, become the object.
  explicit GrowingObject(Tables& tables) : tables_(tables) {
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
    Elf64_Sym* const symbol = section == 0 ? nullptr : SymbolWithRoomFor(name.size());
    if (symbol == nullptr) return nullptr;
    Elf64_Shdr& code = tables_.sections[section];
    symbol->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol->st_value = address - code.sh_addr;
    symbol->st_size = size;
    char* const begin = tables_.names + symbol->st_name;
    std::memcpy(begin, name.data(), name.size());
    begin[name.size()] = '\0';
    code.sh_size = std::max(code.sh_size, symbol->st_value + size);
    // A debugger stops the threads anywhere. A symbol without a section means nothing.
    std::atomic_signal_fence(std::memory_order_release);
    symbol->st_shndx = static_cast<uint16_t>(section);
    return symbol;
  }

  // Removes what Add has returned.
  void Remove(Elf64_Sym& symbol) {
    symbol.st_shndx = SHN_UNDEF;
    const auto number = static_cast<size_t>(&symbol - tables_.symbols);
    free_[room_[number]].push_back(&symbol);
  }

  const char* bytes() const { return reinterpret_cast<const char*>(&tables_); }

  bool Has(const Elf64_Sym& symbol) const {
    return &symbol >= tables_.symbols && &symbol < tables_.symbols + kMostSymbols;
  }

 private:
  Elf64_Shdr& Set(size_t section, uint32_t type, uint32_t name, uint64_t offset) {
    Elf64_Shdr& header = tables_.sections[section];
    header.sh_type = type;
    header.sh_name = name;
    header.sh_offset = offset;
    header.sh_addralign = 1;
    return header;
  }

  // A symbol without a section, and with room for a name of `size` bytes; null if there is none.
  Elf64_Sym* SymbolWithRoomFor(size_t size) {
    // Names of functions that come and go are often about as long.
    const auto found = free_.lower_bound(size);
    if (found != free_.end() && found->first <= size + kMostUnused) {
      Elf64_Sym* const symbol = found->second.back();
      found->second.pop_back();
      if (found->second.empty()) free_.erase(found);
      return symbol;
    }
    uint64_t& symbol_bytes = tables_.sections[Tables::kSymbols].sh_size;
    uint64_t& name_bytes = tables_.sections[Tables::kNames].sh_size;
    if (symbol_bytes == sizeof(tables_.symbols) || size + 1 > kNameBytes - name_bytes) {
      return nullptr;
    }
    Elf64_Sym& symbol = tables_.symbols[room_.size()];
    room_.push_back(static_cast<uint32_t>(size));
    symbol.st_name = static_cast<uint32_t>(name_bytes);
    name_bytes += size + 1;
    std::atomic_signal_fence(std::memory_order_release);
    symbol_bytes += sizeof(Elf64_Sym);
    return &symbol;
  }

  // The number of the section whose code may be at `address`; 0 if there is no such section.
  size_t SectionFor(uint64_t address) {
    uint16_t& count = tables_.header.e_shnum;
    size_t nearest = 0;
    for (size_t i = Tables::kFirstCode; i < count; ++i) {
      const uint64_t begin = tables_.sections[i].sh_addr;
      if (begin > address || address - begin >= kSectionBytes) continue;
      if (nearest == 0 || begin > tables_.sections[nearest].sh_addr) nearest = i;
    }
    if (nearest != 0) return nearest;
    if (count == Tables::kFirstCode + kMostCodeSections) return 0;
    Elf64_Shdr& added = Set(count, SHT_NOBITS, /*name=*/1, /*offset=*/0);
    added.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    added.sh_addr = address;
    std::atomic_signal_fence(std::memory_order_release);
    return count++;
  }

  Tables& tables_;
  std::vector<uint32_t> room_ = {0};  // Of each symbol: the bytes of its name at most.
  // The symbols that were removed, by the room for their names.
  std::map<size_t, std::vector<Elf64_Sym*>> free_;
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
    void* const tables = mmap(nullptr, sizeof(Tables), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (tables == MAP_FAILED) return nullptr;
    last_.emplace(*static_cast<Tables*>(tables));
    is_turned_away_ = !RegisterLastingImage(last_->bytes(), sizeof(Tables));
    if (is_turned_away_) return nullptr;
    return last_->Add(name, address, size);
  }

  void Remove(Elf64_Sym& symbol) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (last_ && last_->Has(symbol)) {
      last_->Remove(symbol);
    } else {
      symbol.st_shndx = SHN_UNDEF;
    }
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
