#include "object/running_code.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/types/span.h"
#include "object/machine.h"
#include "object/relocation.h"

namespace firstcall {
namespace {

// Bytes of code from `begin` to before `end`.
struct Changed {
  uint64_t begin, end;
};

// What relocations change in section number `section`, sorted.
std::vector<Changed> ChangedIn(const ElfObject& object, uint32_t section) {
  std::vector<Changed> changed;
  for (const ElfObject::Section& table : object.sections()) {
    if (!table.is_relocation_table() || table.info != section) continue;
    for (size_t i = 0; i < object.RelocationCount(table); ++i) {
      const ElfObject::Relocation relocation = object.relocation(table, i);
      const uint8_t size = DescribeRelocation(object.machine(), relocation.type).size;
      changed.push_back({relocation.offset, relocation.offset + size});
    }
  }
  std::sort(changed.begin(), changed.end(),
            [](const Changed& a, const Changed& b) { return a.begin < b.begin; });
  return changed;
}

// Whether `size` bytes are the same, but for breakpoints (int3; brk #0).
bool AreSame(Machine machine, const char* made, const char* running, size_t size) {
  if (machine != Machine::kAArch64) {
    constexpr char kBreakpoint = '\xcc';
    return std::equal(made, made + size, running,
                      [](char a, char b) { return a == b || b == kBreakpoint; });
  }
  constexpr uint32_t kBreakpoint = 0xd4200000;
  for (size_t i = 0; i + 4 <= size; i += 4) {
    if (std::memcmp(made + i, running + i, 4) == 0) continue;
    uint32_t word = 0;
    std::memcpy(&word, running + i, 4);
    if (word != kBreakpoint) return false;
  }
  return true;
}

bool IsCodeAt(const ElfObject& object, uint32_t section, uint64_t begin, uint64_t size,
              const char* body) {
  const absl::Span<const char> code = object.BytesOf(object.sections()[section]);
  if (begin > code.size() || size > code.size() - begin) return false;
  uint64_t at = begin;
  const uint64_t end = begin + size;
  for (const Changed& change : ChangedIn(object, section)) {
    if (change.end <= at || change.begin >= end) continue;
    if (change.begin > at &&
        !AreSame(object.machine(), &code[at], body + (at - begin), change.begin - at)) {
      return false;
    }
    at = std::max(at, std::min(change.end, end));
  }
  return at == end || AreSame(object.machine(), &code[at], body + (at - begin), end - at);
}

}  // namespace

bool IsCodeOf(const ElfObject& object, absl::string_view function, const void* body) {
  for (size_t i = 0; i < object.symbol_count(); ++i) {
    const ElfObject::Symbol symbol = object.symbol(i);
    if (symbol.is_undefined() || object.NameOf(symbol) != function) continue;
    const uint32_t section = object.SectionOf(symbol, i);
    if (section == 0 || symbol.size == 0) return false;
    return IsCodeAt(object, section, symbol.value, symbol.size, static_cast<const char*>(body));
  }
  return false;
}

}  // namespace firstcall
