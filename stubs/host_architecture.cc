// The table of architectures: a port adds an entry.

#include "stubs/stub_architecture.h"

namespace firstcall {

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
