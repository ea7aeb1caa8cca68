// Links the objects that are made from function-modules: resolves what they refer to, and loads
// them into memory.
//
// Thread-safe, as the contexts it is given are not shared.

#ifndef FIRSTCALL_ENGINE_FUNCTION_LINKER_H_
#define FIRSTCALL_ENGINE_FUNCTION_LINKER_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/code_space.h"
#include "engine/compile_context.h"
#include "engine/object_image.h"
#include "engine/object_linker.h"
#include "engine/source_module.h"
#include "engine/symbol_resolver.h"

namespace firstcall {

class FunctionLinker {
 public:
  // All must outlive the linker.
  FunctionLinker(SymbolResolver& resolver, ObjectLinker& objects, const CodeSpace& code_space)
      : resolver_(resolver), objects_(objects), code_space_(code_space) {}

  // Whether what is compiled now for `module` has to do without being near what it refers to.
  bool IsFar(const SourceModule& module) const {
    return module.is_far() || code_space_.MustBeFar();
  }

  struct Linked {
    SymbolAddresses defined;
    size_t code_bytes = 0;
  };

  // Links `image`, which was made for function `name` of `module`, into the module's code; `is_far`
  // if it does without being near what it refers to. Runs what linking data leaves to be run.
  // Blocks on what must be linked or compiled before.
  absl::StatusOr<Linked> Link(ObjectImage& image, SourceModule& module, absl::string_view name,
                              bool is_far, CompileContext& context) const;

 private:
  SymbolResolver& resolver_;
  ObjectLinker& objects_;
  const CodeSpace& code_space_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_FUNCTION_LINKER_H_
