#include "runtime/link/compiler_runtime.h"

#include <pthread.h>
#include <stdlib.h>  // at_quick_exit

// Defined by libgcc or compiler-rt; no header declares them.
#if defined(__x86_64__)
extern "C" {
extern unsigned __cpu_model[];
extern unsigned __cpu_features2[];
int __cpu_indicator_init();
}
#elif defined(__aarch64__)
// The atomic operations that select their implementation by the CPU ("out-of-line atomics"), for
// each kind, width in bytes, and memory order.
#define FIRSTCALL_EACH_ORDER(DO, kind, width) \
  DO(kind, width, relax) DO(kind, width, acq) DO(kind, width, rel) DO(kind, width, acq_rel)
#define FIRSTCALL_EACH_WIDTH(DO, kind) \
  FIRSTCALL_EACH_ORDER(DO, kind, 1)    \
  FIRSTCALL_EACH_ORDER(DO, kind, 2)    \
  FIRSTCALL_EACH_ORDER(DO, kind, 4) FIRSTCALL_EACH_ORDER(DO, kind, 8)
#define FIRSTCALL_EACH_ATOMIC(DO)   \
  FIRSTCALL_EACH_WIDTH(DO, cas)     \
  FIRSTCALL_EACH_ORDER(DO, cas, 16) \
  FIRSTCALL_EACH_WIDTH(DO, swp)     \
  FIRSTCALL_EACH_WIDTH(DO, ldadd)   \
  FIRSTCALL_EACH_WIDTH(DO, ldclr) FIRSTCALL_EACH_WIDTH(DO, ldeor) FIRSTCALL_EACH_WIDTH(DO, ldset)
#define FIRSTCALL_DECLARE_ATOMIC(kind, width, order) void __aarch64_##kind##width##_##order();
extern "C" {
FIRSTCALL_EACH_ATOMIC(FIRSTCALL_DECLARE_ATOMIC)
void __clear_cache(void* begin, void* end);
}
#endif

namespace firstcall {
namespace {

template <typename Function>
ExecutorAddress AddressOf(Function* function) {
  return ExecutorAddress::Of(reinterpret_cast<const void*>(function));
}

}  // namespace

ExecutorAddress FindInCompilerRuntime(absl::string_view name) {
  if (name == "pthread_atfork") return AddressOf(&pthread_atfork);
  if (name == "at_quick_exit") return AddressOf(&at_quick_exit);
#if defined(__x86_64__)
  if (name == "__cpu_model") return ExecutorAddress::Of(__cpu_model);
  if (name == "__cpu_features2") return ExecutorAddress::Of(__cpu_features2);
  if (name == "__cpu_indicator_init") return AddressOf(&__cpu_indicator_init);
#elif defined(__aarch64__)
  struct Entry {
    absl::string_view name;
    void (*function)();
  };
#define FIRSTCALL_ATOMIC_ENTRY(kind, width, order) \
  {"__aarch64_" #kind #width "_" #order, &__aarch64_##kind##width##_##order},
  static constexpr Entry kAtomics[] = {FIRSTCALL_EACH_ATOMIC(FIRSTCALL_ATOMIC_ENTRY)};
  if (name.size() < 2 || name[0] != '_' || name[1] != '_') return ExecutorAddress();
  for (const Entry& atomic : kAtomics) {
    if (name == atomic.name) return AddressOf(atomic.function);
  }
  if (name == "__clear_cache") return AddressOf(&__clear_cache);
#endif
  return ExecutorAddress();
}

}  // namespace firstcall
