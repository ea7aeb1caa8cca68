// The file is one segment of data, with everything that the dynamic linker needs: the file's
// header, the headers of segments, and a dynamic section with tables that are empty. The headers of
// segments that are not used have the type PT_NULL, which everybody skips. The dynamic linker reads
// the headers when it loads the file, and passes them to dl_iterate_phdr where they are in memory.
// So a range can be shown later, by changing a header there.

#include "runtime/process/stand_in_file.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace firstcall {
namespace {

// The headers before those for ranges.
enum Header : size_t { kData, kDynamic, kStack, kThreadLocals, kFixedCount };

enum Entry : size_t { kHash, kSymbols, kSymbolSize, kStrings, kStringsSize, kEnd, kEntryCount };

// A table of no symbols: one bucket, one chain.
struct HashTable {
  uint32_t bucket_count = 1;
  uint32_t chain_count = 1;
  uint32_t bucket = 0;
  uint32_t chain = 0;
};

// What follows the headers of segments.
struct Contents {
  ElfW(Dyn) dynamic[kEntryCount] = {};
  HashTable hash;
  ElfW(Sym) symbols[1] = {};
  void* slot = nullptr;
  char strings[8] = {};
};

constexpr ElfW(Half) kMachine =
#if defined(__aarch64__)
    EM_AARCH64;
#else
    EM_X86_64;
#endif

constexpr size_t kMostHeaders = 0xfffe;  // A file with more tells their number elsewhere.

size_t OffsetOfContents(size_t range_count) {
  return sizeof(ElfW(Ehdr)) + (kFixedCount + range_count) * sizeof(ElfW(Phdr));
}

ElfW(Ehdr) FileHeader(size_t range_count) {
  ElfW(Ehdr) header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = kMachine;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(header);
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(ElfW(Phdr));
  header.e_phnum = static_cast<ElfW(Half)>(kFixedCount + range_count);
  header.e_shentsize = sizeof(ElfW(Shdr));
  return header;
}

Contents ContentsAt(size_t offset) {
  Contents contents;
  const auto set = [&](Entry entry, int64_t tag, uint64_t value) {
    contents.dynamic[entry].d_tag = tag;
    contents.dynamic[entry].d_un.d_val = value;
  };
  set(kHash, DT_HASH, offset + offsetof(Contents, hash));
  set(kSymbols, DT_SYMTAB, offset + offsetof(Contents, symbols));
  set(kSymbolSize, DT_SYMENT, sizeof(ElfW(Sym)));
  set(kStrings, DT_STRTAB, offset + offsetof(Contents, strings));
  set(kStringsSize, DT_STRSZ, 1);
  set(kEnd, DT_NULL, 0);
  return contents;
}

std::vector<char> MakeFile(const StandInFile::ThreadLocals& thread_locals, size_t range_count) {
  const size_t offset = OffsetOfContents(range_count);
  const size_t size = offset + sizeof(Contents);
  const ElfW(Ehdr) header = FileHeader(range_count);
  std::vector<ElfW(Phdr)> segments(kFixedCount + range_count);
  ElfW(Phdr)& data = segments[kData];
  data.p_type = PT_LOAD;
  data.p_flags = PF_R | PF_W;
  data.p_filesz = data.p_memsz = size;
  data.p_align = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  ElfW(Phdr)& dynamic = segments[kDynamic];
  dynamic.p_type = PT_DYNAMIC;
  dynamic.p_flags = PF_R | PF_W;
  dynamic.p_offset = dynamic.p_vaddr = dynamic.p_paddr = offset;
  dynamic.p_filesz = dynamic.p_memsz = sizeof(Contents::dynamic);
  dynamic.p_align = alignof(ElfW(Dyn));
  // Without it, the dynamic linker would make the stacks executable.
  segments[kStack].p_type = PT_GNU_STACK;
  segments[kStack].p_flags = PF_R | PF_W;
  if (thread_locals.size != 0) {
    ElfW(Phdr)& block = segments[kThreadLocals];
    block.p_type = PT_TLS;
    block.p_flags = PF_R;
    block.p_memsz = thread_locals.size;
    block.p_align = thread_locals.alignment;
  }
  const Contents contents = ContentsAt(offset);
  std::vector<char> file(size);
  std::memcpy(file.data(), &header, sizeof(header));
  std::memcpy(file.data() + header.e_phoff, segments.data(),
              segments.size() * sizeof(segments.front()));
  std::memcpy(file.data() + offset, &contents, sizeof(contents));
  return file;
}

// A name by which the dynamic linker has loaded nothing. It compares names first, and would take
// the file for one that had the descriptor before: so the path has a number, of which each digit is
// a name of the same directory. In other processes the path leads nowhere, because they have no
// such thread: a debugger opens the files that the dynamic linker lists, and would wait for ever
// for what a descriptor of its own, a pipe, has to say.
std::string UnusedName(int descriptor) {
  for (uint32_t number = 1;; ++number) {
    std::string name = absl::StrCat("/proc/self/task/", syscall(SYS_gettid), "/fd/");
    for (uint32_t digits = number; digits != 0; digits /= 2) name += digits % 2 == 1 ? "./" : "/";
    absl::StrAppend(&name, descriptor);
    void* const other = dlopen(name.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (other == nullptr) {
      (void)dlerror();  // That there is none is no error of the program's.
      return name;
    }
    dlclose(other);
  }
}

absl::Status ErrnoStatus(absl::string_view action) {
  return absl::UnavailableError(absl::StrCat(action, ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<StandInFile>> StandInFile::Load(const ThreadLocals& thread_locals,
                                                               size_t range_count) {
  if (range_count > kMostHeaders - kFixedCount) {
    return absl::ResourceExhaustedError("too many ranges of data");
  }
  const std::vector<char> file = MakeFile(thread_locals, range_count);
  const int descriptor = memfd_create("firstcall", MFD_CLOEXEC);
  if (descriptor < 0) return ErrnoStatus("making a file in memory");
  const absl::Cleanup close_file = [&] { close(descriptor); };
  const ssize_t written = write(descriptor, file.data(), file.size());
  if (written < 0) return ErrnoStatus("writing a file in memory");
  if (static_cast<size_t>(written) != file.size()) {
    return absl::UnavailableError("writing a file in memory: it was cut off");
  }
  void* const handle = dlopen(UnusedName(descriptor).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    return absl::UnavailableError(absl::StrCat("loading a file from memory: ", reason));
  }
  const auto* const map = static_cast<const link_map*>(handle);
  return std::unique_ptr<StandInFile>(
      new StandInFile(handle, reinterpret_cast<char*>(map->l_addr), range_count));
}

StandInFile::StandInFile(void* handle, char* base, size_t range_count)
    : handle_(handle), base_(base) {
  slot_ = reinterpret_cast<void**>(base + OffsetOfContents(range_count) + offsetof(Contents, slot));
  // The dynamic linker may have the headers elsewhere than in the segment.
  const auto visit = [](dl_phdr_info* info, size_t, void* data) {
    auto& file = *static_cast<StandInFile*>(data);
    if (info->dlpi_addr != reinterpret_cast<uintptr_t>(file.base_)) return 0;
    file.thread_local_number_ = info->dlpi_tls_modid;
    for (size_t i = kFixedCount; i < info->dlpi_phnum; ++i) {
      file.free_headers_.push_back(const_cast<ElfW(Phdr)*>(&info->dlpi_phdr[i]));
    }
    return 1;
  };
  dl_iterate_phdr(visit, this);
}

StandInFile::~StandInFile() { dlclose(handle_); }

StandInFile::DataShown::DataShown(StandInFile& file,
                                  absl::Span<const absl::Span<const char>> ranges)
    : file_(file) {
  const size_t count = std::min(ranges.size(), file.free_headers_.size());
  for (size_t i = 0; i < count; ++i) {
    ElfW(Phdr)& header = *file.free_headers_[i];
    header.p_flags = PF_R | PF_W;
    // Wraps around, as the sum with the base does.
    header.p_vaddr = header.p_paddr =
        reinterpret_cast<uintptr_t>(ranges[i].data()) - reinterpret_cast<uintptr_t>(file.base_);
    header.p_memsz = ranges[i].size();
    __atomic_store_n(&header.p_type, PT_LOAD, __ATOMIC_RELEASE);
  }
}

StandInFile::DataShown::~DataShown() {
  for (ElfW(Phdr) * header : file_.free_headers_) {
    __atomic_store_n(&header->p_type, PT_NULL, __ATOMIC_RELEASE);
  }
}

}  // namespace firstcall
