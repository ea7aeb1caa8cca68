// The thread-local variables of compiled code: a block of memory for each module in each thread.
//
// Code reaches a variable by a descriptor, as TLS descriptors do: the code calls the descriptor's
// resolver with the descriptor's address, and gets the distance of the variable from the thread
// pointer. A thread has a table of its blocks, with an entry for each module. The resolver
// (stubs/thread_local_resolver.h) reads the entry; if the entry is empty, ResolveThreadLocal makes
// the block. So a thread gets a module's block when the thread first reaches one of the module's
// variables. The block exists until the module is removed or the system says that the thread is
// gone, so every destructor of the thread (of pthread keys, of C++ objects) finds the block as the
// thread left it. In a forked child the blocks of the forking thread go on.
//
// The memory comes from the system, not from malloc, and signals are blocked meanwhile: the first
// access may be one in a signal handler that has interrupted malloc. (A module that is placed in a
// file has the blocks that the dynamic linker makes, by malloc, as a shared library has.)
//
// Thread-safe. Tested in tests/memory/thread_local_blocks_test.cc.

#ifndef FIRSTCALL_MEMORY_THREAD_LOCAL_BLOCKS_H_
#define FIRSTCALL_MEMORY_THREAD_LOCAL_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace firstcall {

// Plain values. Copies are as good as the descriptor itself.
struct ThreadLocalDescriptor {
  uint64_t resolver = 0;  // Which of ThreadLocalResolvers.
  // Of `block`: the place of the module's entry in a thread's table, in bytes, and the place of the
  // variable in the block. Of `computed`: an argument and the function that it is given to.
  uint64_t place = 0;
  uint64_t offset = 0;
};

// The addresses of the resolvers, by what they do. Until they are set, code cannot use descriptors,
// and numbers stand for them.
struct ThreadLocalResolvers {
  uint64_t block = 1;     // The variable lies in a block.
  uint64_t null = 2;      // The variable is a weak one that nothing defines: its address is null.
  uint64_t computed = 3;  // A function knows the variable's address.
};

// To be called before the first descriptor is made. May be called again with the same values.
void SetThreadLocalResolvers(const ThreadLocalResolvers& resolvers);

// The descriptor of a weak variable that nothing defines.
ThreadLocalDescriptor NullThreadLocal();

// The descriptor of a variable whose address `function(argument)` returns for the calling thread.
ThreadLocalDescriptor ComputedThreadLocal(void* (*function)(void*), void* argument);

// The thread-local variables of one module.
class ThreadLocalModule {
 public:
  struct Image {
    // What a block begins with; may be changed until a variable is first reached, and must outlive
    // the module. The rest of a block is zero.
    const uint8_t* bytes = nullptr;
    size_t byte_count = 0;
    size_t size = 0;       // Of a block.
    size_t alignment = 0;  // A power of two.
  };

  // ResourceExhausted if there are too many modules that have thread-local variables (65,535).
  static absl::StatusOr<std::unique_ptr<ThreadLocalModule>> Create(const Image& image);

  // Frees the blocks of all threads. No thread may use a variable of the module any more.
  ~ThreadLocalModule();
  ThreadLocalModule(const ThreadLocalModule&) = delete;
  ThreadLocalModule& operator=(const ThreadLocalModule&) = delete;

  // The descriptor of the variable at `offset` in the blocks.
  ThreadLocalDescriptor DescriptorAt(uint64_t offset) const;

  size_t size() const { return size_; }
  size_t alignment() const { return alignment_; }

  // From now on, threads have their blocks in those of a loaded file: of the file with the dynamic
  // linker's number `file`, at `offset`, which has the module's alignment and is followed by the
  // module's size in bytes. The file must outlive this, and nothing else may use these bytes. Does
  // nothing, and returns false, if a thread has a block already.
  bool PlaceIn(size_t file, uint64_t offset);

 private:
  ThreadLocalModule(size_t number, const Image& image)
      : number_(number), size_(image.size), alignment_(image.alignment) {}

  const size_t number_;
  const size_t size_;
  const size_t alignment_;
};

// The descriptor of a variable of the process: of the executable or library with the dynamic
// linker's number `module`, at `offset` in its block. `unloaded` is the count of libraries that
// have been unloaded (dlpi_subs), because another library may get the number of one that is gone.
// Errors as ThreadLocalModule::Create.
absl::StatusOr<ThreadLocalDescriptor> ThreadLocalOfProcess(size_t module, uint64_t unloaded,
                                                           uint64_t offset);

// The distance of the variable from the thread pointer of the calling thread. Makes the block if it
// is not there. If memory runs out, the process ends with a message, as it does natively.
uint64_t ResolveThreadLocal(const ThreadLocalDescriptor& descriptor);

// The address of the variable in the calling thread. As above.
void* AddressOfThreadLocal(const ThreadLocalDescriptor& descriptor);

// Calls `visit` for each block of compiled code's variables that a living thread has, but for those
// in blocks of files, which the dynamic linker frees with the thread. None of them goes meanwhile.
// `visit` must not reach a thread-local variable of compiled code. May be called while other
// threads are stopped by a signal, no matter where.
void VisitThreadLocalBlocks(absl::FunctionRef<void(const char* begin, const char* end)> visit);

// For tests: the blocks that exist, and the bytes of the threads' tables and of the blocks' memory.
struct ThreadLocalMemory {
  size_t threads = 0;
  size_t blocks = 0;
  size_t bytes = 0;
};
ThreadLocalMemory CountThreadLocalMemory();

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_THREAD_LOCAL_BLOCKS_H_
