#include "tests/memory/memory_maps.h"

#include <cstdio>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace firstcall {

std::vector<MemoryMap> MemoryMapsOf(pid_t process) {
  std::vector<MemoryMap> maps;
  std::ifstream file(absl::StrCat("/proc/", process, "/maps"));
  std::string line;
  while (std::getline(file, line)) {
    unsigned long begin, end;
    char permissions[5];
    int name = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %*s %*s %*s %n", &begin, &end, permissions, &name) >=
        3) {
      maps.push_back({begin, end, permissions, line.substr(name)});
    }
  }
  return maps;
}

std::string PermissionsAt(pid_t process, ExecutorAddress address) {
  for (const MemoryMap& map : MemoryMapsOf(process)) {
    if (map.begin <= address.value() && address.value() < map.end) {
      return map.permissions.substr(0, 3);
    }
  }
  return "";
}

bool IsLeftOutOfDumps(pid_t process, ExecutorAddress address) {
  std::ifstream maps(absl::StrCat("/proc/", process, "/smaps"));
  bool is_found = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin, end;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      is_found = begin <= address.value() && address.value() < end;
    } else if (is_found && absl::StartsWith(line, "VmFlags:")) {
      return absl::StrContains(line, " dd");
    }
  }
  return false;
}

int WritableAndExecutable(pid_t process) {
  int count = 0;
  for (const MemoryMap& map : MemoryMapsOf(process)) {
    count += map.permissions[1] == 'w' && map.permissions[2] == 'x';
  }
  return count;
}

}  // namespace firstcall
