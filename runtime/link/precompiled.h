// Reads compiled objects and archives, which are linked when they are needed.
//
// Thread-safe. Tested in tests/command/cache_command_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_PRECOMPILED_H_
#define FIRSTCALL_RUNTIME_LINK_PRECOMPILED_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "object/object_bytes.h"
#include "runtime/link/code_space.h"
#include "runtime/link/definitions.h"
#include "runtime/link/lazy_object.h"

namespace firstcall {

class PrecompiledObjects {
 public:
  // Both must outlive the objects.
  PrecompiledObjects(ExitHandlers& exit_handlers, const CodeSpace& code_space)
      : exit_handlers_(exit_handlers), code_space_(code_space) {}

  // Adds the object file `contents`, which messages call `name`. Adds its definitions to
  // `definitions`, which must not be used after this object is destroyed. Definitions of a member
  // of an archive give way to all others. InvalidArgument if `contents` are not an object for this
  // machine; otherwise errors as Definitions::Add.
  absl::Status Add(std::string name, ObjectBytes contents, bool is_archive_member,
                   LibraryId library, Definitions& definitions) ABSL_LOCKS_EXCLUDED(mutex_);

  // The object files that have constructors or destructors, in the order of addition. Unlike
  // members of an archive, they are linked even if nothing refers to them.
  std::vector<LazyObject*> ObjectsWithConstructors() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  ExitHandlers& exit_handlers_;
  const CodeSpace& code_space_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<LazyObject>> objects_ ABSL_GUARDED_BY(mutex_);
  std::vector<LazyObject*> with_constructors_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_PRECOMPILED_H_
