// How many processors this process may use at the same time.
//
// Thread-safe. Tested in tests/base/processors_test.cc.

#ifndef FIRSTCALL_BASE_PROCESSORS_H_
#define FIRSTCALL_BASE_PROCESSORS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace firstcall {

// The processors that the calling thread may run on, or what the quotas of its control groups
// allow, if that is less: a container may have half a processor. Reads files of the system. More
// than 0.
double UsableProcessors();

// What the quotas of control groups allow; nullopt if there is none. `membership` is the contents
// of /proc/self/cgroup, and `root` the directory where control groups are mounted,
// "/sys/fs/cgroup". Knows version 1 (cpu.cfs_quota_us) and version 2 (cpu.max). A group's quota
// holds for the groups within it, so the smallest counts.
std::optional<double> ProcessorsOfControlGroups(absl::string_view membership,
                                                const std::string& root);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_PROCESSORS_H_
