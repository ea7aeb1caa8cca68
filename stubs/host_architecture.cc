// Chooses the host's architecture (a port adds an entry), and what is the same for all of them.

#include <cstring>

#include "stubs/stub_architecture.h"

namespace firstcall {

void StubArchitecture::WriteContextAndReentry(ReentryContext& context, uint8_t* data) const {
  const uint64_t context_address = ExecutorAddress::Of(&context).value();
  std::memcpy(data + StubBlockLayout::kContextOffset, &context_address, 8);
  const uint64_t reentry_address = reentry.value();
  std::memcpy(data + StubBlockLayout::kReentryOffset, &reentry_address, 8);
}

const StubArchitecture& HostStubArchitecture() {
#if defined(__x86_64__)
  return StubArchitectureX86_64();
#elif defined(__aarch64__)
  return StubArchitectureAArch64();
#else
#error "firstcall has no stubs for this architecture"
#endif
}

}  // namespace firstcall
