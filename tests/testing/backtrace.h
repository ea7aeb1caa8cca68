// Backtraces to compare: what the unwinder finds from here on.

#ifndef FIRSTCALL_TESTS_TESTING_BACKTRACE_H_
#define FIRSTCALL_TESTS_TESTING_BACKTRACE_H_

#include <unwind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace firstcall::testing {

using Backtrace = std::vector<uintptr_t>;

inline Backtrace TakeBacktrace() {
  Backtrace frames;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* argument) {
        auto& list = *static_cast<Backtrace*>(argument);
        list.push_back(_Unwind_GetIP(context));
        return list.size() < 200 ? _URC_NO_REASON : _URC_END_OF_STACK;
      },
      &frames);
  return frames;
}

inline bool EndsWith(const Backtrace& frames, const Backtrace& end) {
  return frames.size() >= end.size() && std::equal(end.rbegin(), end.rend(), frames.rbegin());
}

// The frames above the one that calls this.
__attribute__((noinline)) inline Backtrace CallersFrames() {
  const Backtrace frames = TakeBacktrace();
  return Backtrace(frames.begin() + std::min<size_t>(frames.size(), 3), frames.end());
}

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_TESTING_BACKTRACE_H_
