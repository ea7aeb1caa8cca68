// Files whose names others can predict, in directories in which others may make files, as
// /tmp/perf-PID.map.
//
// Thread-safe: pure functions. Tested in tests/command/observation_test.cc.

#ifndef FIRSTCALL_TOOLS_NEW_FILE_H_
#define FIRSTCALL_TOOLS_NEW_FILE_H_

#include <string>

#include "base/file.h"

namespace firstcall {

// Makes a new file, which belongs to this user and which nobody has open, and opens it with `flags`
// of open(2). If the name was taken, it is taken away from what had it, which stays as it was: a
// file of an earlier process with the same number, or a link that somebody has put there. If that
// is not allowed, as for a file of another user in /tmp, there is no open file, and errno is set.
File MakeNewFile(const std::string& path, int flags);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_NEW_FILE_H_
