// Loads relocatable objects into executable memory, with MCJIT as the linker.
//
// Memory, unwind tables and symbol addresses are kept outside MCJIT, so linked code outlives the
// MCJIT instance that linked it; plain relocations are applied here
// (backend/mcjit/plain_relocations). Linking an object of one small function takes about 16 us, 11
// of them for the instance (ADR 3).
//
// Thread-compatible: belongs to one unfinished object. Tested in
// tests/backend/mcjit/linker_test.cc.

#ifndef FIRSTCALL_BACKEND_MCJIT_MCJIT_LINKER_H_
#define FIRSTCALL_BACKEND_MCJIT_MCJIT_LINKER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/llvm/target.h"
#include "backend/mcjit/plain_relocations.h"
#include "backend/mcjit/section_memory.h"
#include "llvm/IR/LLVMContext.h"
#include "memory/executor_address.h"
#include "memory/owned_code.h"
#include "object/elf_object.h"
#include "object/linker.h"
#include "object/symbol_addresses.h"

namespace llvm {
class ExecutionEngine;
}  // namespace llvm

namespace firstcall {

class McjitLinker final : public Linker {
 public:
  // `target` must outlive the linker.
  explicit McjitLinker(const Target& target);
  ~McjitLinker() override;

  // Internal if MCJIT refuses the object. MCJIT changes the object's bytes.
  absl::StatusOr<SymbolAddresses> Load(ElfObject& object, OwnedCode& owner,
                                       ExecutorAddress near) override;
  absl::Status Bind(const SymbolResolution& resolution) override;
  absl::Status Finalize() override;
  void Keep() override;
  void Drop() override;
  ExecutorAddress AddressOf(uint32_t section) const override;
  bool is_mcjit() const override { return true; }
  size_t code_bytes() const override;

 private:
  class Resolver;
  class SectionRecorder;

  absl::Status MakeInstance(const ElfObject& object);
  absl::Status ApplyRelocations(const SymbolResolution& resolution);
  void HandOver();  // To the owner.
  void Discard();

  const Target& target_;
  llvm::LLVMContext context_;                  // Of the empty module that MCJIT needs.
  std::unique_ptr<SectionRecorder> sections_;  // Must outlive mcjit_, which reports to it.
  std::unique_ptr<llvm::ExecutionEngine> mcjit_;
  Resolver* resolver_ = nullptr;       // Owned by mcjit_.
  SectionMemory* memory_ = nullptr;    // Owned by mcjit_.
  PlainRelocations relocations_;       // Of the object that was loaded last.
  OwnedCode* owner_ = nullptr;         // Of the loaded object.
  bool is_broken_ = false;             // A fatal error has left mcjit_ inconsistent.
  const ElfObject* object_ = nullptr;  // That was loaded last.
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_MCJIT_MCJIT_LINKER_H_
