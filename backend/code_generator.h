// What each backend is: a module in, an object out that the runtime half can link. The module may
// be a function-module, the data of a source module, or a whole one. There are three:
//
//   baseline  code of one pass, for first bodies; covers most IR (baseline_generator)
//   llvm      LLVM's code generator, with passes that are made once (llvm_generator)
//   mcjit     the same, with an execution engine for each module (mcjit_generator)
//
// The objects are linked by ElfLinker (object/), or by MCJIT's linker (McjitLinker).
//
// Implementations are thread-compatible: a generator belongs to one compile context.

#ifndef FIRSTCALL_BACKEND_CODE_GENERATOR_H_
#define FIRSTCALL_BACKEND_CODE_GENERATOR_H_

#include "absl/status/statusor.h"
#include "object/object_bytes.h"
#include "seam/code_origin.h"
#include "seam/identification.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

struct GenerationRequest {
  // The code may lie anywhere. Otherwise it is within reach of 32-bit distances from dso_local
  // symbols.
  bool is_far = false;
  // Stored in the object, so that a cache can tell what the object is. May be null.
  const Identification* identification = nullptr;
};

struct GeneratedObject {
  ObjectBytes bytes;
  CodeOrigin origin;

  // Whether the generator does not cover something in the module, which `origin.refusal` names.
  // There are no bytes then, and the module is as it was.
  bool is_refused() const { return !origin.refusal.empty(); }
};

class CodeGenerator {
 public:
  CodeGenerator() = default;
  virtual ~CodeGenerator() = default;
  CodeGenerator(const CodeGenerator&) = delete;
  CodeGenerator& operator=(const CodeGenerator&) = delete;

  // Generates the object of `module`, which must be verified and have the target's data layout, and
  // whose context must report to a diagnostic collector. Blocks until it is done. May change the
  // module, but keeps no reference to it unless is_broken(). InvalidArgument with the reason if
  // the IR is refused; Unimplemented for what LLVM gets wrong; Internal if LLVM gives up.
  virtual absl::StatusOr<GeneratedObject> Generate(llvm::Module& module,
                                                   const GenerationRequest& request) = 0;

  // Whether the generator was interrupted halfway: then it cannot be used again, and the last
  // module must not be freed.
  virtual bool is_broken() const { return false; }
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_CODE_GENERATOR_H_
