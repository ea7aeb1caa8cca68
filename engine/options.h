// Options of an engine. The default of every field suits a program that should start fast.
//
// Plain values; copyable. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_ENGINE_OPTIONS_H_
#define FIRSTCALL_ENGINE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "memory/memory_manager.h"
#include "seam/options.h"
#include "seam/target_settings.h"

namespace firstcall {

class PageMapper;  // memory/page_mapper.h

// Returns the memory manager of an engine; must not return null. The argument is the engine's own
// manager.
using MemoryManagerFactory =
    std::function<std::shared_ptr<MemoryManager>(std::shared_ptr<MemoryManager> engines_own)>;

class EventListener;  // seam/event.h; installed as firstcall/runtime/event.h
class Listener;       // seam/listener.h; not installed
class ObjectCache;    // cache/object_cache.h

struct EngineOptions : TargetSettings {
  Mode mode = Mode::kLazy;
  // Has no effect in eager mode, which never optimizes IR.
  Tier tier = Tier::kAuto;
  PromotionOptions promotion;

  // Number of compile threads. With 0, a function is compiled on the thread that calls it. If that
  // thread may have less than 256 KiB of stack left, because its stack is small, or because it runs
  // a coroutine or a signal handler, a thread of the engine compiles instead, and the caller waits.
  // With N > 0, N threads compile for callers, and N further ones, of lower priority, compile ahead
  // of need.
  size_t compile_threads = 0;
  // With compile threads: how much of their time, in total, may be spent on functions that were not
  // called yet, but that a compiled function calls, the likeliest first. Zero: none.
  absl::Duration speculation_budget = absl::ZeroDuration();

  // A crash inside LLVM becomes the failure of the function that was being compiled, as LLVM's
  // fatal errors always do. While the engine lives, LLVM handles this process's SIGSEGV, SIGBUS,
  // SIGILL, SIGFPE, SIGTRAP and SIGABRT; a crash outside LLVM goes on to the handlers that were
  // installed before.
  bool contain_crashes = false;

  // Holds signals back from threads that are at work in the engine, until they leave it: all
  // signals but those of faults, on all threads of the process, from Engine::Create on. For hosts
  // whose own signal handlers call compiled code for the first time, stop threads, or leave by
  // siglongjmp. Without this option, only signals for which compiled code itself installs a handler
  // by sigaction, signal and the like are held back. The option costs some 0.4 us for a first call;
  // and a signal that is to end the process does so only when the thread leaves the engine.
  bool holds_signals = false;

  // Bytes of code and data, stubs included, that the engine's own memory may hold at any time.
  // ResourceExhausted beyond that.
  size_t memory_budget = SIZE_MAX;

  // Bytes of code, read-only data and writable data that each arena has room for. An arena reserves
  // twice their sum of addresses, because pages are mapped once more to be written; only used pages
  // take memory. The sum is at most 2,000 MiB, so that code reaches all of it. Unset: 256 MiB of
  // code (128 MiB on AArch64), 256 MiB and 1 GiB. For processes with little address space.
  std::optional<SegmentSizes> arena_sizes;

  // Where the engine's own memory gets its pages. Null: from this process. The pages must be
  // accessible in this process, because code is called here.
  std::shared_ptr<PageMapper> page_mapper;

  // Creates the client's memory manager for modules and objects, which replaces the engine's own
  // manager or forwards to it. memory/memory_manager.h has the contract. Engine::Create calls this
  // once. Modules are then compiled so that they may lie anywhere: each reference between modules,
  // or to a stub, costs a load.
  MemoryManagerFactory memory_manager;

  // Empty: the default described at FailureHandler. With a handler, the code of callers assumes
  // nothing about a callee that the IR does not say, because the handler may put other code in the
  // callee's place (docs/adr/0067).
  FailureHandler failure_handler;
  SymbolFinder symbol_finder;  // Empty: no search.
  // If it is not empty, asked in the place of `symbol_finder`.
  LibrarySymbolFinder library_symbol_finder;
  bool search_process_symbols = true;
  // Libraries whose symbols come in front of those of the process, and are found even if the
  // process is not searched. Engine::Create loads them by dlopen, with their symbols global;
  // NotFound if one cannot be loaded. The dynamic linker looks in the process first for what a
  // library imports: if a library brings another C++ library than the process has, the client has
  // to load the library before, with RTLD_DEEPBIND.
  std::vector<std::string> shared_libraries;
  // Whether a module sees the definitions of other libraries (LibraryFile). If not, such names are
  // looked up by the client's finder, which can find them with Engine::LookupAddress(module, name).
  bool search_other_libraries = true;

  // Searched for a function's object before its body is read, for a source module's index before
  // its bitcode is read, and in eager mode for each module's object. The engine stores there what
  // it makes, and flushes the cache when it is destroyed. Null: no cache.
  std::shared_ptr<ObjectCache> object_cache;
  // Names and values of other inputs that objects depend on and the engine cannot know, such as the
  // options of the front end. An object that was stored with other values is not used.
  std::vector<std::pair<std::string, std::string>> cache_key;

  // For programs that are linked with //engine:runtime_engine, which has no LLVM: the library
  // libfirstcall_compiler.so, which is loaded when something first has to be compiled. Empty: the
  // one in the directory of the program, or of the shared library that the engine is linked into.
  std::string compiler_library;

  // The socket of a compile server (`firstcall serve`; docs/compile-server.md), which compiles for
  // this process and keeps what it has compiled for others. Empty: this process compiles. Options
  // of LLVM that are objects (target_options) cannot be sent to it.
  std::string compile_server;
  // How long one answer of the server may take. If it takes longer, the request fails with
  // DeadlineExceeded, unless compile_without_server is set.
  absl::Duration compile_server_budget = absl::Seconds(30);
  // If the server cannot be reached, or does not answer in time, this process compiles from then
  // on.
  bool compile_without_server = false;

  // Told of what happens: calls, compiles, promotions, failures, memory (seam/event.h).
  std::vector<std::shared_ptr<EventListener>> event_listeners;

  // For the engine's own tools and tests: told of IR and objects in the middle of the work.
  std::vector<std::shared_ptr<Listener>> listeners;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_OPTIONS_H_
