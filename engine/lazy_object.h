// An object that is linked when one of its symbols is first needed: a data-module, a module
// compiled whole, or an object file the user gave.
//
// Written by the ObjectLinker under its mutex; what it is when ready may be read without.

#ifndef FIRSTCALL_ENGINE_LAZY_OBJECT_H_
#define FIRSTCALL_ENGINE_LAZY_OBJECT_H_

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
#include "engine/exit_handlers.h"
#include "engine/mcjit_linker.h"
#include "engine/object_emitter.h"
#include "engine/object_image.h"
#include "memory/executor_address.h"
#include "memory/owned_code.h"

namespace firstcall {

class SourceModule;

// An object that was loaded, and for which there was no memory to finish. Others may refer to it.
struct UnfinishedLink {
  ObjectBytes bytes;
  std::unique_ptr<ObjectImage> image;
  std::unique_ptr<McjitLinker> linker;
  std::vector<absl::string_view> near_symbols;  // See ObjectImage::NearSymbols.
  bool is_bound = false;
  bool is_cached = false;  // The bytes came from a cache.
  // How long it took so far.
  size_t function_count = 0;
  absl::Duration split;
  absl::Duration emit;
  absl::Duration link;
};

struct LazyObject {
  enum class State {
    kUnlinked,
    kLoaded,  // Addresses are known; references are being bound by the thread that holds the mutex.
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

  // What it has in memory; a source module's functions too.
  OwnedCode& code() const { return *owned_code; }

  const std::string name;      // For messages.
  SourceModule* const module;  // What it is made from; null for an object file.
  const LibraryId library;
  ObjectBytes
      bytes;  // An object file's contents, or what was made of a module, until it is loaded.
  std::unique_ptr<UnfinishedLink> unfinished;
  std::atomic<State> state{State::kUnlinked};
  absl::Status status;        // Why it is kFailed.
  SymbolAddresses addresses;  // Of what it defines; constant from kReady on.

  // What runs before and after the program, of an object file: a source module's index knows that.
  // In the order of the file.
  struct LifecycleCode {
    int64_t priority;
    ExecutorAddress address;
  };
  std::vector<LifecycleCode> constructors;
  std::vector<LifecycleCode> destructors;

  std::unique_ptr<OwnedCode> owned_code;  // Empty once it was detached.
  DsoHandle& dso_handle;                  // In its memory.
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_LAZY_OBJECT_H_
