// Threads call a stub while another one publishes body after body: whoever gets to a body executes
// the instructions that were written for it, and nobody goes back to an earlier one.

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "memory/unwind_registry.h"
#include "stubs/stub_architecture.h"
#include "stubs/stub_table.h"

namespace firstcall {
namespace {

constexpr uint32_t kBodies = 5000;
constexpr int kCallers = 2;

// The code of a function that returns `value` and is as long as several cache lines, so that a
// stale one would be noticed: it adds up ones from zero.
std::vector<uint8_t> Body(uint32_t value) {
  constexpr uint32_t kOnes = 60;
  std::vector<uint8_t> code;
  const auto append = [&](auto instruction) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&instruction);
    code.insert(code.end(), bytes, bytes + sizeof(instruction));
  };
  const uint32_t start = value - kOnes;
#if defined(__aarch64__)
  append(uint32_t{0x52800000 | (start & 0xffff) << 5});               // movz w0, #low
  append(uint32_t{0x72a00000 | (start >> 16) << 5});                  // movk w0, #high, lsl #16
  for (uint32_t i = 0; i < kOnes; ++i) append(uint32_t{0x11000400});  // add w0, w0, #1
  append(uint32_t{0xd65f03c0});                                       // ret
#else
  append(uint8_t{0xb8});  // mov $start, %eax
  append(start);
  for (uint32_t i = 0; i < kOnes; ++i) append(uint16_t{0xc0ff});  // inc %eax
  append(uint8_t{0xc3});                                          // ret
#endif
  return code;
}

int NotYet() { return 0; }

TEST(PublishStressTest, NobodyRunsStaleInstructions) {
  ArenaMemoryOptions options;
  options.sizes = {4 << 20, 1 << 20, 1 << 20};
  const std::shared_ptr<ArenaMemory> memory =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), options).value();
  const auto unwind_registry = std::make_shared<UnwindRegistry>();
  StubTable stubs(HostStubArchitecture(), memory, unwind_registry, [](const std::atomic<void*>&) {
    return ExecutorAddress::Of(reinterpret_cast<const void*>(&NotYet));
  });
  const Stub stub = stubs.Make(nullptr).value();
  const auto function = stub.address().InThisProcess<uint32_t (*)()>();

  // The bodies that callers may and must see: written around each publication.
  std::atomic<uint32_t> at_most{0}, at_least{0};
  std::atomic<uint64_t> calls{0};
  std::atomic<uint32_t> wrong{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&] {
      uint32_t last = 0;
      while (last < kBodies && wrong == 0) {
        const uint32_t least = at_least.load(std::memory_order_acquire);
        const uint32_t result = function();
        const uint32_t most = at_most.load(std::memory_order_acquire);
        if (result < least || result > most || result < last) ++wrong;
        last = result;
        calls.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  for (uint32_t value = 1; value <= kBodies; ++value) {
    const std::vector<uint8_t> code = Body(value);
    MemoryRequest request;
    request.segment = Segment::kCode;
    request.size = code.size();
    request.alignment = 16;
    request.near = memory->near_first();
    const MemoryBlock block = memory->Allocate(request).value();
    std::memcpy(block.write, code.data(), code.size());
    if (!memory->Finalize({block}).ok()) std::abort();
    at_most.store(value, std::memory_order_release);
    stub.Publish(block.run);
    at_least.store(value, std::memory_order_release);
    if (value % 16 == 0) std::this_thread::yield();
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_GE(calls, uint64_t{kCallers});
}

}  // namespace
}  // namespace firstcall
