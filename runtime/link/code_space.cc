#include "runtime/link/code_space.h"

#include <utility>

#include "object/debugger_stubs.h"
#include "runtime/process/collector_roots.h"
#include "stubs/stub_architecture.h"
#include "stubs/thread_local_resolver.h"

namespace firstcall {

CodeSpace::CodeSpace(std::shared_ptr<ArenaMemory> arenas, std::shared_ptr<MemoryManager> memory,
                     StubTable::FirstCallHandler first_call_handler, BlockObserver block_observer)
    : arenas_(std::move(arenas)),
      memory_(memory != nullptr ? std::move(memory) : arenas_),
      unwind_registry_(UnwindRegistry::OfProcess()),
      block_observer_(std::move(block_observer)),
      stubs_(HostStubArchitecture(), arenas_, unwind_registry_, first_call_handler,
             AnnounceAs("(stubs)")),
      hotness_counters_(arenas_),
      call_counters_(
          HostStubArchitecture(), arenas_, unwind_registry_,
          [this](const CallCounter& counter) { call_run_outs_.Notice(counter); },
          AnnounceAs("(call counters)")) {
  InstallThreadLocalResolvers();
}

CodeBlock::Announce CodeSpace::AnnounceAs(const char* name) {
  return [this, name](ExecutorAddress code, size_t size, ExecutorAddress table,
                      absl::Span<const uint8_t> unwind_table) {
    if (block_observer_) block_observer_(code, size, name);
    return RegisterStubsWithDebugger(code, size, table, unwind_table);
  };
}

void CodeSpace::Free(const PromotionCounters& counters) {
  if (counters.polls != nullptr) hotness_counters_.Free(counters.polls);
  if (counters.calls) call_counters_.Free(*counters.calls);
}

std::unique_ptr<OwnedCode> CodeSpace::MakeOwner() const {
  // When something is added, no lock is held that compiled code may need.
  unwind_registry_->FindUnwinders();
  CollectorRoots::FindInProcess();
  return std::make_unique<OwnedCode>(memory_, unwind_registry_);
}

}  // namespace firstcall
