#include "memory/variable_memory.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "memory/memory_manager.h"
#include "memory/owned_code.h"
#include "memory/thread_local_blocks.h"
#include "memory/unwind_registry.h"

namespace firstcall {
namespace {

bool IsVisited(const void* variable) {
  bool is_found = false;
  VariableMemory::OfProcess().Visit([&](const char* begin, const char* end) {
    is_found = is_found || (variable >= begin && variable < end);
  });
  return is_found;
}

std::unique_ptr<VariableMemory::Piece> MakePiece(const void* begin, size_t size) {
  return std::make_unique<VariableMemory::Piece>(VariableMemory::OfProcess(), begin, size);
}

TEST(VariableMemoryTest, APieceIsVisitedAsLongAsItIsThere) {
  static char variables[3];
  auto first = MakePiece(&variables[0], 1);
  auto second = MakePiece(&variables[1], 1);
  auto third = MakePiece(&variables[2], 1);
  for (const char& variable : variables) EXPECT_TRUE(IsVisited(&variable));
  second = nullptr;
  EXPECT_TRUE(IsVisited(&variables[0]));
  EXPECT_FALSE(IsVisited(&variables[1]));
  EXPECT_TRUE(IsVisited(&variables[2]));
  third = nullptr;
  EXPECT_TRUE(IsVisited(&variables[0]));
  EXPECT_FALSE(IsVisited(&variables[2]));
  first = nullptr;
  EXPECT_FALSE(IsVisited(&variables[0]));
}

TEST(VariableMemoryTest, OfWhatAModuleOwnsOnlyDataIsVisited) {
  const auto arenas =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), {{64 << 10, 64 << 10, 64 << 10}})
          .value();
  auto owner = std::make_unique<OwnedCode>(arenas, std::make_shared<UnwindRegistry>());
  const auto allocate = [&](Segment segment) {
    MemoryRequest request;
    request.segment = segment;
    request.size = 64;
    return arenas->Allocate(request).value();
  };
  const MemoryBlock data = allocate(Segment::kData);
  const MemoryBlock read_only = allocate(Segment::kReadOnly);
  owner->Add({data, read_only}, {});
  EXPECT_TRUE(IsVisited(data.write));
  EXPECT_TRUE(IsVisited(data.write + 63));
  EXPECT_FALSE(IsVisited(read_only.write));
  EXPECT_FALSE(IsVisited(read_only.run.InThisProcess<const void*>()));
  owner = nullptr;
  EXPECT_FALSE(IsVisited(data.write));
}

TEST(VariableMemoryTest, BlocksOfThreadsAreVisitedUntilTheThreadsEnd) {
  ThreadLocalModule::Image image;
  image.size = 4096;
  image.alignment = 8;
  const auto module = ThreadLocalModule::Create(image).value();
  const void* block = nullptr;
  absl::Notification made, looked;
  std::thread thread([&] {
    block = AddressOfThreadLocal(module->DescriptorAt(100));
    made.Notify();
    looked.WaitForNotification();
  });
  made.WaitForNotification();
  EXPECT_TRUE(IsVisited(block));
  looked.Notify();
  thread.join();
  // The system takes a thread for alive for a moment after it was joined.
  while (IsVisited(block)) usleep(100);
}

// A collector stops threads by signals, and looks for roots meanwhile.
TEST(VariableMemoryTest, VisitsWhileAnotherThreadIsStopped) {
  static std::atomic<int> stopped{0}, released{0};
  static std::atomic<bool> is_over{false};
  signal(SIGUSR1, [](int) {
    const int number = ++stopped;
    while (released < number) usleep(10);
  });
  std::thread thread([] {
    static int variable;
    while (!is_over) const auto piece = MakePiece(&variable, sizeof(variable));
  });
  for (int i = 1; i <= 200; ++i) {
    pthread_kill(thread.native_handle(), SIGUSR1);
    while (stopped < i) usleep(10);
    VariableMemory::OfProcess().Visit([](const char*, const char*) {});
    released = i;
  }
  is_over = true;
  thread.join();
}

TEST(VariableMemoryTest, AForkedChildHasThePieces) {
  static std::atomic<bool> is_over{false};
  std::thread thread([] {
    static int variable;
    while (!is_over) const auto piece = MakePiece(&variable, sizeof(variable));
  });
  static int variable;
  const auto piece = MakePiece(&variable, sizeof(variable));
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(IsVisited(&variable) ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  is_over = true;
  thread.join();
}

}  // namespace
}  // namespace firstcall
