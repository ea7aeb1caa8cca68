#include "base/stack_space.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

// Where the stack of the process's first thread ends, by the C library's dynamic linker.
extern "C" void* __libc_stack_end;

namespace firstcall {
namespace {

struct Stack {
  uintptr_t low = 0, high = 0;

  bool Has(uintptr_t address) const { return low <= address && address < high; }
};

// The system lets it grow up to the limit of now. pthread_getattr_np would read the whole memory
// map. Where the limit was raised after the start, other mappings may lie 128 MiB below the end.
Stack StackOfFirstThread() {
  constexpr rlim_t kEnough = rlim_t{64} << 20;
  const auto high = reinterpret_cast<uintptr_t>(__libc_stack_end);
  rlimit limit = {};
  getrlimit(RLIMIT_STACK, &limit);
  return {high - std::min<uintptr_t>(high, std::min(limit.rlim_cur, kEnough)), high};
}

Stack StackOfThisThread() {
  Stack stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    stack.low = reinterpret_cast<uintptr_t>(low);
    stack.high = stack.low + size;
  }
  pthread_attr_destroy(&attributes);
  return stack;
}

}  // namespace

size_t StackLeft() {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (const Stack first = StackOfFirstThread(); first.Has(here)) return here - first.low;
  static thread_local const Stack own = StackOfThisThread();
  return own.Has(here) ? here - own.low : 0;
}

}  // namespace firstcall
