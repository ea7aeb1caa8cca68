#include "object/object_loader.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/status.h"
#include "object/elf_linker.h"
#include "object/machine.h"

namespace firstcall {
namespace {

absl::StatusOr<std::unique_ptr<Linker>> MakeElfLinker() { return std::make_unique<ElfLinker>(); }

// The relocations that LLVM's generators of position-independent code make, and that MCJIT applies
// as it should. MCJIT ends the compile at relocations that it does not know, and cuts off what does
// not fit into narrower ones.
constexpr uint32_t kForX86_64[] = {R_X86_64_NONE,          R_X86_64_64,       R_X86_64_PC32,
                                   R_X86_64_PC64,          R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX,
                                   R_X86_64_REX_GOTPCRELX, R_X86_64_GOTOFF64, R_X86_64_GOT64,
                                   R_X86_64_GOTPC64};
constexpr uint32_t kForAArch64[] = {R_AARCH64_NONE,
                                    R_AARCH64_ABS64,
                                    R_AARCH64_PREL32,
                                    R_AARCH64_PREL64,
                                    R_AARCH64_CALL26,
                                    R_AARCH64_JUMP26,
                                    R_AARCH64_ADR_PREL_PG_HI21,
                                    R_AARCH64_ADD_ABS_LO12_NC,
                                    R_AARCH64_LDST8_ABS_LO12_NC,
                                    R_AARCH64_LDST16_ABS_LO12_NC,
                                    R_AARCH64_LDST32_ABS_LO12_NC,
                                    R_AARCH64_LDST64_ABS_LO12_NC,
                                    R_AARCH64_LDST128_ABS_LO12_NC,
                                    R_AARCH64_ADR_GOT_PAGE,
                                    R_AARCH64_LD64_GOT_LO12_NC,
                                    R_AARCH64_MOVW_UABS_G0_NC,
                                    R_AARCH64_MOVW_UABS_G1_NC,
                                    R_AARCH64_MOVW_UABS_G2_NC,
                                    R_AARCH64_MOVW_UABS_G3};

bool Has(absl::Span<const uint32_t> types, uint32_t type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// Whether MCJIT can apply a relocation of code or of data.
bool IsForMcjit(Machine machine, uint32_t type, bool is_code) {
  if (machine != Machine::kX86_64) return Has(kForAArch64, type);
  // For a function of another object MCJIT makes a jump behind the section, which cannot run there
  // if the section is data, such as a table of distances to functions.
  if (type == R_X86_64_PLT32) return is_code;
  return Has(kForX86_64, type);
}

// Whether MCJIT can link `object`. It cannot place sections far from each other, nor join sections.
bool IsForMcjit(const ElfObject& object) {
  if (object.joins_sections() || object.HasLargeSections()) return false;
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
  if (others_can && others.come_first && IsForMcjit(object)) {
    return LoadObjectBy(others.make, object, owner, near);
  }
  absl::StatusOr<LoadedObject> loaded = LoadObjectBy(MakeElfLinker, object, owner, near);
  if (!absl::IsUnimplemented(loaded.status()) || !others_can) return loaded;
  return LoadObjectBy(others.make, object, owner, near);
}

}  // namespace firstcall
