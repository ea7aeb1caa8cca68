// A stub whose first call asks a function of the test, and a counter that calls one when it has run
// out.

#ifndef FIRSTCALL_TESTS_STUBS_FIRST_CALL_H_
#define FIRSTCALL_TESTS_STUBS_FIRST_CALL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "memory/unwind_registry.h"
#include "stubs/call_counter.h"
#include "stubs/stub_architecture.h"
#include "stubs/stub_table.h"

namespace firstcall::testing {

inline std::shared_ptr<ArenaMemory> MemoryForTest() {
  const ArenaSizes sizes = {1 << 20, 1 << 20, 1 << 20};
  return ArenaMemory::Create(std::make_shared<InProcessMapper>(), {sizes}).value();
}

class FirstCall {
 public:
  using Handler = StubTable::FirstCallHandler;

  explicit FirstCall(Handler handler)
      : stubs_(HostStubArchitecture(), MemoryForTest(), std::make_shared<UnwindRegistry>(),
               handler),
        stub_(stubs_.Make(nullptr).value()) {}

  template <typename Function>
  Function* function() const {
    return stub_.address().InThisProcess<Function*>();
  }
  const void* address() const { return stub_.address().InThisProcess<const void*>(); }

 private:
  StubTable stubs_;
  const Stub stub_;
};

// A counter with nothing left to count, which leads to a function of the test.
class RunOut {
 public:
  using Handler = CallCounters::RunOutHandler;

  RunOut(ExecutorAddress body, Handler handler)
      : counters_(HostStubArchitecture(), MemoryForTest(), std::make_shared<UnwindRegistry>(),
                  std::move(handler)),
        counter_(counters_.Make(0).value()) {
    counter_.GoOnTo(body);
  }

  const CallCounter& counter() const { return counter_; }
  template <typename Function>
  Function* function() const {
    return counter_.address().InThisProcess<Function*>();
  }
  const void* address() const { return counter_.address().InThisProcess<const void*>(); }

 private:
  CallCounters counters_;
  const CallCounter counter_;
};

template <typename Function>
ExecutorAddress AddressOf(Function* function) {
  return ExecutorAddress::Of(reinterpret_cast<const void*>(function));
}

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_STUBS_FIRST_CALL_H_
