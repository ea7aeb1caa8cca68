// The tables of a damaged object may overlap. So a change of one may change another, and what is
// read from a record is checked whenever it is used.

#include "object/elf_object.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "object/machine.h"
#include "object/relocation.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

// GCC's unique symbols (static variables of inline functions and of templates) are weak for a
// linker, too: the first one wins.
bool IsWeak(const ElfObject::Symbol& symbol) {
  return symbol.binding() == STB_WEAK || symbol.binding() == STB_GNU_UNIQUE;
}

absl::Status Damaged(absl::string_view what) { return absl::InvalidArgumentError(what); }

// Whether the relocation is that of a call or a jump to the beginning of a function.
bool IsCall(Machine machine, const ElfObject::Relocation& relocation) {
  // On x86-64 the distance counts from behind the instruction, which ends with it.
  const int64_t addend = machine == Machine::kX86_64 ? -4 : 0;
  return DescribeRelocation(machine, relocation.type).may_be_call && relocation.addend == addend;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ElfObject>> ElfObject::Parse(absl::Span<char> bytes,
                                                            absl::string_view name,
                                                            IsWanted is_wanted) {
  std::unique_ptr<ElfObject> object(new ElfObject());
  absl::Status status = object->ReadTables(bytes);
  if (status.ok()) status = object->ReadSymbols(is_wanted);
  if (status.ok()) return object;
  return Annotate(status, absl::StrCat("reading object '", name, "'"));
}

absl::Status ElfObject::ReadSymbols(IsWanted is_wanted) {
  for (size_t i = 0; i < symbol_count(); ++i) {
    const Symbol entry = symbol(i);
    if (!HasName(entry)) return Damaged("the name of a symbol is not in it");
    const int type = entry.type();
    if (entry.name == 0 || type == STT_SECTION || type == STT_FILE) continue;
    const bool is_undefined = entry.is_undefined();
    if (!is_undefined && entry.is_local()) continue;
    const absl::string_view name = NameOf(entry);
    if (name.empty()) continue;
    if (!is_undefined) {
      defined_.push_back(name);
    } else if (name != kGlobalOffsetTable && name != kThreadLocalBase) {
      undefined_.push_back({name, IsWeak(entry), type == STT_TLS});
    }
  }
  return has_debug_sections() ? DropUnneededSymbols(is_wanted) : absl::OkStatus();
}

absl::Status ElfObject::DropUnneededSymbols(IsWanted is_wanted) {
  absl::flat_hash_set<absl::string_view> needed;
  for (const Section& table : sections()) {
    if (!IsTableOfLoaded(table)) continue;
    for (size_t i = 0; i < RelocationCount(table); ++i) {
      const uint32_t number = relocation(table, i).symbol;
      if (number >= symbol_count()) return Damaged("a relocation names no symbol");
      const Symbol entry = symbol(number);
      if (entry.is_undefined()) needed.insert(NameOf(entry));
    }
  }
  undefined_.erase(std::remove_if(undefined_.begin(), undefined_.end(),
                                  [&](const Undefined& symbol) {
                                    return !needed.contains(symbol.name) && !is_wanted(symbol.name);
                                  }),
                   undefined_.end());
  return absl::OkStatus();
}

bool ElfObject::Defines(absl::string_view name) const {
  return std::find(defined_.begin(), defined_.end(), name) != defined_.end();
}

std::vector<absl::string_view> ElfObject::ReferrersTo(absl::string_view name) const {
  std::vector<absl::string_view> referrers;
  // What is behind a definition, and in none, belongs to it: the constants of a function.
  const auto add_definitions_at = [&](uint32_t section, uint64_t offset) {
    uint64_t nearest = 0;
    for (const bool is_second_look : {false, true}) {
      for (size_t i = 0; i < symbol_count(); ++i) {
        const Symbol entry = symbol(i);
        const int type = entry.type();
        if ((type != STT_FUNC && type != STT_OBJECT) || SectionOf(entry, i) != section ||
            offset < entry.value || entry.value < nearest) {
          continue;
        }
        nearest = entry.value;
        if (!is_second_look) continue;
        const absl::string_view referrer = NameOf(entry);
        if (std::find(referrers.begin(), referrers.end(), referrer) == referrers.end()) {
          referrers.push_back(referrer);
        }
      }
    }
  };
  for (const Section& table : sections()) {
    if (table.type != SHT_RELA) continue;
    for (size_t i = 0; i < RelocationCount(table); ++i) {
      const Relocation relocation = this->relocation(table, i);
      const uint32_t number = relocation.symbol;
      if (number < symbol_count() && NameOf(symbol(number)) == name) {
        add_definitions_at(table.info, relocation.offset);
      }
    }
  }
  return referrers;
}

std::vector<ElfObject::Definition> ElfObject::DescribeDefinitions() const {
  std::vector<Definition> definitions;
  for (size_t i = 0; i < symbol_count(); ++i) {
    const Symbol entry = symbol(i);
    if (entry.is_undefined() || entry.is_local()) continue;
    Definition definition;
    definition.name = NameOf(entry);
    // A tentative definition gives way, too.
    definition.is_weak = IsWeak(entry) || entry.index == SHN_COMMON;
    const int visibility = ELF64_ST_VISIBILITY(entry.other);
    definition.is_hidden = visibility == STV_HIDDEN || visibility == STV_INTERNAL;
    definition.is_thread_local = entry.type() == STT_TLS;
    definitions.push_back(definition);
  }
  return definitions;
}

SegmentSizes ElfObject::MemorySizes() const {
  // Each reference may need a jump (at most 20 bytes, on AArch64) and an entry of the offset table.
  constexpr size_t kBytesForReference = 32;
  SegmentSizes sizes;
  for (const Section& section : sections()) {
    const uint64_t size = section.size + std::max<uint64_t>(section.alignment, 1);
    if (section.type == SHT_RELA) {
      sizes.code += kBytesForReference * RelocationCount(section);
      sizes.data += kBytesForReference * RelocationCount(section);
    } else if (!section.is_loaded()) {
      continue;
    } else if (section.flags & SHF_EXECINSTR) {
      sizes.code += size;
    } else if (section.flags & SHF_WRITE) {
      sizes.data += size;
    } else {
      sizes.read_only += size;
    }
  }
  for (size_t i = 0; i < symbol_count(); ++i) {
    const Symbol entry = symbol(i);
    // The value of a common symbol is its alignment.
    if (entry.index == SHN_COMMON) sizes.data += entry.size + entry.value;
  }
  return sizes;
}

std::vector<ElfObject::NamedSection> ElfObject::NamedSections() const {
  std::vector<NamedSection> named;
  absl::flat_hash_map<absl::string_view, int> count;
  for (size_t i = 0; i < sections().size(); ++i) {
    const Section& section = sections()[i];
    if (!section.is_loaded() || !IsIdentifier(section.name)) continue;
    named.push_back({section.name, static_cast<uint32_t>(i), section.size});
    ++count[section.name];
  }
  named.erase(std::remove_if(named.begin(), named.end(),
                             [&](const NamedSection& section) { return count[section.name] > 1; }),
              named.end());
  return named;
}

absl::StatusOr<std::vector<ElfObject::LifecyclePointer>> ElfObject::LifecyclePointers() const {
  std::vector<LifecyclePointer> pointers;
  for (const Section& table : sections()) {
    if (table.type != SHT_RELA) continue;
    const absl::string_view name = sections()[table.info].name;
    for (LifecyclePhase phase : {LifecyclePhase::kStart, LifecyclePhase::kEnd}) {
      const std::optional<LifecycleSection> lifecycle = FindLifecycleSection(name, phase);
      if (!lifecycle) continue;
      const size_t begin = pointers.size();
      for (size_t i = 0; i < RelocationCount(table); ++i) {
        const Relocation relocation = this->relocation(table, i);
        const uint32_t number = relocation.symbol;
        if (number == 0) continue;
        if (number >= symbol_count()) return Damaged("a relocation names no symbol");
        const Symbol target = symbol(number);
        const uint32_t section = SectionOf(target, number);
        if (section == 0) {
          return absl::UnimplementedError(
              absl::StrCat("section '", name, "': a pointer to another object's function"));
        }
        pointers.push_back({phase, lifecycle->priority, section,
                            target.value + static_cast<uint64_t>(relocation.addend)});
      }
      if (lifecycle->is_reversed) std::reverse(pointers.begin() + begin, pointers.end());
    }
  }
  return pointers;
}

absl::StatusOr<std::vector<absl::string_view>> ElfObject::NearSymbols() const {
  std::vector<absl::string_view> symbols;
  for (const Section& table : sections()) {
    if (!IsTableOfLoaded(table)) continue;
    for (size_t i = 0; i < RelocationCount(table); ++i) {
      const Relocation relocation = this->relocation(table, i);
      const uint32_t type = relocation.type;
      const uint32_t number = relocation.symbol;
      const RelocationKindInfo& kind = DescribeRelocation(machine(), type);
      if (kind.reach == RelocationReach::kAny || number == 0) continue;
      if (number >= symbol_count()) return Damaged("a relocation names no symbol");
      const Symbol target = symbol(number);
      const bool is_undefined = target.is_undefined();
      if (kind.reach == RelocationReach::kNone && (is_undefined || kind.is_absolute)) {
        return absl::UnimplementedError("an address of 32 bits or less: compile it with -fPIC");
      }
      if (is_undefined) symbols.push_back(NameOf(target));
    }
  }
  return symbols;
}

void ElfObject::Undefine(absl::string_view name) { UndefineAll({name}); }

void ElfObject::UndefineAll(absl::Span<const absl::string_view> all) {
  if (all.empty()) return;
  const absl::flat_hash_set<absl::string_view> names(all.begin(), all.end());
  absl::flat_hash_set<absl::string_view> thread_locals;
  for (size_t i = 0; i < symbol_count(); ++i) {
    Symbol entry = symbol(i);
    if (entry.is_local() || !names.contains(NameOf(entry))) continue;
    const bool is_thread_local = entry.type() == STT_TLS;
    if (is_thread_local) thread_locals.insert(NameOf(entry));
    entry.index = SHN_UNDEF;
    entry.value = 0;
    entry.info = ELF64_ST_INFO(STB_GLOBAL, is_thread_local ? STT_TLS : STT_NOTYPE);
    SetSymbol(i, entry);
  }
  defined_.erase(std::remove_if(defined_.begin(), defined_.end(),
                                [&](absl::string_view name) { return names.contains(name); }),
                 defined_.end());
  for (absl::string_view name : all) {
    undefined_.push_back({name, /*is_weak=*/false, thread_locals.contains(name)});
  }
}

// What describes a function, such as its unwind table, is then relative to another symbol of its
// section, the anchor.
void ElfObject::CallElsewhere(absl::Span<const absl::string_view> names) {
  if (names.empty()) return;
  const absl::flat_hash_set<absl::string_view> wanted(names.begin(), names.end());
  absl::flat_hash_map<uint32_t, bool> is_called;      // By the function's number.
  absl::flat_hash_map<uint32_t, uint32_t> anchor_of;  // By the number of the section.
  for (uint32_t i = 1; i < symbol_count(); ++i) {
    const uint32_t section = SectionOf(symbol(i), i);
    if (section == 0) continue;
    if (!symbol(i).is_local() && wanted.contains(NameOf(symbol(i)))) {
      is_called.emplace(i, false);
    } else {
      anchor_of[section] = i;
    }
  }
  const auto for_each_reference = [&](absl::FunctionRef<void(bool is_call, Relocation relocation,
                                                             const Section& table, size_t number)>
                                          visit) {
    for (const Section& table : sections()) {
      if (!table.is_relocation_table()) continue;
      const bool is_code = (sections()[table.info].flags & SHF_EXECINSTR) != 0;
      for (size_t i = 0; i < RelocationCount(table); ++i) {
        const Relocation relocation = this->relocation(table, i);
        if (!is_called.contains(relocation.symbol)) continue;
        visit(is_code && IsCall(machine(), relocation), relocation, table, i);
      }
    }
  };
  for_each_reference([&](bool is_call, Relocation relocation, const Section&, size_t) {
    if (is_call) is_called[relocation.symbol] = true;
  });
  std::vector<absl::string_view> elsewhere;
  absl::erase_if(is_called, [&](const auto& function) {
    const auto [number, has_calls] = function;
    const bool stays = !has_calls || !anchor_of.contains(SectionOf(symbol(number), number));
    if (!stays) elsewhere.push_back(NameOf(symbol(number)));
    return stays;
  });
  if (elsewhere.empty()) return;
  std::sort(elsewhere.begin(), elsewhere.end());
  for_each_reference([&](bool is_call, Relocation relocation, const Section& table, size_t i) {
    if (is_call) return;
    const Symbol function = symbol(relocation.symbol);
    const uint32_t anchor = anchor_of.at(SectionOf(function, relocation.symbol));
    relocation.symbol = anchor;
    relocation.addend += static_cast<int64_t>(function.value - symbol(anchor).value);
    SetRelocation(table, i, relocation);
  });
  UndefineAll(elsewhere);
}

void ElfObject::MakeGlobal(absl::Span<const absl::string_view> all) {
  if (all.empty()) return;
  const absl::flat_hash_set<absl::string_view> names(all.begin(), all.end());
  defined_.clear();  // Made anew, because it has the order of the symbols.
  for (size_t i = 0; i < symbol_count(); ++i) {
    Symbol entry = symbol(i);
    const int type = entry.type();
    if (entry.name == 0 || entry.is_undefined() || type == STT_SECTION || type == STT_FILE) {
      continue;
    }
    const absl::string_view name = NameOf(entry);
    if (entry.is_local() && names.contains(name)) {
      entry.info = static_cast<uint8_t>(ELF64_ST_INFO(STB_GLOBAL, type));
      entry.other = STV_DEFAULT;
      SetSymbol(i, entry);
    }
    if (!entry.is_local() && !name.empty()) defined_.push_back(name);
  }
}

void ElfObject::MakeDefinitionsStrong() {
  for (size_t i = 0; i < symbol_count(); ++i) {
    Symbol entry = symbol(i);
    if (entry.is_undefined() || !IsWeak(entry)) continue;
    entry.info = ELF64_ST_INFO(STB_GLOBAL, entry.type());
    SetSymbol(i, entry);
  }
}

void ElfObject::DefineAsZero(absl::string_view name) {
  DefineAsZero(absl::MakeConstSpan(&name, 1));
}

void ElfObject::DefineAsZero(absl::Span<const absl::string_view> all) {
  if (all.empty()) return;
  const absl::flat_hash_set<absl::string_view> names(all.begin(), all.end());
  for (size_t i = 0; i < symbol_count(); ++i) {
    Symbol entry = symbol(i);
    if (!entry.is_undefined() || !names.contains(NameOf(entry))) continue;
    entry.index = SHN_ABS;
    entry.value = 0;
    SetSymbol(i, entry);
  }
  undefined_.erase(
      std::remove_if(undefined_.begin(), undefined_.end(),
                     [&](const Undefined& symbol) { return names.contains(symbol.name); }),
      undefined_.end());
}

void ElfObject::DefineSectionBounds(absl::FunctionRef<bool(absl::string_view name)> is_own) {
  const auto is_bound = [](const Undefined& symbol) {
    return absl::StartsWith(symbol.name, kSectionStartPrefix) ||
           absl::StartsWith(symbol.name, kSectionStopPrefix);
  };
  // Hardly any object has such a symbol.
  if (std::none_of(undefined_.begin(), undefined_.end(), is_bound)) return;
  struct Extent {
    size_t first, last;  // Numbers of sections.
  };
  absl::flat_hash_map<absl::string_view, Extent> extents;
  for (size_t i = 0; i < std::min<size_t>(sections().size(), SHN_LORESERVE); ++i) {
    if (!sections()[i].is_loaded() || !IsIdentifier(sections()[i].name)) continue;
    extents.try_emplace(sections()[i].name, Extent{i, i}).first->second.last = i;
  }
  absl::flat_hash_set<absl::string_view> defined;
  for (size_t i = 0; i < symbol_count(); ++i) {
    Symbol entry = symbol(i);
    absl::string_view section = NameOf(entry);
    if (!entry.is_undefined()) continue;
    const bool is_end = absl::ConsumePrefix(&section, kSectionStopPrefix);
    if (!is_end && !absl::ConsumePrefix(&section, kSectionStartPrefix)) continue;
    const auto extent = extents.find(section);
    if (extent == extents.end() || !is_own(NameOf(entry))) continue;
    const auto [first, last] = extent->second;
    if (first != last) joins_sections_ = true;
    entry.index = static_cast<uint16_t>(is_end ? last : first);
    entry.value = is_end ? sections()[last].size : 0;
    SetSymbol(i, entry);
    defined.insert(NameOf(entry));
  }
  undefined_.erase(
      std::remove_if(undefined_.begin(), undefined_.end(),
                     [&](const Undefined& symbol) { return defined.contains(symbol.name); }),
      undefined_.end());
}

absl::Status ElfObject::BindCallsDirectly(absl::FunctionRef<bool(absl::string_view)> is_near) {
  bool all_are_direct = true;
  for (const Section& table : sections()) {
    if (table.type != SHT_RELA) continue;
    for (size_t i = 0; i < RelocationCount(table); ++i) {
      Relocation relocation = this->relocation(table, i);
      if (!DescribeRelocation(machine(), relocation.type).may_use_jump) continue;
      const uint32_t number = relocation.symbol;
      if (number >= symbol_count()) return Damaged("a relocation names no symbol");
      const Symbol target = symbol(number);
      if (target.index == SHN_ABS) all_are_direct = false;
      if (!target.is_undefined() || number == 0) continue;
      if (!is_near(NameOf(target))) {
        all_are_direct = false;
      } else if (machine() == Machine::kX86_64) {
        relocation.type = R_X86_64_PC32;
        SetRelocation(table, i, relocation);
      }
    }
  }
  calls_are_direct_ = all_are_direct && machine() != Machine::kOther;
  return absl::OkStatus();
}

}  // namespace firstcall
