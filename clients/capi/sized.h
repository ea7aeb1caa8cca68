// Copies structs between a client and a library that may know different versions of them. Such
// structs begin with their own size, so that they can grow.
//
// Thread-safe. Tested in tests/clients/capi/capi_test.c.

#ifndef FIRSTCALL_CLIENTS_CAPI_SIZED_H_
#define FIRSTCALL_CLIENTS_CAPI_SIZED_H_

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace firstcall::capi {

// Returns a copy of a client's struct, with zeros in the fields that the client does not have.
// InvalidArgument if the struct's size has room for the size only: the client forgot to set it.
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

// Fills in a client's struct, with zeros in the fields that `ours` does not have. InvalidArgument
// as above.
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

#endif  // FIRSTCALL_CLIENTS_CAPI_SIZED_H_
