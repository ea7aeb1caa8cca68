// A file that the dynamic linker has loaded, without code, which stands for compiled code where a
// library asks the dynamic linker for the file of an address. The file is in memory only. It has a
// block of thread-local variables, and a pointer that such a library may keep for the file.
//
// Not thread-safe, but for what the dynamic linker does with the file. Tested in
// tests/runtime/stand_in_file_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_STAND_IN_FILE_H_
#define FIRSTCALL_RUNTIME_PROCESS_STAND_IN_FILE_H_

#include <link.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace firstcall {

class StandInFile {
 public:
  struct ThreadLocals {
    size_t size = 0;  // 0: the file has none.
    size_t alignment = 1;
  };

  // Has the dynamic linker load a new file, which can tell of `range_count` ranges. Unavailable if
  // that fails, as in a process that has no /proc.
  static absl::StatusOr<std::unique_ptr<StandInFile>> Load(const ThreadLocals& thread_locals,
                                                           size_t range_count);

  // Unloads the file.
  ~StandInFile();
  StandInFile(const StandInFile&) = delete;
  StandInFile& operator=(const StandInFile&) = delete;

  // A pointer in the file's data, null at first.
  void** slot() const { return slot_; }

  // The dynamic linker's number of the file, for __tls_get_addr. 0 if it has no thread-local
  // variables.
  size_t thread_local_number() const { return thread_local_number_; }

  // While this exists, the file has the given ranges as segments of data, as far as
  // dl_iterate_phdr tells: at most as many as Load was told.
  class DataShown {
   public:
    DataShown(StandInFile& file, absl::Span<const absl::Span<const char>> ranges);
    ~DataShown();
    DataShown(const DataShown&) = delete;
    DataShown& operator=(const DataShown&) = delete;

   private:
    StandInFile& file_;
  };

 private:
  StandInFile(void* handle, char* base, size_t range_count);

  void* const handle_;  // Of dlopen.
  char* const base_;
  void** slot_ = nullptr;
  size_t thread_local_number_ = 0;
  std::vector<ElfW(Phdr)*> free_headers_;  // For ranges.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_STAND_IN_FILE_H_
