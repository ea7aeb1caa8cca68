// What the system tells of a process's mappings.

#ifndef FIRSTCALL_TESTS_MEMORY_MEMORY_MAPS_H_
#define FIRSTCALL_TESTS_MEMORY_MEMORY_MAPS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "memory/executor_address.h"

namespace firstcall {

struct MemoryMap {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string permissions;  // As "r-xs".
  std::string file;
};

std::vector<MemoryMap> MemoryMapsOf(pid_t process);

// Of what is mapped at `address`: "r-x", or "" if nothing is.
std::string PermissionsAt(pid_t process, ExecutorAddress address);

// Whether core dumps leave out what is mapped at `address`.
bool IsLeftOutOfDumps(pid_t process, ExecutorAddress address);

// How many mappings are both.
int WritableAndExecutable(pid_t process);

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_MEMORY_MEMORY_MAPS_H_
