// The options of an engine that the runtime half uses.
//
// Plain values; copyable. Tested in tests/api/promotion_test.cc.

#ifndef FIRSTCALL_SEAM_OPTIONS_H_
#define FIRSTCALL_SEAM_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace firstcall {

enum class Mode {
  kLazy,   // Each function is compiled the first time it is called.
  kEager,  // Each module is compiled and linked whole when it is added.
};

// How much work is done for a function of a module that is compiled lazily.
enum class Tier {
  kZero,  // Code generation only. Starts soonest.
  kOne,  // The function's IR is optimized, together with the functions of its source module that it
         // calls, and code is generated at kO2 at least. Runs fastest.
  kAuto,  // kZero first, then kOne for functions that turn out to be hot. Functions are replaced
          // while they run.
};

// When hot functions get optimized bodies (Tier::kAuto).
struct PromotionOptions {
  static constexpr uint32_t kUsualThreshold = 100000;

  // A function is hot after about this many calls plus loop iterations. At least 1. With another
  // number than the usual one, hot functions are optimized whether that pays or not.
  uint32_t threshold = kUsualThreshold;
  // Number of threads that look for hot functions and optimize them. With 0, the thread that finds
  // a function hot optimizes it at once. The engines of a process share their threads, as many as
  // the engine that asks for most. The threads start only when a function has been called often or
  // a loop has run for long. They block all signals except SIGSYS and those that a fault of their
  // own raises.
  size_t threads = 1;
  // If set, each function checks its counter at every call and polls in every loop. Hot functions
  // are found sooner than by a thread that looks at the counters, and every running loop can be
  // left, but first calls take some 10 to 40 % longer. Always on if there is no thread.
  bool asks_when_called = false;
  // Hot functions count where their branches go, and what their indirect calls call, for some
  // milliseconds before they are optimized. What they have counted tells LLVM what is hot and what
  // is cold, and which functions to inline behind a comparison of the address. Only if a thread
  // looks at the counters of calls.
  bool counts_branches = true;
  // The total time that optimization may take. When it is used up, no further optimization begins.
  absl::Duration budget = absl::InfiniteDuration();

  // Whether calls are only counted, while a thread looks at the counters.
  bool only_counts_calls() const { return threads > 0 && !asks_when_called; }
  // Whether a hot function waits until the time that its optimization is expected to save is worth
  // the time that the optimization is expected to take.
  bool weighs_gains() const { return only_counts_calls() && threshold == kUsualThreshold; }
};

// A call of a stub whose function has no code: the function cannot be compiled, or its module or
// engine no longer exists. The views are valid only during the callback.
struct FailedCall {
  absl::string_view function;
  absl::string_view module;
  const absl::Status& status;
};

// Called for each failed call, on the thread that made it. Returns the address of code with the
// same signature, where the call continues, or null for the default: print the status and exit with
// kFirstCallFailedExitStatus. May exit, or throw a C++ exception, which unwinds to the caller.
// Several threads may call it at once.
using FailureHandler = std::function<void*(const FailedCall&)>;

// EX_SOFTWARE of sysexits.h.
inline constexpr int kFirstCallFailedExitStatus = 70;

// Returns the address of `symbol`, or null. Called for symbols that no module and no object
// defines, before the process is searched. Several threads may call it at once.
using SymbolFinder = std::function<void*(absl::string_view symbol)>;

// The same for clients whose libraries find different definitions of a name. `library` is the name
// of the library that has the code or data which refers to the symbol; "" is the program itself.
using LibrarySymbolFinder =
    std::function<void*(absl::string_view symbol, absl::string_view library)>;

// Progress of Engine::Prepare.
struct PrepareProgress {
  size_t done = 0;  // Includes functions that failed.
  size_t failed = 0;
  size_t total = 0;
};

struct PrepareOptions {
  // Called after each function, on the thread that has compiled it, by one thread at a time.
  // Returns whether to continue. May be empty. It may look up functions and call
  // compiled code. An exception that it throws ends the work and reaches the caller.
  std::function<bool(const PrepareProgress&)> progress;
  // When this time has passed since the start, no further compile begins.
  absl::Duration budget = absl::InfiniteDuration();
  // With Tier::kAuto: the functions also get their optimized bodies, as if all of them were hot,
  // and an object cache keeps these. A function that cannot be optimized keeps its first body,
  // which is no error: Stats tells the reason.
  bool optimizes = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_OPTIONS_H_
