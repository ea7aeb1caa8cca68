// Where the variables of compiled code are in this process: the data of modules, and the blocks of
// thread-local variables (memory/thread_local_blocks.h). For a garbage collector, which looks for
// references there.
//
// Thread-safe; in a forked child as well. Tested in tests/memory/variable_memory_test.cc.

#ifndef FIRSTCALL_MEMORY_VARIABLE_MEMORY_H_
#define FIRSTCALL_MEMORY_VARIABLE_MEMORY_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "base/uninterrupted_mutex.h"

namespace firstcall {

class VariableMemory {
 public:
  // Of the file that contains this code. A library that links what another file owns is given that
  // file's (OwnedCode).
  static VariableMemory& OfProcess();

  // A piece of a module's data, which may be read as long as this exists.
  class Piece {
   public:
    Piece(VariableMemory& memory, const void* begin, size_t size);
    ~Piece();
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;

   private:
    friend class VariableMemory;

    VariableMemory& memory_;
    const char* const begin_;
    const size_t size_;
    Piece* previous_ = nullptr;
    Piece* next_ = nullptr;
  };

  // Calls `visit` for each piece that exists and each block of a living thread. None of them goes
  // meanwhile. `visit` must not come back here. May be called while other threads are stopped by a
  // signal, no matter where: whoever changes what is visited here cannot be stopped.
  void Visit(absl::FunctionRef<void(const char* begin, const char* end)> visit);

 private:
  constexpr VariableMemory() = default;

  UninterruptedMutex mutex_;
  Piece* first_ = nullptr;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_VARIABLE_MEMORY_H_
