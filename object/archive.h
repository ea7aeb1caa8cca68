// Reads archives of objects ("ar"), in the formats of System V and GNU, of BSD, and thin ones.
//
// Thread-safe: a pure function. Tested in tests/object/archive_test.cc.

#ifndef FIRSTCALL_OBJECT_ARCHIVE_H_
#define FIRSTCALL_OBJECT_ARCHIVE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "object/object_bytes.h"

namespace firstcall {

// Calls `action` for each member of the archive `path`, in their order, with the name
// "path(member)" and the member's contents. Stops at the first error, which it returns. NotFound if
// the archive, or a file that a thin archive names, cannot be read; InvalidArgument if it is no
// archive or is damaged.
absl::Status ForEachMember(
    const std::string& path,
    absl::FunctionRef<absl::Status(std::string name, ObjectBytes contents)> action);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_ARCHIVE_H_
