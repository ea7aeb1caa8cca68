#include "code/object_loader.h"

#include "base/status.h"
#include "code/elf_linker.h"

namespace firstcall {
namespace {

absl::StatusOr<std::unique_ptr<Linker>> MakeElfLinker() { return std::make_unique<ElfLinker>(); }

}  // namespace

absl::StatusOr<LoadedObject> LoadObject(ElfObject& object, OwnedCode& owner, ExecutorAddress near,
                                        const LinkerFactory& other_linkers) {
  absl::StatusOr<LoadedObject> loaded = LoadObjectBy(MakeElfLinker, object, owner, near);
  if (!absl::IsUnimplemented(loaded.status()) || !other_linkers) return loaded;
  if (object.joins_sections()) return loaded;  // Others place each section on its own.
  return LoadObjectBy(other_linkers, object, owner, near);
}

absl::StatusOr<LoadedObject> LoadObjectBy(const LinkerFactory& linkers, ElfObject& object,
                                          OwnedCode& owner, ExecutorAddress near) {
  LoadedObject loaded;
  FIRSTCALL_ASSIGN_OR_RETURN(loaded.linker, linkers());
  FIRSTCALL_ASSIGN_OR_RETURN(loaded.defined, loaded.linker->Load(object, owner, near));
  return loaded;
}

}  // namespace firstcall
