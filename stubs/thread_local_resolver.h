// The resolvers of thread-local descriptors (memory/thread_local_blocks.h): assembly that compiled
// code calls with the conventions of TLS descriptors. All registers but the result's are kept, and
// not the flags, so the code need not treat an access as a call.
//
// Thread-safe. Tested in tests/stubs/thread_local_resolver_test.cc.

#ifndef FIRSTCALL_STUBS_THREAD_LOCAL_RESOLVER_H_
#define FIRSTCALL_STUBS_THREAD_LOCAL_RESOLVER_H_

namespace firstcall {

// Makes descriptors usable by code. To be called before the first one is made; may be called again.
// Has no effect on architectures other than x86-64 and AArch64.
void InstallThreadLocalResolvers();

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_THREAD_LOCAL_RESOLVER_H_
