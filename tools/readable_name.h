// Names of functions for people: in what perf, reports and lines show.
//
// Thread-safe: a pure function. Tested in tests/command/observation_test.cc.

#ifndef FIRSTCALL_TOOLS_READABLE_NAME_H_
#define FIRSTCALL_TOOLS_READABLE_NAME_H_

#include <string>

namespace firstcall {

// The name in the source, if `name` is that of a C++ function; otherwise `name`. Characters that
// would break a line are replaced by '?'.
std::string ReadableName(const std::string& name);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_READABLE_NAME_H_
