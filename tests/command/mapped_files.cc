// Prints the files that are mapped into its process, and "done". Before that it runs a program of
// an interpreter, and, with an argument, calls a function that it does not call otherwise.

#include <csetjmp>
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

// An interpreter: computed gotos, which end in a longjmp.
std::jmp_buf before;

__attribute__((noinline)) void Interpret(const unsigned char* code) {
  static const void* const labels[] = {&&increment, &&twice, &&stop};
  int x = 0;
  goto* labels[*code++];
increment:
  ++x;
  goto* labels[*code++];
twice:
  x *= 2;
  goto* labels[*code++];
stop:
  std::longjmp(before, x);
}

__attribute__((noinline)) int Run(const unsigned char* code) {
  const int result = setjmp(before);
  if (result == 0) Interpret(code);
  return result;
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
  const unsigned char code[] = {0, 1, 0, 2};
  if (Run(code) != 3) return 1;
  const int status = argc > 1 && std::strcmp(argv[1], "other") == 0 ? other() : 0;
  std::cout << "done" << std::endl;
  return status;
}
