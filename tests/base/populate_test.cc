#include "base/populate.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

constexpr size_t kSize = size_t{1} << 20;

size_t PresentPages(void* begin) {
  std::vector<unsigned char> pages(kSize / static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(mincore(begin, kSize, pages.data()), 0);
  size_t present = 0;
  for (unsigned char page : pages) present += page & 1;
  return present;
}

// Memory that was never used.
class Memory {
 public:
  Memory()
      : begin_(mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Memory() { munmap(begin_, kSize); }
  char* begin() const { return static_cast<char*>(begin_); }

 private:
  void* const begin_;
};

TEST(PopulateTest, AFewBytesAreLeftAlone) {
  const Memory memory;
  PopulateForWriting(memory.begin(), 4096);
  EXPECT_EQ(PresentPages(memory.begin()), 0u);
}

// The contents are what they were, also where a page is only a part of it.
TEST(PopulateTest, ManyAreProvidedAndKeepTheirContents) {
  const Memory memory, other;
  memory.begin()[5] = 'x';
  errno = 7;
  PopulateForWriting(memory.begin() + 100, kSize - 200);
  EXPECT_EQ(errno, 7);
  EXPECT_EQ(memory.begin()[5], 'x');
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which older headers lack.
  if (madvise(other.begin(), kSize, kPopulateWrite) != 0 || PresentPages(other.begin()) == 0) {
    GTEST_SKIP() << "the kernel, or the emulator, cannot do it";
  }
  EXPECT_EQ(PresentPages(memory.begin()) * static_cast<size_t>(sysconf(_SC_PAGESIZE)), kSize);
  EXPECT_EQ(memory.begin()[kSize / 2], 0);
}

}  // namespace
}  // namespace firstcall
