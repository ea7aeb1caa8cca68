// An object that is linked when one of its symbols is first needed: a data-module, a module that is
// compiled whole, or an object file that the user added.
//
// Written by the ObjectLinker under its mutex. Once `state` is kReady, the other fields may be read
// without the mutex. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_LAZY_OBJECT_H_
#define FIRSTCALL_RUNTIME_LINK_LAZY_OBJECT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/ids.h"
#include "memory/executor_address.h"
#include "memory/owned_code.h"
#include "object/elf_object.h"
#include "object/linker.h"
#include "object/object_bytes.h"
#include "object/symbol_addresses.h"
#include "runtime/process/exit_handlers.h"
#include "seam/code_origin.h"

namespace firstcall {

class SourceModule;

// An object that is loaded but not finished: linking is in progress, memory ran out, or a symbol is
// missing that this object, or an object that it refers to, needs. Other objects may refer to it
// already.
struct UnfinishedLink {
  ObjectBytes bytes;
  std::unique_ptr<ElfObject> image;
  std::unique_ptr<Linker> linker;
  std::vector<absl::string_view> near_symbols;  // See ElfObject::NearSymbols.
  std::vector<TableEntry> table_entries;  // Empty if these entries must stay as they are bound.
  bool is_bound = false;
  SymbolResolution bound_to;  // What its references are bound to.
  uint64_t removals = 0;      // How many modules had been removed when they were bound.
  bool is_complete = false;   // Its code can run, and listeners were told.
  size_t reaches = 0;         // While it is kLoaded or kBound: see ObjectLinker::Frame.
  bool is_cached = false;     // The bytes came from a cache.
  CodeOrigin origin;          // If the bytes did not come from a cache.
  // Source functions that the object defines, and the times spent so far.
  size_t function_count = 0;
  absl::Duration split;
  absl::Duration emit;
  absl::Duration link;
};

struct LazyObject {
  enum class State {
    kUnlinked,
    kLoaded,  // Addresses are known. The thread that holds the mutex is binding references, of this
              // object or of others that it refers to in a circle.
    kBound,   // It waits for other objects of its circle. Threads that must not wait may use it.
    kReady,
    kFailed,
  };

  LazyObject(std::string object_name, SourceModule* object_module, LibraryId object_library,
             std::unique_ptr<OwnedCode> object_code, DsoHandle& object_handle)
      : name(std::move(object_name)),
        module(object_module),
        library(object_library),
        owned_code(std::move(object_code)),
        dso_handle(object_handle) {}

  // The code that the object owns. For a source module this includes the code of its functions.
  OwnedCode& code() const { return *owned_code; }

  // Gives up the unfinished link. What is loaded stays as it is, in the memory of code().
  void GiveUpUnfinished() {
    if (unfinished == nullptr) return;
    unfinished->linker->Keep();
    unfinished = nullptr;
  }

  const std::string name;      // For messages.
  SourceModule* const module;  // The source; null for an object file.
  const LibraryId library;
  bool is_archive_member = false;  // Constant once the object was added.
  ObjectBytes bytes;  // Until it is loaded: an object file's contents, or a module's object.
  std::atomic<State> state{State::kUnlinked};
  absl::Status status;  // The reason for kFailed, or why a symbol is missing.
  // If a symbol is missing: how many modules and objects had been added when this was found.
  std::optional<uint64_t> additions;
  // See ExitHandlers::MakeAtexit and runtime/process/dynamic_symbols.h. Null if it is not needed
  // yet. Guarded by the SymbolResolver.
  ExecutorAddress own_atexit;
  ExecutorAddress own_dlsym;
  SymbolAddresses addresses;  // The defined symbols; constant once kReady.

  // The constructors and destructors of an object file, by ascending priority, then in the order of
  // the file. Empty for a source module, whose index lists them.
  struct LifecycleCode {
    int64_t priority;
    ExecutorAddress address;
  };
  std::vector<LifecycleCode> constructors;
  std::vector<LifecycleCode> destructors;

  std::unique_ptr<OwnedCode> owned_code;       // Null once the module was removed or detached.
  std::unique_ptr<UnfinishedLink> unfinished;  // Destroyed before the code, which it gives back.
  DsoHandle& dso_handle;                       // Lies in owned_code.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_LAZY_OBJECT_H_
