// The version of firstcall.

#ifndef FIRSTCALL_BASE_VERSION_H_
#define FIRSTCALL_BASE_VERSION_H_

namespace firstcall {

// The version of the library that is linked in or loaded, "0.1.0" for example. Zero-terminated;
// exists as long as the process. Thread-safe.
const char* Version();

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_VERSION_H_
