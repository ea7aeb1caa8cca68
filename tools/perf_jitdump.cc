#include "tools/perf_jitdump.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/file_io.h"
#include "base/forks.h"
#include "base/round_up.h"
#include "base/steady_clock.h"
#include "tools/new_file.h"
#include "tools/perf_map.h"
#include "tools/warnings.h"

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

// JIT_CODE_DEBUG_INFO. The rows follow, each with the name of its file and a zero.
struct DebugInformation {
  uint32_t kind = 2;
  uint32_t size = 0;
  uint64_t time = 0;
  uint64_t address = 0;
  uint64_t rows = 0;
};
static_assert(sizeof(DebugInformation) == 32, "as the specification has it");

struct DebugRow {
  uint64_t address = 0;
  uint32_t line = 0;
  uint32_t discriminator = 0;
};
static_assert(sizeof(DebugRow) == 16, "as the specification has it");

// JIT_CODE_UNWINDING_INFO. The entries, the index and a padding to a multiple of 8 follow.
struct Unwinding {
  uint32_t kind = 4;
  uint32_t size = 0;
  uint64_t time = 0;
  uint64_t unwinding_size = 0;  // Without the padding.
  uint64_t index_size = 0;
  uint64_t mapped_size = 0;  // Of what lies behind the code in memory: nothing.
};
static_assert(sizeof(Unwinding) == 40, "as the specification has it");

// perf must be told to use this clock: `perf record -k mono`.
uint64_t Nanoseconds(absl::Duration time) {
  return static_cast<uint64_t>(absl::ToInt64Nanoseconds(time));
}

template <typename T>
void Append(const T& record, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&record), sizeof(record));
}

// As the specification has it, this record comes before the code's.
void AppendLines(const Event& event, std::string& bytes) {
  if (event.lines == nullptr) return;
  std::string rows;
  DebugInformation record;
  record.time = Nanoseconds(event.start);
  record.address = event.address;
  const auto append = [&](const CodeLines::Row& row, size_t offset) {
    DebugRow debug_row;
    debug_row.address = event.address + offset;
    debug_row.line = row.line;
    Append(debug_row, rows);
    rows.append(event.lines->files[row.file]).push_back('\0');
    ++record.rows;
  };
  const CodeLines::Row* last = nullptr;
  for (const CodeLines::Row& row : event.lines->rows) {
    if (row.line == 0 || row.file >= event.lines->files.size()) continue;
    append(row, row.offset);
    last = &row;
  }
  if (last == nullptr) return;
  // perf takes the last row for the end of the code, which then would have no line.
  append(*last, event.size);
  record.size = static_cast<uint32_t>(sizeof(record) + rows.size());
  Append(record, bytes);
  bytes.append(rows);
}

// This one, too.
void AppendUnwinding(const Event& event, std::string& bytes) {
  if (event.unwinding == nullptr) return;
  const CodeUnwinding& unwinding = *event.unwinding;
  Unwinding record;
  record.time = Nanoseconds(event.start);
  record.unwinding_size = unwinding.entries.size() + unwinding.index.size();
  record.index_size = unwinding.index.size();
  const uint64_t padded = RoundUp(record.unwinding_size, 8);
  record.size = static_cast<uint32_t>(sizeof(record) + padded);
  Append(record, bytes);
  bytes.append(unwinding.entries).append(unwinding.index);
  bytes.append(padded - record.unwinding_size, '\0');
}

}  // namespace

bool PerfJitdump::Open() {
  const uint64_t process = ProcessIdentity();
  if (has_failed_ || owner_ == process) return !has_failed_;
  file_.reset();  // The parent's.
  owner_ = process;
  const char* directory = std::getenv("JITDUMPDIR");
  path_ = absl::StrCat(directory == nullptr ? "." : directory, "/jit-", getpid(), ".dump");
  File file = MakeNewFile(path_, O_RDWR);
  FileHeader header;
  header.process = static_cast<uint32_t>(getpid());
  header.time = Nanoseconds(SteadyNow());
  if (!file.is_open()) return Fail("cannot write", std::strerror(errno));
  file_.emplace(std::move(file), path_, O_RDWR | O_NOFOLLOW);
  end_ = 0;
  if (!Write({reinterpret_cast<const char*>(&header), sizeof(header)})) return false;
  // perf notices the file because it is mapped to be executed.
  if (mmap(nullptr, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_READ | PROT_EXEC, MAP_PRIVATE,
           file_->number(), 0) == MAP_FAILED) {
    return Fail("mapping", std::strerror(errno));
  }
  return true;
}

bool PerfJitdump::Write(absl::string_view bytes) {
  const absl::Status status = WriteAt(file_->number(), end_, bytes);
  if (!status.ok()) {
    (void)!ftruncate(file_->number(), static_cast<off_t>(end_));  // To the last whole record.
    return Fail("writing", status.message());
  }
  end_ += bytes.size();
  return true;
}

bool PerfJitdump::Fail(const char* operation, absl::string_view reason) {
  Warn(absl::StrCat(operation, " '", path_, "': ", reason));
  has_failed_ = true;
  return false;
}

void PerfJitdump::OnEvent(const Event& event) {
  if (event.code == nullptr || event.code->empty()) return;
  absl::MutexLock lock(&mutex_);
  if (!Open()) return;
  const std::string name = PerfNameOf(event);
  CodeLoad record;
  record.size = static_cast<uint32_t>(sizeof(record) + name.size() + 1 + event.code->size());
  record.time = Nanoseconds(event.start);
  record.process = static_cast<uint32_t>(getpid());
  record.thread = static_cast<uint32_t>(event.thread);
  record.address = record.code_address = event.address;
  record.code_size = event.code->size();
  record.index = ++last_index_;
  std::string bytes;
  AppendLines(event, bytes);
  AppendUnwinding(event, bytes);
  Append(record, bytes);
  bytes.append(name).push_back('\0');
  bytes.append(*event.code);
  (void)Write(bytes);
}

}  // namespace firstcall
