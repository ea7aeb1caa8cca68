// A shared library gives the program, itself and the C++ library functions in place of those that
// everybody else has.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "replaces.h"

extern "C" char** environ;

namespace {

int (*const in_data)() = std::rand;

// Its text is in memory that the C++ library allocates.
[[noreturn]] void Throw(int value) {
  throw std::runtime_error("a value that is too large for a short text: " + std::to_string(value));
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("main: %d arguments, last but one '%s'\n", argc - 1, argv[argc - 2]);
  int of_command = 0;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    of_command += std::strncmp(*entry, "FIRSTCALL_", 10) == 0;
  }
  std::printf("preloaded: %d; %d\n", std::getenv("LD_PRELOAD") != nullptr, of_command);
  std::printf("%d %d %d\n", std::rand(), Draw(), in_data());
  const int before = LiveBlocks();
  {
    const auto own = std::make_unique<std::vector<int>>(100, 7);
    std::map<std::string, std::string> texts;
    for (int i = 0; i < 10; ++i) texts[std::to_string(i)] = Repeat("a long enough text ", i + 1);
    std::printf("%zu %d more blocks\n", texts["9"].size(), LiveBlocks() - before > 20);
    std::ostringstream out;  // Allocates in the C++ library, and frees here.
    for (int i = 0; i < 100; ++i) out << "line " << i << '\n';
    const std::string text = out.str();
    std::printf("%zu %d\n", text.size(), own->back());
    try {
      Throw(argc);
    } catch (const std::exception& error) {
      std::printf("%s\n", error.what());
    }
  }
  std::printf("%d left\n", LiveBlocks() - before);
  return 0;
}
