// Links objects that are needed as a whole (see lazy_object.h): makes them, loads them, binds their
// references.
//
// Thread-safe. One thread at a time links; others that need an unlinked object wait.

#ifndef FIRSTCALL_ENGINE_OBJECT_LINKER_H_
#define FIRSTCALL_ENGINE_OBJECT_LINKER_H_

#include <mutex>  // std::recursive_mutex

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/compile_context.h"
#include "engine/lazy_object.h"
#include "engine/listener.h"
#include "engine/symbol_resolver.h"

namespace firstcall {

class ObjectLinker {
 public:
  // All must outlive the linker.
  ObjectLinker(const Target& target, const CodeMemory& memory, SymbolResolver& resolver,
               Listener& listener)
      : target_(target), memory_(memory), resolver_(resolver), listener_(listener) {}

  // Links `object` unless that has been done. A failure is kept and returned again. May block on
  // generating code for data, or in eager mode for a module.
  absl::Status Link(LazyObject& object, CompileContext& context);

  // The address of a symbol it defines, after linking it. NotFound if it defines no such symbol.
  // While `object` is being linked by this very thread, what it needs may refer back to it: then
  // its address is known although its contents are not complete.
  absl::StatusOr<ExecutorAddress> AddressIn(LazyObject& object, absl::string_view name,
                                            CompileContext& context);

  // Held while linking. Whoever compiles a function together with data must hold it from before,
  // because both may need each other.
  std::recursive_mutex& mutex() { return mutex_; }

 private:
  absl::Status LinkLocked(LazyObject& object, CompileContext& context);
  absl::StatusOr<ObjectBytes> Make(LazyObject& object, CompileContext& context,
                                   PublishedObject& published);

  const Target& target_;
  const CodeMemory memory_;
  SymbolResolver& resolver_;
  Listener& listener_;
  // Recursive, because data of two modules may refer to each other, and because a client's symbol
  // finder, called while it is held, may call compiled code.
  std::recursive_mutex mutex_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_OBJECT_LINKER_H_
