// A shared library that replaces a function of the C library, and operator new, whose blocks only
// its own operator delete can free.

#include "replaces.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

constexpr long kMark = 0x6e6577;

struct alignas(16) Header {
  long mark;
};

std::atomic<int> live_blocks{0};

// Constructors get the program's arguments, which begin with its name.
__attribute__((constructor)) void Construct(int argc, char** argv, char** environment) {
  std::printf("library:");
  for (int i = 1; i < argc; ++i) std::printf(" '%s'", argv[i]);
  std::printf("; %s\n", argv[argc] == nullptr && environment == argv + argc + 1 ? "all" : "more");
  std::printf("preloaded: %s\n", std::getenv("LD_PRELOAD") == nullptr ? "no" : "yes");
}

}  // namespace

int LiveBlocks() { return live_blocks; }

extern "C" int rand() noexcept { return -5; }

int Draw() { return rand(); }

std::string Repeat(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

void* operator new(std::size_t size) {
  auto* header = static_cast<Header*>(std::malloc(sizeof(Header) + size));
  if (header == nullptr) throw std::bad_alloc();
  header->mark = kMark;
  ++live_blocks;
  return header + 1;
}

void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  Header* header = static_cast<Header*>(block) - 1;
  if (header->mark != kMark) {
    std::printf("a block of another operator new\n");
    std::abort();
  }
  header->mark = 0;
  --live_blocks;
  std::free(header);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
