// What compiled code needs as long as it can run, which may be longer than its engine lives:
// memory, unwind tables, stubs, counters, and access to the process's thread-local variables.
//
// Thread-safe, as its parts are. Tested in tests/api/memory_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_CODE_SPACE_H_
#define FIRSTCALL_RUNTIME_LINK_CODE_SPACE_H_

#include <functional>
#include <memory>

#include "absl/strings/string_view.h"
#include "memory/arena_memory.h"
#include "memory/memory_manager.h"
#include "memory/owned_code.h"
#include "memory/unwind_registry.h"
#include "runtime/link/call_run_outs.h"
#include "runtime/link/hotness_counters.h"
#include "runtime/link/promotion_counters.h"
#include "runtime/process/host_thread_locals.h"
#include "stubs/call_counter.h"
#include "stubs/code_block.h"
#include "stubs/stub_table.h"

namespace firstcall {

class CodeSpace {
 public:
  using BlockObserver =
      std::function<void(ExecutorAddress code, size_t size, absl::string_view name)>;

  // `memory` is the client's manager, or null: then modules lie in the arenas, too.
  // `block_observer` is told of each block of stubs or call counters that is made; may be empty.
  CodeSpace(std::shared_ptr<ArenaMemory> arenas, std::shared_ptr<MemoryManager> memory,
            StubTable::FirstCallHandler first_call_handler, BlockObserver block_observer);

  ArenaMemory& arenas() const { return *arenas_; }
  StubTable& stubs() { return stubs_; }
  HotnessCounters& hotness_counters() { return hotness_counters_; }
  CallCounters& call_counters() { return call_counters_; }
  CallRunOuts& call_run_outs() { return call_run_outs_; }
  // Frees the counters. Nothing may count with them any more.
  void Free(const PromotionCounters& counters);
  HostThreadLocals& host_thread_locals() { return host_thread_locals_; }

  // Owns the code of one further module or object.
  std::unique_ptr<OwnedCode> MakeOwner() const;

  // The MemoryRequest::near of code that must be near the first arena; null if the code may be far,
  // or if the memory is the client's.
  ExecutorAddress NearFor(bool is_far) const {
    return is_far || !has_own_memory() ? ExecutorAddress() : arenas_->near_first();
  }

  // Whether code of a new module must be able to lie out of reach of the stubs and of everything
  // else in the first arena.
  bool MustBeFar() const { return !has_own_memory() || arenas_->first().IsNearlyFull(); }

  // Whether near code can call `address` directly. In a client's memory no code is near.
  bool IsReachedByCalls(ExecutorAddress address) const {
    return has_own_memory() && arenas_->first().IsReachedByCalls(address);
  }

  // Whether the engine may write data after it was finalized. A client's memory is not told.
  bool MayRewriteData() const { return has_own_memory(); }

  // Whether near code can refer to `address` by a 32-bit distance.
  bool IsNear(ExecutorAddress address) const {
    return has_own_memory() && arenas_->first().Contains(address);
  }

 private:
  // Returns a function that announces blocks called `name` to the debugger and to the observer.
  CodeBlock::Announce AnnounceAs(const char* name);
  bool has_own_memory() const { return memory_ == arenas_; }

  const std::shared_ptr<ArenaMemory> arenas_;
  const std::shared_ptr<MemoryManager> memory_;
  const std::shared_ptr<UnwindRegistry> unwind_registry_;
  const BlockObserver block_observer_;  // May be empty.
  StubTable stubs_;
  HotnessCounters hotness_counters_;
  CallRunOuts call_run_outs_;
  CallCounters call_counters_;
  HostThreadLocals host_thread_locals_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_CODE_SPACE_H_
