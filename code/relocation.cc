#include "code/relocation.h"

#include "code/relocations_aarch64.h"
#include "code/relocations_x86_64.h"

namespace firstcall {

RelocationKindInfo DescribeRelocation(Machine machine, uint32_t type) {
  switch (machine) {
    case Machine::kX86_64:
      return DescribeX86_64Relocation(type);
    case Machine::kAArch64:
      return DescribeAArch64Relocation(type);
    case Machine::kOther:
      return {};
  }
  return {};
}

}  // namespace firstcall
