#include "runtime/process/collector_roots.h"

#include <csignal>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/signal_hold.h"
#include "gtest/gtest.h"
#include "memory/thread_local_blocks.h"
#include "memory/variable_memory.h"

namespace firstcall {
namespace {

// A collector that notes what it is given.
std::vector<std::pair<const void*, const void*>> pushed;
int pushes_of_others = 0;
void PushRootsOfOthers() { ++pushes_of_others; }
void (*push_other_roots)() = PushRootsOfOthers;

void SetPushOtherRoots(void (*function)()) { push_other_roots = function; }
auto GetPushOtherRoots() { return push_other_roots; }
void PushAllEager(void* begin, void* end) { pushed.emplace_back(begin, end); }

void* FindPart(const char* name) {
  if (std::strcmp(name, "GC_set_push_other_roots") == 0) {
    return reinterpret_cast<void*>(SetPushOtherRoots);
  }
  if (std::strcmp(name, "GC_get_push_other_roots") == 0) {
    return reinterpret_cast<void*>(GetPushOtherRoots);
  }
  return nullptr;
}

int GetSuspendSignal() { return SIGPWR; }
int GetRestartSignal() { return SIGXCPU; }

void* FindAll(const char* name) {
  if (std::strcmp(name, "GC_push_all_eager") == 0) return reinterpret_cast<void*>(PushAllEager);
  if (std::strcmp(name, "GC_get_suspend_signal") == 0) {
    return reinterpret_cast<void*>(GetSuspendSignal);
  }
  if (std::strcmp(name, "GC_get_thr_restart_signal") == 0) {
    return reinterpret_cast<void*>(GetRestartSignal);
  }
  return FindPart(name);
}

bool IsHeldBack(int signal) {
  sigset_t mask;
  const SignalHold hold = SignalHold::Begin();
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  hold.End();
  return sigismember(&mask, signal) == 1;
}

// Whether a collection now takes the `size` bytes at `begin` for roots.
bool AreRoots(const void* begin, size_t size) {
  pushed.clear();
  push_other_roots();
  for (const auto& [first, last] : pushed) {
    if (begin >= first && static_cast<const char*>(begin) + size <= last) return true;
  }
  return false;
}

// In this order, because a process has one collector.
TEST(CollectorRootsTest, NeedsAllFunctionsOfTheCollector) {
  CollectorRoots::Find(FindPart);
  EXPECT_EQ(push_other_roots, PushRootsOfOthers);
}

TEST(CollectorRootsTest, VariablesAreRootsAsLongAsTheyExist) {
  static int before[4], after[4];
  auto first =
      std::make_unique<VariableMemory::Piece>(VariableMemory::OfProcess(), before, sizeof(before));
  CollectorRoots::Find(FindAll);
  auto second =
      std::make_unique<VariableMemory::Piece>(VariableMemory::OfProcess(), after, sizeof(after));
  EXPECT_TRUE(AreRoots(before, sizeof(before)));
  EXPECT_TRUE(AreRoots(after, sizeof(after)));
  first = nullptr;
  EXPECT_FALSE(AreRoots(before, 1));
  EXPECT_TRUE(AreRoots(after, sizeof(after)));
  second = nullptr;
  EXPECT_FALSE(AreRoots(after, 1));
}

TEST(CollectorRootsTest, BlocksOfThreadLocalVariablesAreRoots) {
  CollectorRoots::Find(FindAll);
  ThreadLocalModule::Image image;
  image.size = 40;
  image.alignment = 8;
  auto module = ThreadLocalModule::Create(image).value();
  const void* const variable = AddressOfThreadLocal(module->DescriptorAt(0));
  EXPECT_TRUE(AreRoots(variable, 40));
  module = nullptr;
  EXPECT_FALSE(AreRoots(variable, 1));
}

TEST(CollectorRootsTest, WhatTheCollectorHadStaysAndIsAskedOnce) {
  CollectorRoots::Find(FindAll);
  CollectorRoots::Find(FindAll);
  pushes_of_others = 0;
  push_other_roots();
  EXPECT_EQ(pushes_of_others, 1);
}

TEST(CollectorRootsTest, SignalsByWhichItStopsThreadsAreNotHeldBack) {
  CollectorRoots::Find(FindAll);
  HeldSignals::AddAll();
  EXPECT_FALSE(IsHeldBack(SIGPWR));
  EXPECT_FALSE(IsHeldBack(SIGXCPU));
  EXPECT_TRUE(IsHeldBack(SIGUSR1));
}

}  // namespace
}  // namespace firstcall
