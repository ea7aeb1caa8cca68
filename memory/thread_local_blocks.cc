#include "memory/thread_local_blocks.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/forks.h"
#include "base/uninterrupted_mutex.h"
#include "memory/block_pool.h"

extern "C" {
// Defined by the dynamic linker: returns the address of a module's variable in the calling thread
// (ELF Handling for Thread-Local Storage, section 3.4).
void* __tls_get_addr(size_t* module_and_offset);
}

namespace {

// A table is reserved memory, of which a thread uses the pages that it reaches. Entry 0 is unused.
constexpr size_t kMostModules = size_t{1} << 16;

using Table = std::atomic<uint64_t>[kMostModules];

// The table of a thread that has no block. Never written; not constant, so that it takes no room in
// the file.
Table no_blocks;

}  // namespace

extern "C" {
// The calling thread's table; read by stubs/thread_local_resolver_*.S. An entry is the distance of
// the block from the thread pointer; 0: there is no block. Part of what each thread has from its
// beginning, so that a thread's first access needs nothing.
__attribute__((
    visibility("hidden"),
    tls_model(
        "initial-exec"))) thread_local const std::atomic<uint64_t>* firstcall_thread_local_table =
    no_blocks;
}

namespace firstcall {
namespace {

ThreadLocalResolvers resolvers;

uint64_t ThreadPointer() {
  uint64_t pointer;
#if defined(__x86_64__)
  asm("mov %%fs:0, %0" : "=r"(pointer));
#elif defined(__aarch64__)
  asm("mrs %0, tpidr_el0" : "=r"(pointer));
#else
  pointer = 0;
#endif
  return pointer;
}

// A thread that has blocks. In memory of its own, which is zero at first.
struct Thread {
  pid_t id;          // 0 if it is not known: that of a thread which has borrowed a vforked child.
  uint64_t process;  // In which it has this number: see ProcessIdentity.
  uint64_t pointer;
  Thread* next;
  Table table;
};

// All zeros if it is not there.
struct Module {
  ThreadLocalModule::Image image;
  size_t process_module = 0;  // The dynamic linker's number; 0: of compiled code.
  // Of compiled code: where the blocks are (ThreadLocalModule::PlaceIn), if `file` is not 0.
  size_t file = 0;
  uint64_t offset_in_file = 0;
  uint64_t unloaded = 0;  // See ThreadLocalOfProcess.
  size_t next_free = 0;   // If it is not there: the next such number; 0: none.
};

// By number. Apart from the rest, because it is all zeros at first.
Module modules[kMostModules];

[[noreturn]] void EndForLackOfMemory() {
  constexpr char kMessage[] = "firstcall: no memory for thread-local variables\n";
  (void)!write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  _exit(127);  // The dynamic linker's status in this case.
}

// All functions of this class are called with the lock held, unless they say otherwise.
class Blocks {
 public:
  static Blocks& Get() {
    static Blocks blocks;  // Constant-initialized; has no destructor.
    return blocks;
  }

  constexpr Blocks() = default;

  // No signal comes while it is held, because a handler may reach a variable.
  class Lock : private UninterruptedLock {
   public:
    explicit Lock(Blocks& blocks) : UninterruptedLock(blocks.mutex_) {}
  };

  // Without the lock.
  static void FollowForks() {
    static const bool follows = [] {
      AddForkHandlers({[] { Get().mutex_.Lock(); }, [] { Get().mutex_.Unlock(); },
                       [] {
                         Get().ForgetParentsThreads();
                         Get().mutex_.Unlock();
                       }});
      return true;
    }();
    (void)follows;
  }

  // 0 if there are too many.
  size_t Add(const Module& module) {
    size_t number = first_free_;
    if (number != 0) {
      first_free_ = modules[number].next_free;
    } else if (module_count_ < kMostModules) {
      number = module_count_++;
    } else {
      return 0;
    }
    modules[number] = module;
    return number;
  }

  void Remove(size_t number) {
    ForgetDeadThreads();
    for (Thread* thread = threads_; thread != nullptr; thread = thread->next) {
      FreeBlock(*thread, number);
    }
    modules[number] = {};
    modules[number].next_free = first_free_;
    first_free_ = number;
  }

  size_t FindOfProcess(size_t module, uint64_t unloaded) const {
    for (size_t i = 1; i < module_count_; ++i) {
      if (modules[i].process_module == module && modules[i].unloaded == unloaded) return i;
    }
    return 0;
  }

  Module ModuleAt(size_t number) const { return modules[number]; }

  // A module's blocks are all in a file, or all in memory of the pool.
  bool PlaceIn(size_t number, size_t file, uint64_t offset) {
    ForgetDeadThreads();
    for (const Thread* thread = threads_; thread != nullptr; thread = thread->next) {
      if (thread->table[number].load(std::memory_order_relaxed) != 0) return false;
    }
    modules[number].file = file;
    modules[number].offset_in_file = offset;
    return true;
  }

  // Begins the calling thread's block, which is zero at first, at `address`, unless a signal
  // handler has begun it meanwhile. Returns its distance from the thread pointer.
  uint64_t BeginBlockAt(size_t number, uint64_t address) {
    Table& table = TableOfThread();
    const uint64_t present = table[number].load(std::memory_order_relaxed);
    if (present != 0) return present;
    const ThreadLocalModule::Image& image = modules[number].image;
    if (image.byte_count != 0) {
      std::memcpy(reinterpret_cast<void*>(address), image.bytes, image.byte_count);
    }
    const uint64_t distance = address - ThreadPointer();
    table[number].store(distance, std::memory_order_relaxed);
    return distance;
  }

  // The calling thread's table.
  Table& TableOfThread() {
    if (firstcall_thread_local_table == no_blocks) {
      if (thread_count_ >= next_look_) ForgetDeadThreads();
      void* const memory = pool_.AllocatePages(sizeof(Thread));
      if (memory == nullptr) EndForLackOfMemory();
      auto* const thread = static_cast<Thread*>(memory);
      thread->pointer = ThreadPointer();
      thread->next = threads_;
      threads_ = thread;
      ++thread_count_;
      firstcall_thread_local_table = thread->table;
    }
    const auto place = reinterpret_cast<uintptr_t>(firstcall_thread_local_table);
    auto* const own = reinterpret_cast<Thread*>(place - offsetof(Thread, table));
    Name(*own);
    return own->table;
  }

  uint64_t MakeBlock(size_t number) {
    Table& table = TableOfThread();
    const ThreadLocalModule::Image& image = modules[number].image;
    auto* const block = static_cast<uint8_t*>(pool_.Allocate(image.size, image.alignment));
    if (block == nullptr) EndForLackOfMemory();
    if (image.byte_count != 0) std::memcpy(block, image.bytes, image.byte_count);
    std::memset(block + image.byte_count, 0, image.size - image.byte_count);
    const uint64_t distance = reinterpret_cast<uint64_t>(block) - ThreadPointer();
    table[number].store(distance, std::memory_order_relaxed);
    ++block_count_;
    return distance;
  }

  void Visit(absl::FunctionRef<void(const char* begin, const char* end)> visit) {
    ForgetDeadThreads();
    for (const Thread* thread = threads_; thread != nullptr; thread = thread->next) {
      for (size_t i = 1; i < module_count_; ++i) {
        const uint64_t distance = thread->table[i].load(std::memory_order_relaxed);
        if (distance == 0 || IsOfFile(modules[i])) continue;
        const auto* const block = reinterpret_cast<const char*>(distance + thread->pointer);
        visit(block, block + modules[i].image.size);
      }
    }
  }

  ThreadLocalMemory Count() {
    ForgetDeadThreads();
    return {thread_count_, block_count_, pool_.bytes()};
  }

 private:
  static pid_t OwnId() { return static_cast<pid_t>(syscall(SYS_gettid)); }

  // Whether the dynamic linker makes and frees the blocks.
  static bool IsOfFile(const Module& module) {
    return module.process_module != 0 || module.file != 0;
  }

  static bool IsOwn(const Thread& thread) { return thread.table == firstcall_thread_local_table; }

  // A number that another thread has got meanwhile makes this one seem alive for that much longer.
  // What is known of another process's threads says nothing: one of them may be here.
  static bool IsDead(const Thread& thread) {
    return thread.id != 0 && thread.process == ProcessIdentity() && !IsOwn(thread) &&
           syscall(SYS_tgkill, getpid(), thread.id, 0) != 0 && errno == ESRCH;
  }

  // Notes the number of this thread, unless it is known. A child of vfork has its parent's thread,
  // and does not know its number; a child that was made without fork's handlers has another one.
  static void Name(Thread& own) {
    if (BorrowsMemory() || (own.id != 0 && own.process == ProcessIdentity())) return;
    own.id = OwnId();
    own.process = ProcessIdentity();
  }

  // The system is asked of every thread, so this is done when there may be as many dead ones as
  // living ones. A child of vfork has its parent's threads in memory, and not in its process.
  void ForgetDeadThreads() {
    if (BorrowsMemory()) return;
    const int error = errno;
    ForgetThreads(IsDead);
    errno = error;
    next_look_ = std::max<size_t>(kFewThreads, 2 * thread_count_);
  }

  void ForgetParentsThreads() {
    ForgetThreads([](const Thread& thread) { return !IsOwn(thread); });
    if (threads_ != nullptr) Name(*threads_);
  }

  template <typename IsGone>
  void ForgetThreads(IsGone is_gone) {
    for (Thread** at = &threads_; *at != nullptr;) {
      Thread* const thread = *at;
      if (!is_gone(*thread)) {
        at = &thread->next;
        continue;
      }
      *at = thread->next;
      for (size_t i = 1; i < module_count_; ++i) FreeBlock(*thread, i);
      pool_.FreePages(thread, sizeof(Thread));
      --thread_count_;
    }
  }

  // Does nothing if there is none.
  void FreeBlock(Thread& thread, size_t number) {
    // Reading an entry that was never written takes no memory.
    const uint64_t distance = thread.table[number].load(std::memory_order_relaxed);
    if (distance == 0) return;
    thread.table[number].store(0, std::memory_order_relaxed);
    const Module& module = modules[number];
    if (IsOfFile(module)) return;
    pool_.Free(reinterpret_cast<void*>(distance + thread.pointer), module.image.size,
               module.image.alignment);
    --block_count_;
  }

  static constexpr size_t kFewThreads = 16;

  UninterruptedMutex mutex_;
  size_t module_count_ = 1;
  size_t first_free_ = 0;
  Thread* threads_ = nullptr;
  size_t thread_count_ = 0;
  size_t next_look_ = kFewThreads;
  size_t block_count_ = 0;
  BlockPool pool_;
};

absl::StatusOr<size_t> AddModule(const Module& module) {
  Blocks::FollowForks();
  Blocks::Lock lock(Blocks::Get());
  size_t number = module.process_module == 0
                      ? 0
                      : Blocks::Get().FindOfProcess(module.process_module, module.unloaded);
  if (number == 0) number = Blocks::Get().Add(module);
  if (number != 0) return number;
  return absl::ResourceExhaustedError("too many modules have thread-local variables");
}

ThreadLocalDescriptor DescriptorIn(size_t number, uint64_t offset) {
  return {resolvers.block, number * sizeof(uint64_t), offset};
}

// The block of a library, which the dynamic linker makes, and which exists as long as the thread
// does: a library that replaces this one has another number here. (The block of a library has no
// image of its own here, so nothing is copied into it.)
uint64_t FindBlockOfFile(size_t number, size_t file, uint64_t offset) {
  size_t file_and_offset[2] = {file, offset};
  const auto address = reinterpret_cast<uint64_t>(__tls_get_addr(file_and_offset));
  Blocks::Lock lock(Blocks::Get());
  return Blocks::Get().BeginBlockAt(number, address);
}

uint64_t MakeBlock(size_t number) {
  Module module;
  {
    Blocks::Lock lock(Blocks::Get());
    module = Blocks::Get().ModuleAt(number);
    // A signal handler may have made the block meanwhile.
    const uint64_t distance = firstcall_thread_local_table[number].load(std::memory_order_relaxed);
    if (distance != 0) return distance;
    if (module.process_module == 0 && module.file == 0) return Blocks::Get().MakeBlock(number);
  }
  if (module.file != 0) return FindBlockOfFile(number, module.file, module.offset_in_file);
  return FindBlockOfFile(number, module.process_module, 0);
}

}  // namespace

void SetThreadLocalResolvers(const ThreadLocalResolvers& values) { resolvers = values; }

ThreadLocalDescriptor NullThreadLocal() { return {resolvers.null, 0, 0}; }

ThreadLocalDescriptor ComputedThreadLocal(void* (*function)(void*), void* argument) {
  return {resolvers.computed, reinterpret_cast<uint64_t>(argument),
          reinterpret_cast<uint64_t>(function)};
}

absl::StatusOr<std::unique_ptr<ThreadLocalModule>> ThreadLocalModule::Create(const Image& image) {
  Module module;
  module.image = image;
  const absl::StatusOr<size_t> number = AddModule(module);
  if (!number.ok()) return number.status();
  return std::unique_ptr<ThreadLocalModule>(new ThreadLocalModule(*number, image));
}

bool ThreadLocalModule::PlaceIn(size_t file, uint64_t offset) {
  Blocks::Lock lock(Blocks::Get());
  return Blocks::Get().PlaceIn(number_, file, offset);
}

ThreadLocalModule::~ThreadLocalModule() {
  Blocks::Lock lock(Blocks::Get());
  Blocks::Get().Remove(number_);
}

ThreadLocalDescriptor ThreadLocalModule::DescriptorAt(uint64_t offset) const {
  return DescriptorIn(number_, offset);
}

absl::StatusOr<ThreadLocalDescriptor> ThreadLocalOfProcess(size_t module, uint64_t unloaded,
                                                           uint64_t offset) {
  Module added;
  added.process_module = module;
  added.unloaded = unloaded;
  const absl::StatusOr<size_t> number = AddModule(added);
  if (!number.ok()) return number.status();
  return DescriptorIn(*number, offset);
}

uint64_t ResolveThreadLocal(const ThreadLocalDescriptor& descriptor) {
  if (descriptor.resolver == resolvers.null) return 0 - ThreadPointer();
  if (descriptor.resolver == resolvers.computed) {
    auto* const function = reinterpret_cast<void* (*)(void*)>(descriptor.offset);
    void* const argument = reinterpret_cast<void*>(descriptor.place);
    return reinterpret_cast<uint64_t>(function(argument)) - ThreadPointer();
  }
  const size_t number = descriptor.place / sizeof(uint64_t);
  uint64_t distance = firstcall_thread_local_table[number].load(std::memory_order_relaxed);
  if (distance == 0) distance = MakeBlock(number);
  return distance + descriptor.offset;
}

void* AddressOfThreadLocal(const ThreadLocalDescriptor& descriptor) {
  return reinterpret_cast<void*>(ThreadPointer() + ResolveThreadLocal(descriptor));
}

void VisitThreadLocalBlocks(absl::FunctionRef<void(const char* begin, const char* end)> visit) {
  Blocks::Lock lock(Blocks::Get());
  Blocks::Get().Visit(visit);
}

ThreadLocalMemory CountThreadLocalMemory() {
  Blocks::Lock lock(Blocks::Get());
  return Blocks::Get().Count();
}

}  // namespace firstcall
