#include "object/macho_unwind_table.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "object/unwind_reader.h"

namespace firstcall {
namespace {

using Target = MachoReference::Target;

absl::Status Damaged() { return absl::InvalidArgumentError("its unwind table is damaged"); }

// An entry of a compact table: a pointer to the function, the function's size, the description, a
// pointer to the personality function, and one to the function's data.
constexpr uint64_t kCompactEntrySize = 32;

// The section in which an address of the object lies. No section may contain an address at its end
// that another one begins with.
std::optional<uint32_t> SectionAt(const MachoFile& file, uint64_t address) {
  for (uint32_t i = 0; i < file.sections().size(); ++i) {
    const MachoFile::Section& section = file.sections()[i];
    if (address - section.address < section.size) return i + 1;
  }
  return std::nullopt;
}

// A place in the object, by the section's number and the offset in it.
using Place = std::pair<uint32_t, uint64_t>;

Place PlaceOf(const MachoFile& file, const MachoReference& reference) {
  const auto addend = static_cast<uint64_t>(reference.addend);
  if (reference.target == Target::kSection) return {reference.number, addend};
  const MachoFile::Symbol& symbol = file.symbols()[reference.number];
  if (!symbol.is_in_section() || symbol.section - 1u >= file.sections().size()) return {0, 0};
  return {symbol.section, symbol.value - file.sections()[symbol.section - 1].address + addend};
}

}  // namespace

absl::Status AddUnwindReferences(const MachoFile& file, uint32_t number, std::string& contents,
                                 std::vector<MachoReference>& references) {
  absl::flat_hash_set<uint64_t> known;
  for (const MachoReference& reference : references) known.insert(reference.offset);
  const MachoFile::Section& section = file.sections()[number - 1];
  const std::string original = contents;
  const absl::Span<const uint8_t> table(reinterpret_cast<const uint8_t*>(original.data()),
                                        original.size());
  // Reads a pointer. False if it leads nowhere.
  const auto add = [&](UnwindReader& entry, PointerEncoding encoding) {
    const uint64_t offset = entry.at();
    // The object may place the function at address 0, so the distance tells whether it is null.
    const uint64_t distance = entry.Pointer(encoding.Format(), 0);
    if (!entry.ok() || encoding.size() < 4) return false;
    if (distance == 0 || known.contains(offset)) return true;
    const uint64_t address = section.address + offset + distance;
    const std::optional<uint32_t> to = SectionAt(file, address);
    if (!to || !encoding.is_pc_relative() || encoding.is_indirect()) return false;
    MachoReference reference;
    reference.offset = offset;
    reference.type = DistanceType(file.machine(), encoding.size());
    reference.target = Target::kSection;
    reference.number = *to;
    reference.addend = static_cast<int64_t>(address - file.sections()[*to - 1].address);
    references.push_back(reference);
    contents.replace(offset, encoding.size(), encoding.size(), '\0');
    return true;
  };
  const auto visit = [&](UnwindReader entry, const CommonUnwindEntry& common) {
    if (!add(entry, common.function)) return false;
    entry.Number(common.function.size());  // The function's size.
    if (!common.has_augmentation || common.data.is_omitted()) return true;
    entry.Unsigned();  // The size of the augmentation, which is the pointer.
    return add(entry, common.data);
  };
  return ForEachUnwindEntry(table, visit) ? absl::OkStatus() : Damaged();
}

absl::Status CheckCompactUnwindTable(const MachoFile& file,
                                     const std::vector<MachoReference>& references) {
  absl::flat_hash_set<Place> described;
  for (const MachoReference& reference : references) described.insert(PlaceOf(file, reference));
  for (uint32_t i = 0; i < file.sections().size(); ++i) {
    const MachoFile::Section& section = file.sections()[i];
    if (section.segment != "__LD" || section.name != "__compact_unwind") continue;
    std::string contents(section.bytes);
    FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<MachoReference> compact,
                               ReadMachoReferences(file, i + 1, contents));
    for (const MachoReference& reference : compact) {
      const bool is_function = reference.offset % kCompactEntrySize == 0;
      if (!is_function || described.contains(PlaceOf(file, reference))) continue;
      return absl::UnimplementedError(
          "a function has no unwind table but a compact one: compile it with "
          "-femit-dwarf-unwind=always");
    }
  }
  return absl::OkStatus();
}

}  // namespace firstcall
