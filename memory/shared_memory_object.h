// Pages under a name, for two processes that have nothing else in common (POSIX shared memory). The
// name is random and for the same user only. The second process to open the object removes it, and
// so does the first when it gives the object up: a name is left only if the first is killed while
// the second does not know it yet.
//
// Thread-compatible. Errors are ResourceExhausted with the system's reason.

#ifndef FIRSTCALL_MEMORY_SHARED_MEMORY_OBJECT_H_
#define FIRSTCALL_MEMORY_SHARED_MEMORY_OBJECT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

class SharedMemoryObject {
 public:
  // New pages of zeros, `size` bytes of them. They take memory when they are first written; what
  // is left of the file system behind them (/dev/shm) must be enough for them now. Whoever writes
  // to a page when that is used up meanwhile, by others, gets SIGBUS.
  static absl::StatusOr<SharedMemoryObject> Create(size_t size);

  // The object that was created under that name, which it has no longer after this.
  // InvalidArgument if Create does not give such names, or the object is smaller than `size`.
  static absl::StatusOr<SharedMemoryObject> Open(absl::string_view name, size_t size);

  SharedMemoryObject(SharedMemoryObject&& other) noexcept;
  SharedMemoryObject& operator=(SharedMemoryObject&&) = delete;
  // Removes the name and closes the file; mappings of it stay.
  ~SharedMemoryObject();

  const std::string& name() const { return name_; }
  int file() const { return file_; }

 private:
  SharedMemoryObject(std::string name, int file);

  std::string name_;
  int file_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SHARED_MEMORY_OBJECT_H_
