// The symbols that no module and no object of a program defines: those that the client finds, those
// that the engine itself provides, and those of the process.
//
// Thread-safe, as the client's finder must be. Tested in tests/runtime/outside_symbols_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_OUTSIDE_SYMBOLS_H_
#define FIRSTCALL_RUNTIME_LINK_OUTSIDE_SYMBOLS_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "memory/executor_address.h"
#include "runtime/link/definitions.h"
#include "runtime/process/host_thread_locals.h"
#include "seam/options.h"

namespace firstcall {

class OutsideSymbols {
 public:
  struct Sources {
    LibrarySymbolFinder client;  // Asked first. May be empty.
    // The symbols of the process; empty: none. Must not run code of the program.
    std::function<ExecutorAddress(const std::string& name)> process;
    // Whether the engine provides what emulated thread-local variables need.
    bool provides_emulated_tls = true;
  };

  // `libraries`, which knows the names of the libraries, and `host_thread_locals` must outlive
  // this.
  OutsideSymbols(Sources sources, const Definitions& libraries,
                 HostThreadLocals& host_thread_locals)
      : sources_(std::move(sources)),
        libraries_(libraries),
        host_thread_locals_(host_thread_locals) {}

  // Returns the address of the client's symbol, or else of the engine's own function, or else of
  // the process's symbol; null if there is none. `library` has what refers to the symbol, here and
  // below. Runs the client's code, as FindByClient does.
  ExecutorAddress Find(absl::string_view name, LibraryId library) const;

  // The same for a thread-local variable: the address of its descriptor (ThreadLocalDescriptor). A
  // client may have the variable's control record (kEmulatedTlsPrefix). Errors are those of
  // HostThreadLocals::DescriptorOf.
  absl::StatusOr<ExecutorAddress> FindThreadLocal(absl::string_view variable,
                                                  LibraryId library) const;
  // Whether FindThreadLocal would find the variable.
  bool HasThreadLocal(absl::string_view variable, LibraryId library) const;

  // Makes control records of descriptors, and the other way round.
  HostThreadLocals& thread_locals() const { return host_thread_locals_; }

  // The same among the client's symbols only. The caller is at work (see WorkScope).
  void* FindByClient(absl::string_view name, LibraryId library) const;

  // The same among the symbols of the process, and of the compiler's runtime library.
  ExecutorAddress FindInProcess(absl::string_view name) const;

 private:
  const Sources sources_;
  const Definitions& libraries_;
  HostThreadLocals& host_thread_locals_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_OUTSIDE_SYMBOLS_H_
