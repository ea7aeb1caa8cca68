#include "runtime/process/stand_in_file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

extern "C" void* __tls_get_addr(size_t* module_and_offset);

namespace firstcall {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

using Range = std::pair<uintptr_t, size_t>;

Range RangeOf(absl::Span<const char> bytes) {
  return {reinterpret_cast<uintptr_t>(bytes.data()), bytes.size()};
}

// The segments of all loaded files.
std::vector<Range> Segments() {
  std::vector<Range> segments;
  const auto visit = [](dl_phdr_info* info, size_t, void* data) {
    for (size_t i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      static_cast<std::vector<Range>*>(data)->emplace_back(info->dlpi_addr + segment.p_vaddr,
                                                           segment.p_memsz);
    }
    return 0;
  };
  dl_iterate_phdr(visit, &segments);
  return segments;
}

uint8_t* BlockOf(const StandInFile& file) {
  size_t module_and_offset[2] = {file.thread_local_number(), 0};
  return static_cast<uint8_t*>(__tls_get_addr(module_and_offset));
}

std::unique_ptr<StandInFile> Load(const StandInFile::ThreadLocals& thread_locals,
                                  size_t range_count) {
  return StandInFile::Load(thread_locals, range_count).value();
}

TEST(StandInFileTest, TheDynamicLinkerFindsItByItsPointer) {
  const auto first = Load({}, 0);
  const auto second = Load({}, 0);
  EXPECT_EQ(*first->slot(), nullptr);
  *first->slot() = first.get();
  EXPECT_EQ(*second->slot(), nullptr);
  void* handles[2];
  for (const auto* file : {&first, &second}) {
    Dl_info info;
    ASSERT_NE(dladdr((*file)->slot(), &info), 0);
    void* const handle = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
    ASSERT_NE(handle, nullptr);
    EXPECT_EQ(dlsym(handle, "anything"), nullptr);
    dlclose(handle);
    handles[file == &second] = handle;
  }
  EXPECT_NE(handles[0], handles[1]);
  EXPECT_EQ(first->thread_local_number(), 0u);
}

TEST(StandInFileTest, ItsNameLeadsNowhereInAnotherProcess) {
  const auto file = Load({}, 0);
  Dl_info info;
  ASSERT_NE(dladdr(file->slot(), &info), 0);
  const std::string name = info.dli_fname;
  const int descriptor = std::stoi(name.substr(name.rfind('/') + 1));
  const pid_t child = fork();
  if (child == 0) {
    // The other process has a file with the number that the name ends in.
    const int other = open("/dev/null", O_RDONLY);
    if (dup2(other, descriptor) != descriptor) _exit(2);
    _exit(open(name.c_str(), O_RDONLY | O_NONBLOCK) == -1 && errno == ENOENT ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(StandInFileTest, ThreadsHaveABlock) {
  const auto file = Load({1000, 256}, 0);
  ASSERT_NE(file->thread_local_number(), 0u);
  uint8_t* const own = BlockOf(*file);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(own) % 256, 0u);
  for (size_t i = 0; i < 1000; ++i) EXPECT_EQ(own[i], 0);
  own[999] = 1;
  std::thread([&] {
    EXPECT_NE(BlockOf(*file), own);
    EXPECT_EQ(BlockOf(*file)[999], 0);
  }).join();
}

TEST(StandInFileTest, RangesAreShownForATime) {
  static char low[100];
  const auto high = std::make_unique<char[]>(200);
  const std::vector<absl::Span<const char>> ranges = {low, {high.get(), 200}};
  const auto file = Load({}, 3);
  EXPECT_THAT(Segments(), Not(Contains(RangeOf(ranges[0]))));
  {
    const StandInFile::DataShown shown(*file, ranges);
    EXPECT_THAT(Segments(), IsSupersetOf({RangeOf(ranges[0]), RangeOf(ranges[1])}));
  }
  EXPECT_THAT(Segments(), Not(Contains(RangeOf(ranges[0]))));
  EXPECT_THAT(Segments(), Not(Contains(RangeOf(ranges[1]))));
}

TEST(StandInFileTest, ManyRanges) {
  static char bytes[40'000];
  std::vector<absl::Span<const char>> ranges;
  for (char& byte : bytes) ranges.emplace_back(&byte, 1);
  const auto file = Load({}, ranges.size());
  const StandInFile::DataShown shown(*file, ranges);
  EXPECT_THAT(Segments(), IsSupersetOf({RangeOf(ranges.front()), RangeOf(ranges.back())}));
  EXPECT_EQ(StandInFile::Load({}, 70'000).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(StandInFileTest, ItGoes) {
  const size_t before = Segments().size();
  Load({8, 8}, 1);
  EXPECT_EQ(Segments().size(), before);
}

}  // namespace
}  // namespace firstcall
