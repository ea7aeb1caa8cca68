#include "memory/thread_local_blocks.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

constexpr uint8_t kImage[] = {1, 2, 3, 4, 5, 6, 7, 8};

std::unique_ptr<ThreadLocalModule> MakeModule(size_t size = 64, size_t alignment = 8) {
  ThreadLocalModule::Image image;
  image.bytes = kImage;
  image.byte_count = sizeof(kImage);
  image.size = size;
  image.alignment = alignment;
  return ThreadLocalModule::Create(image).value();
}

uint8_t* Find(const ThreadLocalDescriptor& descriptor) {
  return static_cast<uint8_t*>(AddressOfThreadLocal(descriptor));
}

TEST(ThreadLocalBlocksTest, BlockBeginsWithTheImageAndGoesOnWithZeros) {
  const auto module = MakeModule(100);
  const uint8_t* const block = Find(module->DescriptorAt(0));
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(block[i], i < sizeof(kImage) ? kImage[i] : 0);
  EXPECT_EQ(Find(module->DescriptorAt(50)), block + 50);
}

TEST(ThreadLocalBlocksTest, ThreadsHaveBlocksOfTheirOwn) {
  const auto module = MakeModule();
  *Find(module->DescriptorAt(3)) = 77;
  std::thread([&] {
    EXPECT_EQ(*Find(module->DescriptorAt(3)), kImage[3]);
    *Find(module->DescriptorAt(3)) = 78;
  }).join();
  EXPECT_EQ(*Find(module->DescriptorAt(3)), 77);
}

TEST(ThreadLocalBlocksTest, BlocksAreAligned) {
  for (const size_t alignment : {1, 64, 4096, 65536}) {
    const auto module = MakeModule(alignment + 8, alignment);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(Find(module->DescriptorAt(0))) % alignment, 0u);
  }
}

TEST(ThreadLocalBlocksTest, NullAndComputedVariables) {
  EXPECT_EQ(Find(NullThreadLocal()), nullptr);
  static int variable = 0;
  const auto descriptor = ComputedThreadLocal([](void* argument) { return argument; }, &variable);
  EXPECT_EQ(AddressOfThreadLocal(descriptor), &variable);
}

// A key's destructor still finds what the thread has left, however late the key was made.
TEST(ThreadLocalBlocksTest, BlocksOutliveTheDestructorsOfKeys) {
  static ThreadLocalModule* module = nullptr;
  static uint8_t found = 0;
  const auto owner = MakeModule();
  module = owner.get();
  std::thread([] {
    *Find(module->DescriptorAt(1)) = 42;
    pthread_key_t key;
    pthread_key_create(&key, [](void*) { found = *Find(module->DescriptorAt(1)); });
    pthread_setspecific(key, &found);
  }).join();
  EXPECT_EQ(found, 42);
}

// An access in a signal handler while the thread makes a block itself, and in one that interrupts
// another thread's.
TEST(ThreadLocalBlocksTest, HandlersReachVariables) {
  static ThreadLocalModule* module = nullptr;
  static std::atomic<int> handled{0};
  const auto owner = MakeModule();
  module = owner.get();
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) {
    if (*Find(module->DescriptorAt(2)) == kImage[2]) ++handled;
  };
  sigaction(SIGUSR1, &action, &before);
  std::thread([] { raise(SIGUSR1); }).join();
  raise(SIGUSR1);
  EXPECT_EQ(handled, 2);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(ThreadLocalBlocksTest, RemovalFreesTheBlocksOfAllThreads) {
  const size_t before = CountThreadLocalMemory().blocks;
  auto module = MakeModule();
  const auto other = MakeModule();
  constexpr int kThreads = 20;
  absl::BlockingCounter have_blocks(kThreads);
  absl::Notification is_removed;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      Find(module->DescriptorAt(0));
      *Find(other->DescriptorAt(0)) = 9;
      have_blocks.DecrementCount();
      is_removed.WaitForNotification();
      EXPECT_EQ(*Find(other->DescriptorAt(0)), 9);
    });
  }
  have_blocks.Wait();
  EXPECT_EQ(CountThreadLocalMemory().blocks, before + 2 * kThreads);
  module = nullptr;
  EXPECT_EQ(CountThreadLocalMemory().blocks, before + kThreads);
  is_removed.Notify();
  for (std::thread& thread : threads) thread.join();
}

// The next module with the number of a removed one begins with its own image.
TEST(ThreadLocalBlocksTest, NumbersAreUsedAgain) {
  auto first = MakeModule();
  const uint64_t place = first->DescriptorAt(0).place;
  *Find(first->DescriptorAt(0)) = 99;
  first = nullptr;
  const auto second = MakeModule();
  EXPECT_EQ(second->DescriptorAt(0).place, place);
  EXPECT_EQ(*Find(second->DescriptorAt(0)), kImage[0]);
}

TEST(ThreadLocalBlocksTest, ModulesAndThreadsThatAreGoneTakeNoMemory) {
  constexpr int kModules = 50, kThreads = 30;
  const auto run = [] {
    std::vector<std::unique_ptr<ThreadLocalModule>> modules;
    for (int i = 0; i < kModules; ++i) modules.push_back(MakeModule(64 * i + 8));
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (const auto& module : modules) EXPECT_EQ(*Find(module->DescriptorAt(1)), kImage[1]);
      });
    }
    for (std::thread& thread : threads) thread.join();
  };
  run();
  const ThreadLocalMemory before = CountThreadLocalMemory();
  for (int i = 0; i < 10; ++i) run();
  const ThreadLocalMemory after = CountThreadLocalMemory();
  EXPECT_EQ(after.blocks, before.blocks);
  // The system may still know the thread that has ended last.
  EXPECT_LE(after.threads, before.threads + 2);
  // What small blocks have taken is kept; how much depends on which threads have run at once.
  EXPECT_LE(after.bytes, before.bytes + (size_t{8} << 20));
}

TEST(ThreadLocalBlocksTest, ForkedChildKeepsTheBlocksOfItsThread) {
  const auto module = MakeModule();
  *Find(module->DescriptorAt(5)) = 55;
  absl::Notification has_block, is_over;
  std::thread other([&] {
    Find(module->DescriptorAt(5));
    has_block.Notify();
    is_over.WaitForNotification();
  });
  has_block.WaitForNotification();
  const pid_t child = fork();
  if (child == 0) {
    const bool is_kept = *Find(module->DescriptorAt(5)) == 55;
    const bool is_alone = CountThreadLocalMemory().threads == 1;
    bool has_new = false;
    std::thread([&] { has_new = *Find(module->DescriptorAt(5)) == kImage[5]; }).join();
    _exit((is_kept ? 0 : 1) | (is_alone ? 0 : 2) | (has_new ? 0 : 4));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(*Find(module->DescriptorAt(5)), 55);
  is_over.Notify();
  other.join();
}

// The child of `make_child` ends with the result of `in_child`.
template <typename InChild>
int StatusOfChild(pid_t (*make_child)(), const InChild& in_child) {
  const pid_t child = make_child();
  if (child == 0) _exit(in_child());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// No handler runs in such a child, and its first thread has another number.
TEST(ThreadLocalBlocksTest, ChildOfASystemCallKeepsTheBlocksOfItsThread) {
  const auto module = MakeModule();
  *Find(module->DescriptorAt(5)) = 55;
  const auto make_child = [] {
    return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  };
  const int status = StatusOfChild(make_child, [&] {
    // Another thread looks for dead ones.
    std::thread([] { CountThreadLocalMemory(); }).join();
    const auto other = MakeModule();
    *Find(other->DescriptorAt(5)) = 66;
    return *Find(module->DescriptorAt(5)) == 55 ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

// Such a child has the parent's memory, and in its process there are no other threads.
TEST(ThreadLocalBlocksTest, ChildOfVforkLeavesTheBlocksOfItsParentsThreads) {
  const auto module = MakeModule();
  constexpr int kThreads = 40;
  absl::BlockingCounter have_blocks(kThreads);
  absl::Notification is_over;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      *Find(module->DescriptorAt(0)) = static_cast<uint8_t>(i);
      have_blocks.DecrementCount();
      is_over.WaitForNotification();
      if (*Find(module->DescriptorAt(0)) != i) ++wrong;
    });
  }
  have_blocks.Wait();
  const size_t before = CountThreadLocalMemory().threads;
  std::thread([&] {
    const int status = StatusOfChild(vfork, [&] {
      *Find(module->DescriptorAt(0)) = 200;
      CountThreadLocalMemory();
      return 0;
    });
    EXPECT_EQ(status, 0);
    // The thread has got its blocks in the child, and its number afterwards.
    const auto other = MakeModule();
    Find(other->DescriptorAt(0));
  }).join();
  is_over.Notify();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (int i = 0; i < 100 && CountThreadLocalMemory().threads > before; ++i) usleep(10'000);
  EXPECT_LE(CountThreadLocalMemory().threads, before);
}

// In the block of the test's own file.
alignas(64) thread_local uint8_t in_file[128] = {};

// The dynamic linker's number of the file, and the place of `in_file` in its block.
std::pair<size_t, uint64_t> PlaceInFile() {
  std::pair<size_t, uint64_t> place;
  const auto visit = [](dl_phdr_info* info, size_t, void* data) {
    auto& found = *static_cast<std::pair<size_t, uint64_t>*>(data);
    found.first = info->dlpi_tls_modid;
    found.second =
        reinterpret_cast<uint64_t>(in_file) - reinterpret_cast<uint64_t>(info->dlpi_tls_data);
    return 1;  // The first file is the executable.
  };
  dl_iterate_phdr(visit, &place);
  return place;
}

TEST(ThreadLocalBlocksTest, BlocksMayLieInThoseOfAFile) {
  const auto [file, offset] = PlaceInFile();
  const size_t blocks = CountThreadLocalMemory().blocks;
  {
    const auto module = MakeModule(64, 64);
    EXPECT_EQ(module->size(), 64u);
    EXPECT_EQ(module->alignment(), 64u);
    ASSERT_TRUE(module->PlaceIn(file, offset));
    const auto check = [&] {
      EXPECT_EQ(Find(module->DescriptorAt(3)), in_file + 3);
      EXPECT_EQ(in_file[3], kImage[3]);
      EXPECT_EQ(in_file[64], 0);
      in_file[3] = 99;
      EXPECT_EQ(*Find(module->DescriptorAt(3)), 99);
    };
    check();
    std::thread(check).join();
    EXPECT_FALSE(module->PlaceIn(file, offset));
    VisitThreadLocalBlocks([&](const char* begin, const char* end) {
      const auto* const own = reinterpret_cast<const char*>(in_file);
      EXPECT_TRUE(end <= own || begin > own);
    });
  }
  EXPECT_EQ(CountThreadLocalMemory().blocks, blocks);
}

TEST(ThreadLocalBlocksTest, AModuleThatHasABlockStaysWhereItIs) {
  const auto [file, offset] = PlaceInFile();
  const auto module = MakeModule();
  uint8_t* const block = Find(module->DescriptorAt(0));
  EXPECT_FALSE(module->PlaceIn(file, offset));
  EXPECT_EQ(Find(module->DescriptorAt(0)), block);
  std::thread([&] { EXPECT_NE(Find(module->DescriptorAt(0)), in_file); }).join();
}

TEST(ThreadLocalBlocksTest, ManyThreadsAtOnce) {
  std::vector<std::unique_ptr<ThreadLocalModule>> modules;
  for (int i = 0; i < 10; ++i) modules.push_back(MakeModule());
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 100; ++round) {
        const auto own = MakeModule();
        *Find(own->DescriptorAt(0)) = static_cast<uint8_t>(i);
        for (const auto& module : modules) *Find(module->DescriptorAt(0)) = static_cast<uint8_t>(i);
        EXPECT_EQ(*Find(own->DescriptorAt(0)), i);
        for (const auto& module : modules) EXPECT_EQ(*Find(module->DescriptorAt(0)), i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace firstcall
