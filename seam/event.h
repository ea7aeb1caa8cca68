// What an engine tells about itself while it runs: one record for each thing that happens.
//
// Order: events are numbered as they happen, over all threads of an engine, from 1 on. A listener
// is told of the events of one thread in the order of their numbers. Events of different threads
// may come at the same time and in any order; a listener that needs one order sorts by number.
//
// Threads: an event is delivered on the thread on which it happened, as soon as this thread is not
// at work in the engine any more: it holds no lock of the engine, and nobody waits for what it
// compiles. So a listener may take its time, take locks, call the engine and call compiled code.
// Events that a listener causes are delivered when the listener has returned.
//
// If an engine has no listeners, no event is computed, copied or numbered.
//
// Plain values. Tested in tests/api/events_test.cc.

#ifndef FIRSTCALL_SEAM_EVENT_H_
#define FIRSTCALL_SEAM_EVENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "seam/code_lines.h"
#include "seam/code_origin.h"

namespace firstcall {

enum class EventKind {
  kModuleAdded,     // `module` was read and indexed, or its index came from a cache.
  kFirstCall,       // A call of a function that had no code has waited for it.
  kCompiled,        // An object was compiled and linked, or came from a cache and was linked.
  kPublished,       // A function got its first body, or its counting body (tier 0, kPromoted).
  kPromoted,        // A function got an optimized body, or one of its loops a continuation.
  kFailed,          // A function could not be compiled or optimized.
  kRemoved,         // A module was removed or detached.
  kStubsMade,       // A block of stubs or call counters was made: `function` says which.
  kMemoryReserved,  // A block of the engine's own memory, from the engine's creation on.
  kMemoryFreed,     // Such a block is about to be freed.
};

// The reason why code was made.
enum class CompileReason {
  kCalled,        // A thread was about to run it.
  kAlong,         // Another function of its object was called.
  kOrdered,       // Something has asked for it: Prepare, a look-up, code that needs its address.
  kSpeculated,    // Something that was compiled will probably call it.
  kPromoted,      // It was hot. At tier 0: the body in which it counts its branches.
  kContinuation,  // One of its loops was hot while it ran.
  kNeeded,        // Data and whole objects: something needs a symbol of it.
};

// Unwind tables for a copy of the body. They are valid if they are placed behind the copy's code,
// at the next multiple of 8: first the entries (as .eh_frame has them), then an index (as
// .eh_frame_hdr).
struct CodeUnwinding {
  std::string entries;
  std::string index;
};

struct Event {
  uint64_t number = 0;
  EventKind kind = EventKind::kModuleAdded;
  int64_t thread = 0;       // As gettid() returns it.
  absl::Duration start;     // On the clock of SteadyNow (CLOCK_MONOTONIC).
  absl::Duration duration;  // kFirstCall: how long the caller waited. Zero for what takes no time.

  std::string module;
  std::string function;  // Of kCompiled: the one that was asked for; empty for data.

  // kPublished, kPromoted, kStubsMade: the code. kFirstCall: where the call continued.
  uint64_t address = 0;
  // kPublished, kPromoted, kStubsMade: of the code. kCompiled: of the object's code. kMemory...: of
  // the block. Bytes.
  size_t size = 0;
  uint64_t caller = 0;  // kFirstCall: the address to which the call returns.

  // kCompiled, kPublished, kPromoted: 1 for optimized bodies and continuations, which replace first
  // bodies; 0 for first bodies, also with Tier::kOne, and for all else.
  int tier = 0;
  Generator generator = Generator::kLlvm;
  CompileReason reason = CompileReason::kCalled;
  bool is_cached = false;        // The object comes from an object cache.
  bool is_continuation = false;  // kPromoted, kFailed: of a loop.
  bool is_detached = false;      // kRemoved.

  // kModuleAdded: the functions that the module defines. kCompiled: the functions that get their
  // first bodies with the object; 0 for counting bodies and optimized ones.
  size_t functions = 0;
  // kModuleAdded: the names of these functions, if the listener wants names.
  std::shared_ptr<const std::vector<std::string>> names;
  // kCompiled: the parts of `duration`.
  absl::Duration split;
  absl::Duration emit;      // With `optimize`.
  absl::Duration optimize;  // LLVM's passes over its IR; zero for a first body.
  absl::Duration link;
  // kCompiled: the callees whose bodies an optimized body could inline; 0 if it was cached.
  size_t imported = 0;
  // kCompiled: the callees that were inlined into the optimized body itself. Empty if it was
  // cached, or if a compile server has made it.
  std::vector<std::string> inlined;
  size_t object_bytes = 0;  // kCompiled.
  // If the listener wants code. kPublished, kPromoted, kStubsMade: the bytes of the code.
  std::shared_ptr<const std::string> code;
  // kPublished, kPromoted: the lines of the body; null if none are known: the function has no debug
  // information, or the body is one that LLVM does not make and that cannot be made once more
  // (docs/adr/0072).
  std::shared_ptr<const CodeLines> lines;
  // kPublished, kPromoted: the frames of the body; null if the body has no unwind table.
  std::shared_ptr<const CodeUnwinding> unwinding;
  absl::Status status;  // kFailed: why.
  // kMemory...: bytes of the engine's own memory that are allocated, this block counted in or out.
  size_t memory_used = 0;
};

class EventListener {
 public:
  virtual ~EventListener() = default;

  // Whether events should have the bytes of bodies, their lines and their frames. Asked while the
  // engine is created. Bodies have lines unless EngineOptions::debug_info is kNever. To find the
  // lines of a first body, the engine compiles its function once more; callers of the function wait
  // for that.
  virtual bool wants_code() const { return false; }

  // Whether added modules should have the names of their functions. Asked while the engine is
  // created.
  virtual bool wants_names() const { return false; }

  // Called once for each event. `event` is valid only during the call. Must be thread-safe, and
  // must not throw.
  virtual void OnEvent(const Event& event) = 0;
};

// "first call", and so on: for people.
const char* WordFor(EventKind kind);
const char* WordFor(CompileReason reason);
const char* WordFor(Generator generator);

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_EVENT_H_
