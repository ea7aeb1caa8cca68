// What an embedder can choose when it creates an engine. Every field has a default that suits a
// program that should start fast.
//
// Plain values; copyable.

#ifndef FIRSTCALL_ENGINE_OPTIONS_H_
#define FIRSTCALL_ENGINE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "memory/memory_manager.h"

namespace llvm {
class TargetOptions;
}  // namespace llvm

namespace firstcall {

class PageMapper;  // memory/page_mapper.h

enum class Mode {
  kLazy,   // Each function is compiled the first time it is called.
  kEager,  // Each module is compiled and linked whole when it is added.
};

// How much is done for a function of a module that is compiled lazily.
enum class Tier {
  kZero,  // Code generation alone: what starts soonest.
  kOne,   // Its IR is optimized, together with what it calls in its source module, and code is
          // generated at kO2 at least: what runs fastest.
  kAuto,  // The first, and the second for what turns out to be hot; functions are replaced while
          // they run.
};

// When hot functions get their better bodies (Tier::kAuto).
struct PromotionOptions {
  // Calls and loops' iterations of a function before it counts as hot, roughly; at least 1.
  uint32_t threshold = 100000;
  // Threads that make better bodies, and look for hot functions; with 0 the thread that finds a
  // function hot does, at once. Unset: 1 if there is a second processor. They begin when something
  // has run long. Signals of the program are not handled on them, but for SIGSYS.
  std::optional<size_t> threads;
  // Let functions ask whenever they are called, and poll at every loop, even if a thread could look
  // at what they count: they are found hot sooner, and each running loop can be left, but first
  // calls take some 10 to 40 % longer. So it is in any case without a thread.
  bool asks_when_called = false;
  // How much time may go into better bodies, all together.
  absl::Duration budget = absl::InfiniteDuration();

  // Whether calls are only counted, for a thread to look at.
  bool only_counts_calls() const { return thread_count() > 0 && !asks_when_called; }
  size_t thread_count() const {
    return threads ? *threads : std::thread::hardware_concurrency() > 1 ? 1 : 0;
  }
};

// How much work code generation does for a function; as LLVM's -O0 to -O3.
enum class CodegenLevel { kO0, kO1, kO2, kO3 };

enum class RelocationModel { kPic, kStatic, kDynamicNoPic, kRopi, kRwpi, kRopiRwpi };
enum class CodeModel { kTiny, kSmall, kKernel, kMedium, kLarge };

// A stub was called whose function cannot be compiled. All views are valid during the call only.
struct FailedCall {
  absl::string_view function;
  absl::string_view module;
  const absl::Status& status;
};

// Told of a failed call, on the thread that made it. Returns the address of code of the same
// signature to go on with, or null for the default: print the status and exit with
// kFirstCallFailedExitStatus. May exit or throw a C++ exception, which unwinds to the caller. May
// be called by several threads at once.
using FailureHandler = std::function<void*(const FailedCall&)>;

// EX_SOFTWARE of sysexits.h.
inline constexpr int kFirstCallFailedExitStatus = 70;

// Returns the address of `symbol` or null. Asked for what no module defines, before the process is
// searched; may be called by several threads at once.
using SymbolFinder = std::function<void*(absl::string_view symbol)>;

// Returns the memory manager for an engine, given the engine's own. Not null.
using MemoryManagerFactory =
    std::function<std::shared_ptr<MemoryManager>(std::shared_ptr<MemoryManager> engines_own)>;

// How far preparing functions has come.
struct PrepareProgress {
  size_t done = 0;  // Those that failed included.
  size_t failed = 0;
  size_t total = 0;
};

struct PrepareOptions {
  // Told after each function, by one thread at a time; returns whether to go on. May be empty.
  std::function<bool(const PrepareProgress&)> progress;
  // No function is begun after this time.
  absl::Duration budget = absl::InfiniteDuration();
};

class Listener;     // engine/listener.h
class ObjectCache;  // cache/object_cache.h

struct EngineOptions {
  Mode mode = Mode::kLazy;
  CodegenLevel codegen_level = CodegenLevel::kO0;
  // Means nothing in eager mode, which never optimizes IR.
  Tier tier = Tier::kAuto;
  PromotionOptions promotion;

  // Where functions are compiled: on the thread that calls one (0), or on so many compile threads,
  // which do so for callers, and as many again, of lower priority, that compile ahead of need.
  size_t compile_threads = 0;
  // With compile threads: how much of their time may go into functions that nobody has called, but
  // that a compiled one calls, the likeliest first. Zero compiles nothing of that kind.
  absl::Duration speculation_budget = absl::ZeroDuration();

  // Make a crash inside LLVM the failure of the function that was being compiled, as LLVM's fatal
  // errors always are. While the engine lives, this process's handlers of SIGSEGV, SIGBUS, SIGILL,
  // SIGFPE, SIGTRAP and SIGABRT are LLVM's; a crash elsewhere goes on to the handlers before them.
  bool contain_crashes = false;

  // The target: empty means this process's triple, and this machine's CPU with all its features.
  std::string triple;
  std::string architecture;  // As -march: overrides the triple's.
  std::string cpu;
  std::string features;  // As -mattr: "+avx2,-bmi".
  // Unset: position-independent code in the small code model, which is what the arena is made for.
  std::optional<RelocationModel> relocation_model;
  std::optional<CodeModel> code_model;
  // Further options of LLVM's code generator; null means LLVM's defaults. Thread-local variables
  // are emulated in any case; asking for that here and for no symbols of the process means that
  // `__emutls_get_address` is the client's to provide.
  std::shared_ptr<const llvm::TargetOptions> target_options;

  // Bytes of code and data, stubs included, that the engine's own memory may hold at any time; more
  // is ResourceExhausted.
  size_t memory_budget = SIZE_MAX;

  // Addresses that each arena reserves, in bytes. Unset: what suits the architecture (1.5 GiB), of
  // which only what is used takes memory. For processes whose addresses are limited.
  std::optional<SegmentSizes> arena_sizes;

  // Where the engine's own memory gets its pages. Null: from this process. Code is called in this
  // process, so that is where they have to be accessible.
  std::shared_ptr<PageMapper> page_mapper;

  // The client's memory for modules and objects, in place of the engine's or in front of it; the
  // contract is in memory/memory_manager.h. Asked for once, by Engine::Create, with the engine's
  // own manager, which may be used for whatever the client does not want to provide. Modules are
  // compiled to lie anywhere then: references between them, and to stubs, cost a load each.
  MemoryManagerFactory memory_manager;

  FailureHandler failure_handler;  // Empty: the default described above.
  SymbolFinder symbol_finder;      // Empty: asked for nothing.
  bool search_process_symbols = true;

  // Asked for a function's object before its body is read, for a source module's index before its
  // bitcode is, and in eager mode for each module's object; given what was made afterwards. Flushed
  // when the engine is destroyed. May be null.
  std::shared_ptr<ObjectCache> object_cache;
  // What else objects depend on, by name: what is kept for other values is not used. For what the
  // engine cannot know, such as the options of the front end that made the IR.
  std::vector<std::pair<std::string, std::string>> cache_key;

  // Told of all that is compiled.
  std::vector<std::shared_ptr<Listener>> listeners;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_OPTIONS_H_
