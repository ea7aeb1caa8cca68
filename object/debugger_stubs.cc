#include "object/debugger_stubs.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "object/debugger_registration.h"
#include "object/elf_file.h"
#include "object/machine.h"

namespace firstcall {
namespace {

// The numbers of the sections, in the order in which they are written.
constexpr uint16_t kStubs = 1;
constexpr uint32_t kNames = 4;

void AddSymbol(ElfFile& file, size_t size) {
  Elf64_Shdr& header = file.AddSection(".symtab", SHT_SYMTAB, 8);
  header.sh_link = kNames;
  header.sh_info = 1;  // The first global symbol.
  header.sh_entsize = sizeof(Elf64_Sym);
  Elf64_Sym symbol = {};
  AppendRecord(symbol, file.bytes());
  symbol.st_name = 1;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = kStubs;
  symbol.st_size = size;
  AppendRecord(symbol, file.bytes());
  file.EndSection();
  file.AddSection(".strtab", SHT_STRTAB);
  constexpr absl::string_view kStrings("\0firstcall_stubs\0", 17);
  file.bytes().append(kStrings.data(), kStrings.size());
  file.EndSection();
}

}  // namespace

std::function<void()> RegisterStubsWithDebugger(ExecutorAddress code, size_t size,
                                                ExecutorAddress table,
                                                absl::Span<const uint8_t> unwind_table) {
  ElfFile file;
  Elf64_Shdr& stubs = file.AddSection(".plt", SHT_NOBITS, 16);
  stubs.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  stubs.sh_addr = code.value();
  stubs.sh_size = size;
  Elf64_Shdr& unwind = file.AddSection(".eh_frame", SHT_PROGBITS, 8);
  unwind.sh_flags = SHF_ALLOC;
  unwind.sh_addr = table.value();
  file.bytes().append(reinterpret_cast<const char*>(unwind_table.data()), unwind_table.size());
  file.EndSection();
  AddSymbol(file, size);
  const std::string bytes = file.Finish(HostMachine());
  return RegisterImageWithDebugger({bytes.begin(), bytes.end()});
}

}  // namespace firstcall
