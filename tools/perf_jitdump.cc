#include "tools/perf_jitdump.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "tools/perf_map.h"

namespace firstcall {
namespace {

struct FileHeader {
  uint32_t magic = 0x4A695444;
  uint32_t version = 1;
  uint32_t size = sizeof(FileHeader);
#if defined(__x86_64__)
  uint32_t machine = EM_X86_64;
#else
  uint32_t machine = EM_AARCH64;
#endif
  uint32_t padding = 0;
  uint32_t process = 0;
  uint64_t time = 0;
  uint64_t flags = 0;
};
static_assert(sizeof(FileHeader) == 40, "as the specification has it");

// JIT_CODE_LOAD. The name, with a zero, and the code follow.
struct CodeLoad {
  uint32_t kind = 0;
  uint32_t size = 0;
  uint64_t time = 0;
  uint32_t process = 0;
  uint32_t thread = 0;
  uint64_t address = 0;
  uint64_t code_address = 0;
  uint64_t code_size = 0;
  uint64_t index = 0;
};
static_assert(sizeof(CodeLoad) == 56, "as the specification has it");

// perf must be told to use this clock: `perf record -k mono`.
uint64_t Nanoseconds(absl::Duration time) {
  return static_cast<uint64_t>(absl::ToInt64Nanoseconds(time));
}

template <typename T>
void Append(const T& record, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&record), sizeof(record));
}

}  // namespace

PerfJitdump::~PerfJitdump() {
  if (file_ >= 0) close(file_);
}

bool PerfJitdump::Open() {
  const pid_t process = getpid();
  if (has_failed_ || owner_ == process) return !has_failed_;
  if (file_ >= 0) close(file_);  // The parent's.
  owner_ = process;
  const char* directory = std::getenv("JITDUMPDIR");
  const std::string path =
      absl::StrCat(directory == nullptr ? "." : directory, "/jit-", process, ".dump");
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  FileHeader header;
  header.process = static_cast<uint32_t>(process);
  header.time = Nanoseconds(SteadyNow());
  // perf notices the file because it is mapped to be executed.
  if (file_ < 0 || write(file_, &header, sizeof(header)) != sizeof(header) ||
      mmap(nullptr, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_READ | PROT_EXEC, MAP_PRIVATE,
           file_, 0) == MAP_FAILED) {
    std::fprintf(stderr, "firstcall: warning: cannot write '%s': %s\n", path.c_str(),
                 std::strerror(errno));
    has_failed_ = true;
  }
  return !has_failed_;
}

void PerfJitdump::OnEvent(const Event& event) {
  if (event.code == nullptr || event.code->empty()) return;
  absl::MutexLock lock(&mutex_);
  if (!Open()) return;
  const std::string name = PerfNameOf(event);
  CodeLoad record;
  record.size = static_cast<uint32_t>(sizeof(record) + name.size() + 1 + event.code->size());
  record.time = Nanoseconds(event.start);
  record.process = static_cast<uint32_t>(owner_);
  record.thread = static_cast<uint32_t>(event.thread);
  record.address = record.code_address = event.address;
  record.code_size = event.code->size();
  record.index = ++last_index_;
  std::string bytes;
  Append(record, bytes);
  bytes.append(name).push_back('\0');
  bytes.append(*event.code);
  if (write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    has_failed_ = true;
  }
}

}  // namespace firstcall
