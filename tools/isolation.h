// The option --isolate: the program runs in a process of its own. Tested in
// tests/command/isolation_test.cc.

#ifndef FIRSTCALL_TOOLS_ISOLATION_H_
#define FIRSTCALL_TOOLS_ISOLATION_H_

#include "services/isolation/child_process.h"

namespace firstcall {

// Makes this process the parent of one that goes on; only the child returns. The parent waits for
// it, says on standard error if it did not end by itself, and exits: with the child's status, 128
// and the number of the signal that ended it, or 124 if it ran out of time (as timeout(1) has it).
// In the child, a further call does nothing. To be called before the process has a second thread.
void Isolate(const ChildLimits& limits);

// The child may become the other program of the command, which has the same options: the first one
// says before that it is a child, and the other one looks for that at its beginning. Then the mark
// is gone from its environment.
void MarkIsolatedChild();
void FindMarkOfIsolatedChild();

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_ISOLATION_H_
