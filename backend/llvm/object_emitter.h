// Turns an IR module into the bytes of a relocatable object, by LLVM's code generator. The code
// generation pipeline is built once and run on every module, because building it costs several
// times as much as compiling a small function; or something else of LLVM's, such as MCJIT, builds
// and runs a pipeline for each module. If the target's container is Mach-O, what LLVM writes is
// read into the form that all compiled code has, an ELF object (ADR 26).
//
// Thread-compatible: belongs to one compile context.

#ifndef FIRSTCALL_BACKEND_LLVM_OBJECT_EMITTER_H_
#define FIRSTCALL_BACKEND_LLVM_OBJECT_EMITTER_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/llvm/target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "object/object_bytes.h"

namespace firstcall {

class ObjectEmitter {
 public:
  // Replaces the contents of `object` by the object of `module`, which stays the caller's. After an
  // error of RunGuarded, LLVM may still refer to the module.
  using Compile = absl::Status (*)(llvm::Module& module,
                                   std::unique_ptr<llvm::TargetMachine> machine,
                                   llvm::SmallVectorImpl<char>& object);

  // `compile` compiles the modules, if it is not null. InvalidArgument if the target cannot emit
  // objects.
  static absl::StatusOr<std::unique_ptr<ObjectEmitter>> Create(const Target& target,
                                                               Compile compile = nullptr);

  ~ObjectEmitter();
  ObjectEmitter(const ObjectEmitter&) = delete;
  ObjectEmitter& operator=(const ObjectEmitter&) = delete;

  // Returns the object of `module`, whose context must report to a diagnostic collector.
  // InvalidArgument with LLVM's reason if the code generator refuses the IR. Unimplemented for what
  // LLVM gets wrong at every level. Internal if LLVM gives up: then is_broken() is true. Otherwise
  // no references to the module or its context are kept.
  absl::StatusOr<ObjectBytes> Emit(llvm::Module& module);

  // The same for a module that is consumed.
  absl::StatusOr<ObjectBytes> Emit(std::unique_ptr<llvm::Module> module);

  // Whether code is generated at a level above -O0.
  bool optimizes() const { return machine_->getOptLevel() != llvm::CodeGenOptLevel::None; }

  // Whether code generation was abandoned halfway: then this emitter cannot be used again.
  bool is_broken() const { return is_broken_; }

 private:
  ObjectEmitter(const Target& target, Compile compile,
                std::unique_ptr<llvm::TargetMachine> machine);
  absl::Status MakePasses();
  absl::StatusOr<ObjectBytes> EmitSlowly(llvm::Module& module);
  absl::StatusOr<ObjectBytes> EmitAsIs(llvm::Module& module);
  // Internal if LLVM gives up: then the emitter is broken.
  absl::Status RunPasses(llvm::Module& module);
  absl::Status ForgetAssignments();
  bool HasWrongFastSelection() const;

  const Target target_;
  const Compile compile_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::SmallVector<char, 0> bytes_;                   // Of the last object.
  llvm::raw_svector_ostream stream_;                   // Writes to bytes_.
  std::unique_ptr<llvm::legacy::PassManager> passes_;  // Null if there is a compile_.
  bool is_broken_ = false;
  bool has_crashed_ = false;
  // At -O0: for what LLVM gets wrong at -O0. Null until it is needed.
  std::unique_ptr<ObjectEmitter> slow_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_OBJECT_EMITTER_H_
