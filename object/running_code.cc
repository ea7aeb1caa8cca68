#include "object/running_code.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

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

struct Definition {
  ElfObject::Symbol symbol;
  uint32_t section;
};

std::optional<Definition> Find(const ElfObject& object, absl::string_view function) {
  for (size_t i = 0; i < object.symbol_count(); ++i) {
    const ElfObject::Symbol symbol = object.symbol(i);
    if (symbol.is_undefined() || object.NameOf(symbol) != function) continue;
    return Definition{symbol, object.SectionOf(symbol, i)};
  }
  return std::nullopt;
}

// call and jmp with a distance of 32 bits.
void AddTargetsOnX86_64(absl::Span<const uint8_t> code, uintptr_t begin,
                        std::vector<uintptr_t>& targets) {
  constexpr size_t kSize = 5;
  for (size_t i = 0; i + kSize <= code.size(); ++i) {
    if (code[i] != 0xe8 && code[i] != 0xe9) continue;
    int32_t distance;
    std::memcpy(&distance, &code[i + 1], sizeof distance);
    targets.push_back(begin + i + kSize + static_cast<uintptr_t>(int64_t{distance}));
  }
}

// bl and b, whose distance has 26 bits and counts instructions.
void AddTargetsOnAArch64(absl::Span<const uint8_t> code, uintptr_t begin,
                         std::vector<uintptr_t>& targets) {
  for (size_t i = 0; i + 4 <= code.size(); i += 4) {
    uint32_t word;
    std::memcpy(&word, &code[i], sizeof word);
    if ((word & 0x7c000000) != 0x14000000) continue;
    const int64_t distance = int64_t{static_cast<int32_t>(word << 6) >> 6} * 4;
    targets.push_back(begin + i + static_cast<uintptr_t>(distance));
  }
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
  const std::optional<Definition> found = Find(object, function);
  return found && found->section != 0 && found->symbol.size != 0 &&
         IsCodeAt(object, found->section, found->symbol.value, found->symbol.size,
                  static_cast<const char*>(body));
}

uint64_t CodeSizeOf(const ElfObject& object, absl::string_view function) {
  const std::optional<Definition> found = Find(object, function);
  return found ? found->symbol.size : 0;
}

// The system copies the code, because it reports memory that is not mapped without a signal.
std::vector<uintptr_t> StraightTargetsOf(Machine machine, const void* code, size_t size) {
  std::vector<uint8_t> bytes(size);
  const iovec to = {bytes.data(), size};
  const iovec from = {const_cast<void*>(code), size};
  const ssize_t count = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  std::vector<uintptr_t> targets;
  if (count <= 0) return targets;
  bytes.resize(static_cast<size_t>(count));
  const auto begin = reinterpret_cast<uintptr_t>(code);
  if (machine == Machine::kAArch64) {
    AddTargetsOnAArch64(bytes, begin, targets);
  } else {
    AddTargetsOnX86_64(bytes, begin, targets);
  }
  return targets;
}

}  // namespace firstcall
