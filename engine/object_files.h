// Reads object files and archives of them.
//
// Thread-safe: pure functions. Tested in tests/programs/pair/ping_with_archive.c.

#ifndef FIRSTCALL_ENGINE_OBJECT_FILES_H_
#define FIRSTCALL_ENGINE_OBJECT_FILES_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "code/object_bytes.h"

namespace firstcall {

// The contents of `path`. NotFound if it cannot be read.
absl::StatusOr<ObjectBytes> ReadObjectFile(const std::string& path);

// Calls `action` with the name for messages, "path(member)", and the contents of each member of the
// archive `path`, in their order, until it returns an error, which is returned. NotFound if the
// file cannot be read; InvalidArgument if it is not an archive, or damaged: then `action` was
// called for the members before.
absl::Status ForEachMember(
    const std::string& path,
    absl::FunctionRef<absl::Status(std::string name, ObjectBytes contents)> action);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_OBJECT_FILES_H_
