// A debugger that counts what it is told of.

#ifndef FIRSTCALL_TESTS_API_COUNTING_DEBUGGER_H_
#define FIRSTCALL_TESTS_API_COUNTING_DEBUGGER_H_

#include <cstddef>
#include <vector>

#include "object/debugger_registration.h"

namespace firstcall {

struct Told {
  size_t objects = 0;
  // The sum over all objects of the number of objects that the debugger knew then.
  size_t visits = 0;
  size_t bytes = 0;
};

// Pretends to be a debugger that stops at a function of its own, until it is destroyed. Make it
// after the engine, which installs LLVM's listener. For one thread.
class CountingDebugger {
 public:
  CountingDebugger() {
    const DebuggerRegistrar count = [this](std::vector<char> image) {
      told_.visits += ++told_.objects;
      told_.bytes += image.size();
      return [] {};
    };
    SetDebuggerRegistrar(count, breakpoint_);
  }
  ~CountingDebugger() { SetDebuggerRegistrar(nullptr); }
  CountingDebugger(const CountingDebugger&) = delete;
  CountingDebugger& operator=(const CountingDebugger&) = delete;

  const Told& told() const { return told_; }

 private:
  // INT3 or BRK #0.
#if defined(__x86_64__)
  alignas(4) unsigned char breakpoint_[4] = {0xcc};
#else
  alignas(4) unsigned char breakpoint_[4] = {0, 0, 0x20, 0xd4};
#endif
  Told told_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_API_COUNTING_DEBUGGER_H_
