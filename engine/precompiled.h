// Reads compiled objects and archives, which are linked when they are needed.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_PRECOMPILED_H_
#define FIRSTCALL_ENGINE_PRECOMPILED_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "engine/code_space.h"
#include "engine/definitions.h"
#include "engine/lazy_object.h"

namespace firstcall {

class PrecompiledObjects {
 public:
  // Both must outlive the objects.
  PrecompiledObjects(ExitHandlers& exit_handlers, const CodeSpace& code_space)
      : exit_handlers_(exit_handlers), code_space_(code_space) {}

  // Read the file and add its definitions to `definitions`, which must not outlive this object.
  // Errors as Engine::AddObjectFile and AddArchive. After an error in an archive, the members
  // before the faulty one stay added.
  absl::Status AddObjectFile(const std::string& path, LibraryId library, Definitions& definitions)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status AddArchive(const std::string& path, LibraryId library, Definitions& definitions)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The object files that have constructors or destructors, in the order of addition. Unlike
  // members of an archive, they are linked even if nothing refers to them.
  std::vector<LazyObject*> ObjectsWithConstructors() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Status Add(std::string name, absl::string_view contents, bool is_archive_member,
                   LibraryId library, Definitions& definitions) ABSL_LOCKS_EXCLUDED(mutex_);

  ExitHandlers& exit_handlers_;
  const CodeSpace& code_space_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<LazyObject>> objects_ ABSL_GUARDED_BY(mutex_);
  std::vector<LazyObject*> with_constructors_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_PRECOMPILED_H_
