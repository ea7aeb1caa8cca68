// Ends the process when only threads of the library are left. The program's threads may all end one
// by one: by the system call `exit`, or by a seccomp filter that ends a thread. Without threads of
// the library, the process would end with the last of them.
//
// A thread looks twice a second whether the process's first thread is still there. So it is started
// only when it is needed: when there are threads of the library, and the program may end its
// threads in these ways.
//
// Thread-safe. Tested in tests/base/end_watch_test.cc.

#ifndef FIRSTCALL_BASE_END_WATCH_H_
#define FIRSTCALL_BASE_END_WATCH_H_

namespace firstcall {

class EndWatch {
 public:
  // From now on, threads of the program may end without the process noticing.
  static void Need();

  // For OwnThread: the calling thread is one of the library, from now on or until now.
  static void NoteBegin();
  static void NoteEnd();
  // For OwnThread: a thread of the library has been started.
  static void NoteStart();
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_END_WATCH_H_
