#include "stubs/thread_local_resolver.h"

#include <cstdint>

#include "memory/executor_address.h"
#include "memory/thread_local_blocks.h"
#include "stubs/reentry.h"
#include "stubs/stub_architecture.h"

#if defined(__x86_64__) || defined(__aarch64__)

extern "C" {
// The resolvers, and where the reentry goes on (thread_local_resolver_*.S).
void firstcall_thread_local_block();
void firstcall_thread_local_null();
void firstcall_thread_local_computed();
void firstcall_thread_local_return();
// Read by these files: what a call of the reentry needs. Constant once they are set.
__attribute__((visibility("hidden"))) uint64_t firstcall_thread_local_reentry = 0;
__attribute__((visibility("hidden"))) uint64_t firstcall_thread_local_context = 0;
}

namespace firstcall {
namespace {

uint64_t AddressOf(void (*code)()) { return reinterpret_cast<uint64_t>(code); }

// `cell` is the address of a word that holds the descriptor's address, and gets the result.
ExecutorAddress Resolve(ReentryContext&, uint64_t cell) {
  auto& word = *reinterpret_cast<uint64_t*>(cell);
  word = ResolveThreadLocal(*reinterpret_cast<const ThreadLocalDescriptor*>(word));
  return ExecutorAddress(AddressOf(firstcall_thread_local_return));
}

ReentryContext context = {&Resolve};

}  // namespace

void InstallThreadLocalResolvers() {
  static const bool is_installed = [] {
    firstcall_thread_local_reentry = HostStubArchitecture().reentry.value();
    firstcall_thread_local_context = reinterpret_cast<uint64_t>(&context);
    SetThreadLocalResolvers({AddressOf(firstcall_thread_local_block),
                             AddressOf(firstcall_thread_local_null),
                             AddressOf(firstcall_thread_local_computed)});
    return true;
  }();
  (void)is_installed;
}

}  // namespace firstcall

#else

namespace firstcall {

void InstallThreadLocalResolvers() {}

}  // namespace firstcall

#endif
