#include "code/object_loader.h"

#include "base/status.h"
#include "code/elf_linker.h"

namespace firstcall {
namespace {

absl::StatusOr<std::unique_ptr<Linker>> MakeElfLinker() { return std::make_unique<ElfLinker>(); }

absl::StatusOr<LoadedObject> LoadObjectBy(const LinkerFactory& linkers, ElfObject& object,
                                          OwnedCode& owner, ExecutorAddress near) {
  LoadedObject loaded;
  FIRSTCALL_ASSIGN_OR_RETURN(loaded.linker, linkers());
  FIRSTCALL_ASSIGN_OR_RETURN(loaded.defined, loaded.linker->Load(object, owner, near));
  return loaded;
}

}  // namespace

absl::StatusOr<LoadedObject> LoadObject(ElfObject& object, OwnedCode& owner, ExecutorAddress near,
                                        const OtherLinkers& others) {
  const bool others_can = others.make && !object.joins_sections();
  if (others_can && others.come_first && !object.HasLargeSections()) {
    return LoadObjectBy(others.make, object, owner, near);
  }
  absl::StatusOr<LoadedObject> loaded = LoadObjectBy(MakeElfLinker, object, owner, near);
  if (!absl::IsUnimplemented(loaded.status()) || !others_can) return loaded;
  return LoadObjectBy(others.make, object, owner, near);
}

}  // namespace firstcall
