// Loads a relocatable object into executable memory, and binds its references.
//
// Implementations are thread-compatible: a linker belongs to one object that is not finished.

#ifndef FIRSTCALL_OBJECT_LINKER_H_
#define FIRSTCALL_OBJECT_LINKER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "memory/executor_address.h"
#include "memory/owned_code.h"
#include "object/elf_object.h"
#include "object/symbol_addresses.h"

namespace firstcall {

// An entry of a table of functions, in writable data (see kTableSuffix).
struct TableEntry {
  absl::string_view function;  // The symbol's name with its suffix; points into the object's bytes.
  std::atomic<uint64_t>* place = nullptr;  // Where this process writes it.
};

class Linker {
 public:
  Linker() = default;
  virtual ~Linker() = default;
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  // Copies the sections of `object` to memory of `owner`, which must outlive the linker, and
  // returns the addresses of its definitions. References are not bound yet: Bind and Finalize, or
  // Finish, must follow before the next Load, which otherwise frees the object's memory. `object`
  // must exist until then. `near` is as in MemoryRequest. If this linker does not support something
  // in the object, Unimplemented (ElfLinker, before it asks for memory) or Internal. If memory runs
  // out, ResourceExhausted; then the object's bytes can be loaded again.
  virtual absl::StatusOr<SymbolAddresses> Load(ElfObject& object, OwnedCode& owner,
                                               ExecutorAddress near) = 0;

  // Binds the references of the loaded object to `resolution`, which must have all symbols that it
  // needs, and registers its unwind tables. Internal if a symbol is missing; any other error says
  // why a reference cannot be bound. After an error, Keep or Drop must follow.
  virtual absl::Status Bind(const SymbolResolution& resolution) = 0;

  // The entries of tables of functions in the bound object. They may be written as long as its
  // memory exists. Call it before Finalize. A linker may leave out any of them.
  virtual std::vector<TableEntry> TableEntries() const { return {}; }

  // Makes the bound object's code executable and hands the object to its owner. May be called again
  // after ResourceExhausted.
  virtual absl::Status Finalize() = 0;

  // For a loaded object that will not be finished. Keep hands its memory to the owner as it is,
  // because other objects refer to it. Drop frees the memory. Both do nothing if no object is
  // loaded.
  virtual void Keep() = 0;
  virtual void Drop() = 0;

  // The address of a section of the object that was loaded last, by the section's number; null if
  // the section was not loaded.
  virtual ExecutorAddress AddressOf(uint32_t section) const = 0;

  // Whether MCJIT links, instead of this project's own code.
  virtual bool is_mcjit() const { return false; }

  // Bytes of code of the last finished object. Call it before the next Load.
  virtual size_t code_bytes() const = 0;

  // Calls Bind and Finalize, and returns the TableEntries. After an error the object's memory is
  // freed; after ResourceExhausted the object can be loaded again.
  absl::StatusOr<std::vector<TableEntry>> Finish(const SymbolResolution& resolution) {
    std::vector<TableEntry> entries;
    absl::Status status = Bind(resolution);
    if (status.ok()) {
      entries = TableEntries();
      status = Finalize();
    }
    if (status.ok()) return entries;
    Drop();
    return status;
  }
};

// Makes a linker that supports objects that ElfLinker does not support.
using LinkerFactory = std::function<absl::StatusOr<std::unique_ptr<Linker>>()>;

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_LINKER_H_
