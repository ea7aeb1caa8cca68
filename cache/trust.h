// Whether a file or a directory may be believed, when what is in it will run.

#ifndef FIRSTCALL_CACHE_TRUST_H_
#define FIRSTCALL_CACHE_TRUST_H_

#include <sys/stat.h>

#include <string>

namespace firstcall {

// Why somebody other than this user (or root) may have decided what is in it; empty if nobody else
// can have. Thread-safe.
std::string ReasonForDistrust(const struct stat& status);

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_TRUST_H_
