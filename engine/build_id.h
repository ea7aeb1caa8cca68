// Tells which build of a library is running.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_ENGINE_BUILD_ID_H_
#define FIRSTCALL_ENGINE_BUILD_ID_H_

#include <string>

namespace firstcall {

// The GNU build ID (a note that linkers put into ELF files), in hexadecimal, of the library or
// program that contains `address`. Empty if it has none.
std::string BuildIdOf(const void* address);

// The same of a file, which need not be loaded. Empty also if it cannot be read.
std::string BuildIdOfFile(const std::string& path);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_BUILD_ID_H_
