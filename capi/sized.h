// Structs that begin with their own size, so that they can grow: copied between a client and a
// library that know different versions of one.
//
// Thread-safe.

#ifndef FIRSTCALL_CAPI_SIZED_H_
#define FIRSTCALL_CAPI_SIZED_H_

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace firstcall::capi {

// A copy of a client's struct, with zeros in the fields it does not have. InvalidArgument if there
// is no room in it for anything but its size, which is a client's that forgot to set that.
template <typename T>
absl::StatusOr<T> CopyIn(const T& theirs, const char* name) {
  size_t size;
  std::memcpy(&size, &theirs, sizeof(size));
  if (size <= sizeof(size)) {
    return absl::InvalidArgumentError(absl::StrCat("the struct_size of a ", name, " is ", size));
  }
  T ours = {};
  std::memcpy(&ours, &theirs, std::min(size, sizeof(T)));
  ours.struct_size = sizeof(T);
  return ours;
}

// Fills a client's struct in, with zeros in the fields that `ours` does not have. Errors as above.
template <typename T>
absl::Status CopyOut(const T& ours, T& theirs, const char* name) {
  const size_t size = theirs.struct_size;
  if (size <= sizeof(size)) {
    return absl::InvalidArgumentError(absl::StrCat("the struct_size of a ", name, " is ", size));
  }
  auto* bytes = reinterpret_cast<char*>(&theirs);
  const size_t known = std::min(size, sizeof(T));
  std::memcpy(bytes + sizeof(size), reinterpret_cast<const char*>(&ours) + sizeof(size),
              known - sizeof(size));
  std::memset(bytes + known, 0, size - known);
  return absl::OkStatus();
}

}  // namespace firstcall::capi

#endif  // FIRSTCALL_CAPI_SIZED_H_
