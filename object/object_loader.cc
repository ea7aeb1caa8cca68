#include "object/object_loader.h"

#include <elf.h>

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "object/elf_linker.h"
#include "object/far_sections.h"
#include "object/machine.h"
#include "object/relocation.h"

namespace firstcall {
namespace {

absl::StatusOr<std::unique_ptr<Linker>> MakeElfLinker() { return std::make_unique<ElfLinker>(); }

// Whether MCJIT can apply a relocation of code or of data.
bool IsForMcjit(Machine machine, uint32_t type, bool is_code) {
  const McjitSupport support = DescribeRelocation(machine, type).mcjit;
  return support == McjitSupport::kYes || (support == McjitSupport::kInCode && is_code);
}

// MCJIT has no thread-local variables, and ends the process at their relocations.
bool HasThreadLocals(const ElfObject& object) {
  for (size_t i = 0; i < object.symbol_count(); ++i) {
    if (object.symbol(i).type() == STT_TLS) return true;
  }
  return false;
}

// Whether MCJIT can link `object`. It cannot place sections far from each other, nor join sections.
bool IsForMcjit(const ElfObject& object) {
  if (object.joins_sections() || HasLargeSections(object)) return false;
  for (const ElfObject::Section& table : object.sections()) {
    if (!object.IsTableOfLoaded(table)) continue;
    const bool is_code = (object.sections()[table.info].flags & SHF_EXECINSTR) != 0;
    for (size_t i = 0; i < object.RelocationCount(table); ++i) {
      if (!IsForMcjit(object.machine(), object.relocation(table, i).type, is_code)) return false;
    }
  }
  return true;
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
  if (others_can && others.come_first && IsForMcjit(object) && !HasThreadLocals(object)) {
    return LoadObjectBy(others.make, object, owner, near);
  }
  absl::StatusOr<LoadedObject> loaded = LoadObjectBy(MakeElfLinker, object, owner, near);
  if (!absl::IsUnimplemented(loaded.status()) || !others_can || HasThreadLocals(object)) {
    return loaded;
  }
  return LoadObjectBy(others.make, object, owner, near);
}

}  // namespace firstcall
