// Loads relocatable objects into executable memory, with MCJIT as the linker.
//
// An MCJIT instance is only a tool here: memory, unwind tables and symbol addresses are kept
// outside of it, and plain relocations are applied
// here (engine/plain_relocations). So it can serve objects of any source module, and it is
// replaced from time to time, which bounds everything in it that grows with the number of objects
// (its search for a section to map is linear). Making one costs about 11 us, linking an object
// about 5 (ADR 0003).
//
// Thread-compatible: belongs to one compile context.

#ifndef FIRSTCALL_ENGINE_MCJIT_LINKER_H_
#define FIRSTCALL_ENGINE_MCJIT_LINKER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/object_image.h"
#include "engine/plain_relocations.h"
#include "engine/target.h"
#include "llvm/IR/LLVMContext.h"
#include "memory/executor_address.h"
#include "memory/owned_code.h"
#include "memory/section_memory.h"

namespace llvm {
class ExecutionEngine;
}  // namespace llvm

namespace firstcall {

using SymbolAddresses = absl::flat_hash_map<std::string, ExecutorAddress>;

class McjitLinker {
 public:
  // `target` must outlive the linker.
  explicit McjitLinker(const Target& target);
  ~McjitLinker();
  McjitLinker(const McjitLinker&) = delete;
  McjitLinker& operator=(const McjitLinker&) = delete;

  // Copies the sections of `image` to memory of `owner`, which must outlive the linker, and tells
  // what it defines. Its references are not bound yet: Bind and Finalize, or Finish, must follow
  // before another Load, or else the object's memory is given back. `near` is as in MemoryRequest.
  // ResourceExhausted if memory runs out, and nothing has changed then, so that the object can be
  // loaded again; Internal if MCJIT refuses the object.
  absl::StatusOr<SymbolAddresses> Load(ObjectImage& image, OwnedCode& owner, ExecutorAddress near);

  // Binds what the loaded object needs to `resolution`, which must name all of it, and makes its
  // unwind tables known. Internal if that is not possible: then the object's memory is as it was,
  // and Keep or Drop must follow.
  absl::Status Bind(const SymbolAddresses& resolution);

  // Makes the bound object's code executable and lets its owner have it. May be called again after
  // ResourceExhausted.
  absl::Status Finalize();

  // Bind and Finalize. After an error the object's memory has been given back; after
  // ResourceExhausted it can be loaded again.
  absl::Status Finish(const SymbolAddresses& resolution);

  // What becomes of a loaded object that is not finished: the owner has its memory as it is,
  // because others refer to it, or the memory is given back. Nothing if none is loaded.
  void Keep();
  void Drop();

  // Call before Load if AddressOf will be asked about the next object.
  void RecordSections();

  // Where a section of that object will be; null for one that was not loaded.
  ExecutorAddress AddressOf(llvm::object::SectionRef section) const;

  // Bytes of code of the object that was finished last. Call before the next Load.
  size_t code_bytes() const;

 private:
  class Resolver;
  class SectionRecorder;

  absl::Status Renew();
  bool MustRenew(const ObjectImage& image) const;
  absl::Status ApplyRelocations(const SymbolAddresses& resolution);
  void HandOver();  // To the owner.
  void Discard();

  const Target& target_;
  llvm::LLVMContext context_;                  // Of the empty module that MCJIT insists on.
  std::unique_ptr<SectionRecorder> sections_;  // Outlives mcjit_, which reports to it.
  std::unique_ptr<llvm::ExecutionEngine> mcjit_;
  Resolver* resolver_ = nullptr;     // Owned by mcjit_.
  SectionMemory* memory_ = nullptr;  // Owned by mcjit_.
  PlainRelocations relocations_;     // Of the object loaded last.
  size_t object_count_ = 0;          // Loaded by mcjit_.
  uint64_t free_count_ = 0;          // OwnedCode::free_count() when mcjit_ was made.
  OwnedCode* owner_ = nullptr;       // Of the object that is loaded.
  bool is_broken_ = false;           // A fatal error has left mcjit_ in the middle of something.
  // What mcjit_ would bind a later object's references to by itself.
  absl::flat_hash_set<std::string> defined_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_MCJIT_LINKER_H_
