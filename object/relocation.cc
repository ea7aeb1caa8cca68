#include "object/relocation.h"

#include "object/relocations_aarch64.h"
#include "object/relocations_x86_64.h"

namespace firstcall {
namespace {

constexpr RelocationKindInfo kUnknown;

}  // namespace

const RelocationKindInfo& DescribeRelocation(Machine machine, uint32_t type) {
  switch (machine) {
    case Machine::kX86_64:
      return DescribeX86_64Relocation(type);
    case Machine::kAArch64:
      return DescribeAArch64Relocation(type);
    case Machine::kOther:
      return kUnknown;
  }
  return kUnknown;
}

}  // namespace firstcall
