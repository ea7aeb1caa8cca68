// What a library must know of fork: handlers in a fixed order, and which process this is.
//
// Thread-safe. Tested in tests/base/forks_test.cc.

#ifndef FIRSTCALL_BASE_FORKS_H_
#define FIRSTCALL_BASE_FORKS_H_

#include <cstdint>

namespace firstcall {

// As those of pthread_atfork. Null: nothing is to be done.
struct ForkHandlers {
  void (*prepare)() = nullptr;
  void (*parent)() = nullptr;
  void (*child)() = nullptr;
};

// Makes every fork run `handlers` from now on, inside those of AddOutermostForkHandlers: what keeps
// other threads from working must come before what locks something that they hold meanwhile. (The
// order of pthread_atfork's own handlers would depend on what was used first.) Allocates memory
// that is never freed.
void AddForkHandlers(const ForkHandlers& handlers);

// The same, for the only ones that are prepared first, and told of the fork last.
void AddOutermostForkHandlers(const ForkHandlers& handlers);

// How often this process has forked, or tried to. It changes when other threads have stopped
// working, by the outermost handlers.
uint64_t ForkCount();

// A number for the memory that this process uses: another one in each forked child than in those it
// descends from, and its parent's in a child of vfork, which has the parent's memory.
uint64_t ProcessIdentity();

// Whether this process is a child of vfork, which uses its parent's memory. Threads that it starts
// end with it, but in that memory they go on.
bool BorrowsMemory();

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_FORKS_H_
