// Loads an object with the linker that supports it. Tested in tests/codegen/linker_test.cc.

#ifndef FIRSTCALL_CODE_OBJECT_LOADER_H_
#define FIRSTCALL_CODE_OBJECT_LOADER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "code/elf_object.h"
#include "code/linker.h"
#include "code/symbol_addresses.h"
#include "memory/executor_address.h"
#include "memory/owned_code.h"

namespace firstcall {

struct LoadedObject {
  std::unique_ptr<Linker> linker;  // Has loaded the object, which must exist until it is finished.
  SymbolAddresses defined;
};

// Loads `object` by ElfLinker. If ElfLinker does not support something in the object, loads it by a
// linker of `other_linkers`, which may be empty. Parameters and errors are those of Linker::Load.
absl::StatusOr<LoadedObject> LoadObject(ElfObject& object, OwnedCode& owner, ExecutorAddress near,
                                        const LinkerFactory& other_linkers);

// The same, by a linker of `linkers` only.
absl::StatusOr<LoadedObject> LoadObjectBy(const LinkerFactory& linkers, ElfObject& object,
                                          OwnedCode& owner, ExecutorAddress near);

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_OBJECT_LOADER_H_
