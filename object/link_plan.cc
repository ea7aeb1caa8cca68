#include "object/link_plan.h"

#include <elf.h>

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "base/round_up.h"
#include "base/status.h"
#include "object/far_sections.h"
#include "object/relocations_aarch64.h"
#include "object/relocations_x86_64.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

// Tables of relocations in the compact form that LLVM can write; missing from elf.h.
constexpr uint32_t kCompactRelocations = 0x40000014;

// The unwinder needs four zero bytes behind a table.
constexpr size_t kUnwindTableEnd = 4;

// Greater sizes and alignments are those of damaged objects. Sums of a few of them do not overflow.
constexpr uint64_t kMostBytes = uint64_t{1} << 40;
constexpr uint64_t kMostAlignment = uint64_t{1} << 30;

// A client's memory manager finds these by their names: the tables of stack maps and of implicit
// null checks.
constexpr absl::string_view kClientsSections[] = {".llvm_stackmaps", ".llvm_faultmaps"};

bool IsThreadLocal(const ElfObject::Section& section) { return (section.flags & SHF_TLS) != 0; }

Segment SegmentOf(const ElfObject::Section& section) {
  if (section.flags & SHF_EXECINSTR) return Segment::kCode;
  return section.flags & SHF_WRITE ? Segment::kData : Segment::kReadOnly;
}

}  // namespace

absl::string_view NameForMessage(const ElfObject& object, size_t symbol) {
  const ElfObject::Symbol entry = object.symbol(symbol);
  const absl::string_view name = object.NameOf(entry);
  return name.empty() && object.SectionOf(entry, symbol) != 0
             ? object.sections()[object.SectionOf(entry, symbol)].name
             : name;
}

absl::Status LinkPlan::Make(const ElfObject& object) {
  sections_.assign(object.sections().size(), {});
  symbols_.assign(object.symbol_count(), {});
  parts_.assign(3, {});
  for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
    parts_[PartOf(segment)].segment = segment;
  }
  entry_count_ = jump_count_ = descriptor_count_ = 0;
  table_offset_ = jumps_offset_ = descriptors_offset_ = 0;
  own_block_descriptor_ = kNone;
  thread_locals_ = {};
  image_part_ = kNone;
  if (object.machine() == Machine::kOther) {
    return absl::UnimplementedError("objects of this architecture are not supported");
  }
  jump_size_ = object.machine() == Machine::kX86_64 ? kX86_64JumpSize : kAArch64JumpSize;
  FIRSTCALL_ASSIGN_OR_RETURN(far_sections_, FarSections(object));
  FIRSTCALL_RETURN_IF_ERROR(AddSections(object));
  FIRSTCALL_RETURN_IF_ERROR(AddThreadLocals(object));
  FIRSTCALL_RETURN_IF_ERROR(AddSymbols(object));
  for (const ElfObject::Section& table : object.sections()) {
    FIRSTCALL_RETURN_IF_ERROR(AddReferences(object, table));
  }
  return AddTables();
}

// Returns the offset of what is added.
absl::StatusOr<uint64_t> LinkPlan::AddTo(Part& to, uint64_t size, uint64_t alignment,
                                         absl::string_view name) {
  alignment = std::max<uint64_t>(alignment, 1);
  if ((alignment & (alignment - 1)) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("section '", name, "': an alignment of ", alignment));
  }
  const uint64_t offset = RoundUp(to.size, alignment);
  if (alignment > kMostAlignment || size > kMostBytes || offset + size > kMostBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("section '", name, "': ", size,
                                                     " bytes, aligned to ", alignment,
                                                     ", are more than an object may have"));
  }
  if (to.size == 0) to.name = name;
  to.size = offset + size;
  to.alignment = std::max(to.alignment, alignment);
  return offset;
}

absl::Status LinkPlan::AddSections(const ElfObject& object) {
  const std::vector<ElfObject::Section>& all = object.sections();
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (!all[i].is_loaded() || all[i].type == SHT_NULL || sections_[i].is_loaded) continue;
    if (IsThreadLocal(all[i])) continue;
    FIRSTCALL_RETURN_IF_ERROR(AddSection(object, i));
    if (!object.joins_sections() || !IsIdentifier(all[i].name)) continue;
    for (size_t j = i + 1; j < sections_.size(); ++j) {
      if (!all[j].is_loaded() || IsThreadLocal(all[j]) || all[j].name != all[i].name) continue;
      if (SegmentOf(all[j]) != SegmentOf(all[i])) {
        return absl::InvalidArgumentError(
            absl::StrCat("section '", all[j].name, "' is there with different permissions"));
      }
      FIRSTCALL_RETURN_IF_ERROR(AddSection(object, j));
    }
  }
  return absl::OkStatus();
}

absl::Status LinkPlan::AddSection(const ElfObject& object, size_t number) {
  const ElfObject::Section& section = object.sections()[number];
  const uint64_t end = section.is_unwind_table() ? kUnwindTableEnd : 0;
  if (section.size > kMostBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("section '", section.name, "': ", section.size,
                                                     " bytes are more than an object may have"));
  }
  const bool is_far = std::binary_search(far_sections_.begin(), far_sections_.end(), number);
  const size_t part = PartFor(section, is_far);
  FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t offset,
                             Add(part, section.size + end, section.alignment, section.name));
  sections_[number] = {true, part, offset};
  return absl::OkStatus();
}

// What has bytes comes first, because an image is the beginning of a block.
absl::Status LinkPlan::AddThreadLocals(const ElfObject& object) {
  const std::vector<ElfObject::Section>& all = object.sections();
  for (const bool has_bytes : {true, false}) {
    for (size_t i = 0; i < sections_.size(); ++i) {
      const ElfObject::Section& section = all[i];
      if (!section.is_loaded() || !IsThreadLocal(section) || section.has_bytes() != has_bytes) {
        continue;
      }
      FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t offset, AddTo(thread_locals_, section.size,
                                                              section.alignment, section.name));
      if (has_bytes && image_part_ == kNone) {
        image_part_ = parts_.size();
        parts_.emplace_back().segment = Segment::kReadOnly;
      }
      sections_[i] = {/*is_loaded=*/has_bytes, has_bytes ? image_part_ : 0, offset,
                      /*is_thread_local=*/true};
    }
    if (!has_bytes || image_part_ == kNone) continue;
    parts_[image_part_].size = thread_locals_.size;
    parts_[image_part_].alignment = thread_locals_.alignment;
    parts_[image_part_].name = thread_locals_.name;
  }
  // Variables of no size have addresses, too.
  const bool has_some = std::any_of(sections_.begin(), sections_.end(),
                                    [](const Section& section) { return section.is_thread_local; });
  if (has_some && thread_locals_.size == 0) thread_locals_.size = 1;
  return absl::OkStatus();
}

size_t LinkPlan::PartFor(const ElfObject::Section& section, bool is_far) {
  const Segment segment = SegmentOf(section);
  if (is_far && segment != Segment::kCode) return FarPartOf(segment);
  const bool is_clients = std::find(std::begin(kClientsSections), std::end(kClientsSections),
                                    section.name) != std::end(kClientsSections);
  if (section.size == 0 || !is_clients) return PartOf(segment);
  parts_.emplace_back().segment = segment;
  return parts_.size() - 1;
}

size_t LinkPlan::FarPartOf(Segment segment) {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
    return part.is_far && part.segment == segment;
  });
  if (found != parts_.end()) return static_cast<size_t>(found - parts_.begin());
  Part& part = parts_.emplace_back();
  part.segment = segment;
  part.is_far = true;
  return parts_.size() - 1;
}

absl::Status LinkPlan::AddSymbols(const ElfObject& object) {
  for (size_t i = 0; i < symbols_.size(); ++i) {
    const ElfObject::Symbol entry = object.symbol(i);
    Symbol& symbol = symbols_[i];
    symbol.value = entry.value;
    if (i == 0 || entry.index == SHN_ABS) {
      symbol.source = Source::kAbsolute;
    } else if (entry.index == SHN_COMMON) {
      FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t offset,
                                 Add(PartOf(Segment::kData), entry.size, entry.value, "COMMON"));
      symbol.source = Source::kData;
      symbol.value = offset;
    } else if (entry.is_undefined()) {
      continue;
    } else if (const uint32_t section = object.SectionOf(entry, i);
               section != 0 && sections_[section].is_thread_local) {
      symbol.source = Source::kThreadLocal;
      symbol.value += sections_[section].offset;
    } else if (section != 0 && sections_[section].is_loaded) {
      symbol.source = Source::kSection;
      symbol.section = section;
    }
    const int type = entry.type();
    if (symbol.source != Source::kUnused && type == STT_GNU_IFUNC) {
      return absl::UnimplementedError(absl::StrCat("symbol '", object.NameOf(entry),
                                                   "': indirect functions are not supported"));
    }
    if (type == STT_TLS && (symbol.source == Source::kSection || symbol.source == Source::kData)) {
      return absl::InvalidArgumentError(
          absl::StrCat("symbol '", object.NameOf(entry),
                       "': a thread-local variable in another kind of section"));
    }
  }
  return absl::OkStatus();
}

absl::Status LinkPlan::AddReferences(const ElfObject& object, const ElfObject::Section& table) {
  switch (table.type) {
    case SHT_REL:
    case kCompactRelocations:
      if (table.info >= sections_.size() || !sections_[table.info].is_loaded) break;
      return absl::UnimplementedError(
          absl::StrCat("section '", table.name, "': this kind of table is not supported"));
    case SHT_RELA: {
      const ElfObject::Section& section = object.sections()[table.info];
      if (!section.is_loaded()) break;
      for (size_t i = 0; i < object.RelocationCount(table); ++i) {
        FIRSTCALL_RETURN_IF_ERROR(AddReference(object, section, object.relocation(table, i)));
      }
      break;
    }
    default:
      break;
  }
  return absl::OkStatus();
}

absl::Status LinkPlan::AddReference(const ElfObject& object, const ElfObject::Section& section,
                                    const ElfObject::Relocation& relocation) {
  const uint32_t type = relocation.type;
  const uint32_t number = relocation.symbol;
  if (number >= symbols_.size()) {
    return absl::InvalidArgumentError("a relocation names no symbol");
  }
  const RelocationKindInfo& kind = DescribeRelocation(object.machine(), type);
  Symbol& symbol = symbols_[number];
  const bool is_new = symbol.source == Source::kUnused;
  if (kind.is_thread_local && !kind.is_known) {
    return absl::UnimplementedError(
        absl::StrCat("symbol '", NameForMessage(object, number), "': relocation ", type,
                     " of a thread-local variable is not supported: compile it with -fPIC"));
  }
  if (!kind.is_known || (kind.takes_no_addend && relocation.addend != 0)) {
    return absl::UnimplementedError(absl::StrCat("symbol '", NameForMessage(object, number),
                                                 "': relocation ", type, " is not supported"));
  }
  if (!section.has_bytes() || relocation.offset > section.size ||
      kind.size > section.size - relocation.offset) {
    return absl::InvalidArgumentError("a relocation lies outside its section");
  }
  if (kind.size == 0) return absl::OkStatus();
  if (is_new) {
    FIRSTCALL_RETURN_IF_ERROR(Classify(object, number));
  }
  if (kind.is_thread_local) return AddThreadLocalReference(object, number, kind);
  if (symbol.source == Source::kThreadLocal ||
      (is_new && object.symbol(number).type() == STT_TLS)) {
    return absl::InvalidArgumentError(absl::StrCat("symbol '", NameForMessage(object, number),
                                                   "' is thread-local, and relocation ", type,
                                                   " is that of another variable"));
  }
  if (kind.uses_entry && symbol.entry == kNone) symbol.entry = entry_count_++;
  const bool uses_table = kind.uses_table || symbol.source == Source::kOffsetTable;
  if (uses_table && entry_count_ == 0) entry_count_ = 1;
  const bool may_be_far = symbol.source == Source::kUndefined || symbol.source == Source::kAbsolute;
  if (kind.may_use_jump && may_be_far && symbol.jump == kNone && !object.calls_are_direct()) {
    symbol.jump = jump_count_++;
  }
  return absl::OkStatus();
}

absl::Status LinkPlan::AddThreadLocalReference(const ElfObject& object, uint32_t number,
                                               const RelocationKindInfo& kind) {
  Symbol& symbol = symbols_[number];
  const bool is_own = symbol.source == Source::kThreadLocal;
  // Zero if it is weak and nothing defines it.
  const bool is_others = symbol.source == Source::kUndefined ||
                         (symbol.source == Source::kAbsolute && symbol.value == 0);
  const bool needs_own = kind.uses_own_block || kind.is_place_in_block;
  if (!is_own && (needs_own || !is_others)) {
    return absl::UnimplementedError(absl::StrCat("symbol '", NameForMessage(object, number),
                                                 "' is no thread-local variable",
                                                 needs_own ? " of the object" : ""));
  }
  if (kind.uses_own_block) {
    if (own_block_descriptor_ == kNone) own_block_descriptor_ = descriptor_count_++;
  } else if (kind.uses_descriptor && symbol.descriptor == kNone) {
    symbol.descriptor = descriptor_count_++;
  }
  return absl::OkStatus();
}

// A symbol that a relocation names, and that no loaded section defines.
absl::Status LinkPlan::Classify(const ElfObject& object, size_t number) {
  const ElfObject::Symbol entry = object.symbol(number);
  if (!entry.is_undefined()) {
    return absl::UnimplementedError(absl::StrCat("symbol '", NameForMessage(object, number),
                                                 "': it is in no section that is loaded"));
  }
  const absl::string_view name = object.NameOf(entry);
  if (name.empty()) return absl::InvalidArgumentError("a relocation names a symbol without a name");
  if (name == kThreadLocalBase) {
    symbols_[number].source = Source::kThreadLocal;
    symbols_[number].value = 0;
    return absl::OkStatus();
  }
  symbols_[number].source = name == kGlobalOffsetTable ? Source::kOffsetTable : Source::kUndefined;
  return absl::OkStatus();
}

absl::Status LinkPlan::AddTables() {
  if (entry_count_ != 0) {
    FIRSTCALL_ASSIGN_OR_RETURN(
        const uint64_t offset,
        Add(PartOf(Segment::kReadOnly), entry_count_ * kEntrySize, kEntrySize, ".got"));
    table_offset_ = offset;
  }
  if (descriptor_count_ != 0) {
    FIRSTCALL_ASSIGN_OR_RETURN(descriptors_offset_,
                               Add(PartOf(Segment::kReadOnly), descriptor_count_ * kDescriptorSize,
                                   kEntrySize, ".got.tls"));
  }
  if (jump_count_ != 0) {
    constexpr uint64_t kJumpAlignment = 8;
    FIRSTCALL_ASSIGN_OR_RETURN(
        const uint64_t offset,
        Add(PartOf(Segment::kCode), jump_count_ * jump_size_, kJumpAlignment, ".plt"));
    jumps_offset_ = offset;
  }
  return absl::OkStatus();
}

}  // namespace firstcall
