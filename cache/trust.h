// Whether a file or a directory can be trusted whose contents will run. Tested in
// tests/cache/disk_cache_test.cc.

#ifndef FIRSTCALL_CACHE_TRUST_H_
#define FIRSTCALL_CACHE_TRUST_H_

#include <sys/stat.h>

#include <string>

namespace firstcall {

// Why another user (other than root) may have written the contents; empty if that is impossible.
// Thread-safe.
std::string ReasonForDistrust(const struct stat& status);

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_TRUST_H_
