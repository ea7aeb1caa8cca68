#include "code/object_loader.h"

#include <elf.h>

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "code/elf_linker.h"
#include "code/machine.h"

namespace firstcall {
namespace {

absl::StatusOr<std::unique_ptr<Linker>> MakeElfLinker() { return std::make_unique<ElfLinker>(); }

// Whether data is relative to functions, as in tables of relative addresses. MCJIT makes a jump for
// a function outside the object behind the data, where nothing can be executed, and on AArch64 does
// not know the relocation.
bool HasDistancesToFunctions(const ElfObject& object) {
  constexpr uint32_t kAArch64Plt32 = 314;  // Not in older <elf.h>.
  const uint32_t distance =
      object.machine() == Machine::kX86_64 ? uint32_t{R_X86_64_PLT32} : kAArch64Plt32;
  for (const ElfObject::Section& table : object.sections()) {
    if (!object.IsTableOfLoaded(table)) continue;
    if ((object.sections()[table.info].flags & SHF_EXECINSTR) != 0) continue;
    for (size_t i = 0; i < object.RelocationCount(table); ++i) {
      if (object.relocation(table, i).type == distance) return true;
    }
  }
  return false;
}

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
  if (others_can && others.come_first && !object.HasLargeSections() &&
      !HasDistancesToFunctions(object)) {
    return LoadObjectBy(others.make, object, owner, near);
  }
  absl::StatusOr<LoadedObject> loaded = LoadObjectBy(MakeElfLinker, object, owner, near);
  if (!absl::IsUnimplemented(loaded.status()) || !others_can) return loaded;
  return LoadObjectBy(others.make, object, owner, near);
}

}  // namespace firstcall
