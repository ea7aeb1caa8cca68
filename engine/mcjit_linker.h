// Loads relocatable objects into executable memory, with MCJIT as the linker.
//
// Memory, unwind tables and symbol addresses are kept outside MCJIT, and plain relocations are
// applied here (engine/plain_relocations). So one MCJIT instance can link objects of any source
// module. It is replaced from time to time, which bounds everything in it that grows with the
// number of objects (its search for a section to map is linear). Making an instance costs about 11
// us, linking an object about 5 us (ADR 0003).
//
// Thread-compatible: belongs to one compile context or to one unfinished object.

#ifndef FIRSTCALL_ENGINE_MCJIT_LINKER_H_
#define FIRSTCALL_ENGINE_MCJIT_LINKER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "code/symbol_addresses.h"
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

class McjitLinker {
 public:
  // `target` must outlive the linker.
  explicit McjitLinker(const Target& target);
  ~McjitLinker();
  McjitLinker(const McjitLinker&) = delete;
  McjitLinker& operator=(const McjitLinker&) = delete;

  // Copies the sections of `image` to memory of `owner`, which must outlive the linker, and returns
  // the addresses of its definitions. References are not bound yet: Bind and Finalize, or Finish,
  // must follow before the next Load, which otherwise frees the object's memory. `near` is as in
  // MemoryRequest. ResourceExhausted if memory runs out: then the object's bytes can be parsed and
  // loaded again. Internal if MCJIT refuses the object.
  absl::StatusOr<SymbolAddresses> Load(ObjectImage& image, OwnedCode& owner, ExecutorAddress near);

  // Binds the references of the loaded object to `resolution`, which must have all symbols that it
  // needs, and registers its unwind tables. Internal if that fails: then Keep or Drop must follow.
  absl::Status Bind(const SymbolAddresses& resolution);

  // Makes the bound object's code executable and hands the object to its owner. May be called again
  // after ResourceExhausted.
  absl::Status Finalize();

  // Bind and Finalize. After an error the object's memory is freed; after ResourceExhausted the
  // object can be loaded again.
  absl::Status Finish(const SymbolAddresses& resolution);

  // End a loaded object that is not finished. Keep hands its memory to the owner as it is, because
  // other objects refer to it. Drop frees the memory. Both do nothing if no object is loaded.
  void Keep();
  void Drop();

  // Call this before Load to use AddressOf for the next object.
  void RecordSections();

  // The address of a section of that object; null if the section was not loaded.
  ExecutorAddress AddressOf(llvm::object::SectionRef section) const;

  // Bytes of code of the last finished object. Call it before the next Load.
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
  llvm::LLVMContext context_;                  // Of the empty module that MCJIT needs.
  std::unique_ptr<SectionRecorder> sections_;  // Must outlive mcjit_, which reports to it.
  std::unique_ptr<llvm::ExecutionEngine> mcjit_;
  Resolver* resolver_ = nullptr;     // Owned by mcjit_.
  SectionMemory* memory_ = nullptr;  // Owned by mcjit_.
  PlainRelocations relocations_;     // Of the object that was loaded last.
  size_t object_count_ = 0;          // Objects that mcjit_ has loaded.
  uint64_t free_count_ = 0;          // OwnedCode::free_count() when mcjit_ was made.
  OwnedCode* owner_ = nullptr;       // Of the loaded object.
  bool is_broken_ = false;           // A fatal error has left mcjit_ inconsistent.
  // Names that mcjit_ would bind by itself in later objects.
  absl::flat_hash_set<std::string> defined_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_MCJIT_LINKER_H_
