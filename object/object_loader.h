// Loads an object with the linker that supports it. Tested in tests/backend/mcjit/linker_test.cc.

#ifndef FIRSTCALL_OBJECT_OBJECT_LOADER_H_
#define FIRSTCALL_OBJECT_OBJECT_LOADER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "memory/executor_address.h"
#include "memory/owned_code.h"
#include "object/elf_object.h"
#include "object/linker.h"
#include "object/symbol_addresses.h"

namespace firstcall {

struct LoadedObject {
  std::unique_ptr<Linker> linker;  // Has loaded the object, which must exist until it is finished.
  SymbolAddresses defined;
};

// The linkers beside ElfLinker.
struct OtherLinkers {
  LinkerFactory make;  // Empty if there are none.
  // They load what they can, also what ElfLinker supports. They cannot place sections far from each
  // other, nor join sections, and they write every zero of large ones.
  bool come_first = false;
};

// Loads `object` by ElfLinker, or, if ElfLinker does not support something in the object, by one of
// `others`, or in the other order. Parameters and errors are those of Linker::Load.
absl::StatusOr<LoadedObject> LoadObject(ElfObject& object, OwnedCode& owner, ExecutorAddress near,
                                        const OtherLinkers& others);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_OBJECT_LOADER_H_
