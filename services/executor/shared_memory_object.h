// Pages that two unrelated processes can share under a name (POSIX shared memory). The name is
// random, and only processes of the same user can open it. The second process removes the name when
// it opens the object, and the first when it destroys the object. So a name remains only if the
// first process is killed before the second has opened the object.
//
// Thread-compatible. Errors are ResourceExhausted with the system's reason.

#ifndef FIRSTCALL_SERVICES_EXECUTOR_SHARED_MEMORY_OBJECT_H_
#define FIRSTCALL_SERVICES_EXECUTOR_SHARED_MEMORY_OBJECT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

class SharedMemoryObject {
 public:
  // Creates `size` bytes of zeroed pages. A page takes memory when it is first written; the file
  // system behind the pages (/dev/shm) must have room for all of them now. If others use up that
  // room meanwhile, a thread that writes to a new page gets SIGBUS.
  static absl::StatusOr<SharedMemoryObject> Create(size_t size);

  // Opens the object that was created under that name, and removes the name. InvalidArgument if
  // Create does not make such names, or if the object is smaller than `size`.
  static absl::StatusOr<SharedMemoryObject> Open(absl::string_view name, size_t size);

  SharedMemoryObject(SharedMemoryObject&& other) noexcept;
  SharedMemoryObject& operator=(SharedMemoryObject&&) = delete;
  // Removes the name and closes the file. Mappings of the pages remain.
  ~SharedMemoryObject();

  const std::string& name() const { return name_; }
  int file() const { return file_; }

 private:
  SharedMemoryObject(std::string name, int file);

  std::string name_;
  int file_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_EXECUTOR_SHARED_MEMORY_OBJECT_H_
