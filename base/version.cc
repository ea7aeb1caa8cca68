#include "base/version.h"

namespace firstcall {

// FIRSTCALL_VERSION comes from version.bzl.
const char* Version() { return FIRSTCALL_VERSION; }

}  // namespace firstcall
