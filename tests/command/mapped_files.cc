// Prints the files that are mapped into its process, and "done". With an argument, it first calls a
// function that it does not call otherwise.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

__attribute__((noinline)) int Thrower(int x) {
  if (x != 0) throw x;
  return 0;
}

extern "C" __attribute__((noinline)) int other() {
  try {
    return Thrower(3);
  } catch (int x) {
    std::cout << "caught " << x << "\nother" << std::endl;
  }
  return 7;
}

int main(int argc, char** argv) {
  std::set<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t path = line.find('/');
    if (path != std::string::npos && files.insert(line.substr(path)).second) {
      std::cout << line.substr(path) << "\n";
    }
  }
  const int status = argc > 1 && std::strcmp(argv[1], "other") == 0 ? other() : 0;
  std::cout << "done" << std::endl;
  return status;
}
