#include "object/far_sections.h"

#include <algorithm>

#include "object/relocation.h"

namespace firstcall {

bool HasLargeSections(const ElfTables& object) {
  return std::any_of(object.sections().begin(), object.sections().end(),
                     [](const ElfTables::Section& section) { return section.is_large(); });
}

absl::StatusOr<std::vector<uint32_t>> FarSections(const ElfTables& object) {
  std::vector<uint32_t> far;
  if (!HasLargeSections(object)) return far;
  const std::vector<ElfTables::Section>& sections = object.sections();
  std::vector<bool> is_far(sections.size());
  for (size_t i = 0; i < sections.size(); ++i) is_far[i] = sections[i].is_large();
  for (const ElfTables::Section& table : sections) {
    if (!object.IsTableOfLoaded(table)) continue;
    for (size_t i = 0; i < object.RelocationCount(table); ++i) {
      const ElfTables::Relocation relocation = object.relocation(table, i);
      const uint32_t number = relocation.symbol;
      if (number >= object.symbol_count()) {
        return absl::InvalidArgumentError("a relocation names no symbol");
      }
      if (DescribeRelocation(object.machine(), relocation.type).reach == RelocationReach::kAny) {
        continue;
      }
      const uint32_t target = object.SectionOf(object.symbol(number), number);
      if (target == table.info) continue;
      is_far[target] = is_far[table.info] = false;
    }
  }
  for (uint32_t i = 0; i < is_far.size(); ++i) {
    if (is_far[i]) far.push_back(i);
  }
  return far;
}

}  // namespace firstcall
