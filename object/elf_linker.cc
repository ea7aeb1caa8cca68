// Load fills sections, and the addresses of the object's own symbols; Bind fills everything that
// depends on other objects, and can do so again: it writes each place anew, from the object's
// bytes, which it does not change.
//
// The plan has checked every relocation against its section. All that is written lies in the blocks
// that were allocated by the plan.

#include "object/elf_linker.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "object/code_names.h"
#include "object/debugger_registration.h"
#include "object/relocation.h"
#include "object/relocations_aarch64.h"
#include "object/relocations_x86_64.h"
#include "object/symbol_name.h"
#include "object/unwind_table.h"

namespace firstcall {
namespace {

absl::Status ErrorOf(RelocationResult result, absl::string_view symbol, uint32_t type) {
  switch (result) {
    case RelocationResult::kDone:
      return absl::OkStatus();
    case RelocationResult::kOutOfReach:
      return absl::InternalError(
          absl::StrCat("'", symbol, "' is out of reach of relocation ", type));
    case RelocationResult::kTooHigh:
      return absl::UnimplementedError(absl::StrCat("the address of '", symbol,
                                                   "' does not fit into relocation ", type,
                                                   ": compile it with -fPIC"));
    case RelocationResult::kNotAligned:
      return absl::InvalidArgumentError(
          absl::StrCat("'", symbol, "' is not aligned as relocation ", type, " demands"));
  }
  return absl::OkStatus();
}

}  // namespace

ElfLinker::~ElfLinker() { Drop(); }

absl::Status ElfLinker::CanLink(const ElfObject& object) { return LinkPlan().Make(object); }

void ElfLinker::Drop() {
  if (object_ == nullptr) return;
  object_ = nullptr;
  owner_ = nullptr;
  thread_locals_ = nullptr;
  memory_.Drop();
}

void ElfLinker::Keep() {
  if (object_ != nullptr) HandOver();
}

void ElfLinker::HandOver() {
  memory_.Keep();
  if (thread_locals_ != nullptr) {
    owner_->Note(*thread_locals_->module);
    owner_->OnFree([variables = std::move(thread_locals_)] { *variables = {}; });
    thread_locals_ = nullptr;
  }
  object_ = nullptr;
  owner_ = nullptr;
}

absl::StatusOr<SymbolAddresses> ElfLinker::Load(ElfObject& object, OwnedCode& owner,
                                                ExecutorAddress near) {
  Drop();
  object_ = &object;
  owner_ = &owner;
  absl::Status status = plan_.Make(object);
  if (status.ok()) status = Place(owner, near);
  if (status.ok()) status = MakeThreadLocals();
  if (!status.ok()) {
    Drop();
    return Annotate(status, "loading an object");
  }
  CopySections();
  LocateSymbols();
  return Definitions();
}

absl::Status ElfLinker::Place(OwnedCode& owner, ExecutorAddress near) {
  blocks_.assign(plan_.parts().size(), {});
  origin_ = {};
  ObjectMemory::Placement placement;
  placement.owner = &owner;
  placement.near = near;
  const auto bound = [this](Segment segment) {
    uint64_t size = 0;
    for (const LinkPlan::Part& part : plan_.parts()) {
      if (part.segment == segment && !part.is_far) size += part.size + part.alignment;
    }
    return size;
  };
  placement.sizes = {bound(Segment::kCode), bound(Segment::kReadOnly), bound(Segment::kData)};
  memory_.Begin(placement);
  for (size_t i = 0; i < plan_.parts().size(); ++i) {
    if (plan_.parts()[i].size == 0) continue;
    FIRSTCALL_RETURN_IF_ERROR(Allocate(i));
  }
  // An object without a byte may define symbols all the same.
  return origin_.is_null() && !object_->defined().empty()
             ? Allocate(LinkPlan::PartOf(Segment::kData))
             : absl::OkStatus();
}

absl::Status ElfLinker::Allocate(size_t number) {
  const LinkPlan::Part& part = plan_.parts()[number];
  FIRSTCALL_ASSIGN_OR_RETURN(
      const MemoryBlock allocated,
      part.is_far ? memory_.AllocateAnywhere(part.segment, part.size, part.alignment, part.name)
                  : memory_.Allocate(part.segment, part.size, part.alignment, part.name));
  blocks_[number] = allocated;
  if (origin_.is_null()) origin_ = allocated.run;
  return absl::OkStatus();
}

void ElfLinker::CopySections() {
  for (size_t i = 0; i < plan_.sections().size(); ++i) {
    const LinkPlan::Section& to = plan_.sections()[i];
    if (!to.is_loaded) continue;
    const absl::Span<const char> bytes = object_->BytesOf(object_->sections()[i]);
    if (bytes.empty()) continue;
    std::memcpy(blocks_[to.part].write + to.offset, bytes.data(), bytes.size());
  }
}

ExecutorAddress ElfLinker::AddressOf(uint32_t section) const {
  if (section >= plan_.sections().size()) return ExecutorAddress();
  const LinkPlan::Section& to = plan_.sections()[section];
  if (!to.is_loaded) return ExecutorAddress();
  // A part without a byte has no block: the sections in it are empty and may lie anywhere.
  const ExecutorAddress begin = blocks_[to.part].run;
  return (begin.is_null() ? origin_ : begin) + to.offset;
}

absl::Status ElfLinker::MakeThreadLocals() {
  const LinkPlan::Part& block = plan_.thread_locals();
  if (block.size == 0) return absl::OkStatus();
  ThreadLocalModule::Image image;
  image.size = block.size;
  image.alignment = block.alignment;
  if (plan_.image_part() != LinkPlan::kNone) {
    const size_t part = plan_.image_part();
    image.bytes = blocks_[part].run.InThisProcess<const uint8_t*>();
    image.byte_count = image.bytes == nullptr ? 0 : plan_.parts()[part].size;
  }
  auto variables = std::make_shared<ThreadLocals>();
  FIRSTCALL_ASSIGN_OR_RETURN(variables->module, ThreadLocalModule::Create(image));
  thread_locals_ = std::move(variables);
  return absl::OkStatus();
}

void ElfLinker::LocateSymbols() {
  addresses_.assign(plan_.symbols().size(), ExecutorAddress());
  std::vector<size_t> named;  // The thread-local variables to which other objects may refer.
  for (size_t i = 0; i < addresses_.size(); ++i) {
    const LinkPlan::Symbol& symbol = plan_.symbols()[i];
    switch (symbol.source) {
      case LinkPlan::Source::kUnused:
      case LinkPlan::Source::kUndefined:
        break;
      case LinkPlan::Source::kSection:
        addresses_[i] = AddressOf(symbol.section) + symbol.value;
        break;
      case LinkPlan::Source::kData:
        addresses_[i] = block(Segment::kData).run + symbol.value;
        break;
      case LinkPlan::Source::kAbsolute:
        addresses_[i] = ExecutorAddress(symbol.value);
        break;
      case LinkPlan::Source::kOffsetTable:
        addresses_[i] = table();
        break;
      case LinkPlan::Source::kThreadLocal:
        if (thread_locals_ != nullptr && !object_->symbol(i).is_local()) named.push_back(i);
        break;
    }
  }
  if (named.empty()) return;
  std::vector<ThreadLocalDescriptor>& descriptors = thread_locals_->descriptors;
  for (size_t i : named) {
    descriptors.push_back(thread_locals_->module->DescriptorAt(plan_.symbols()[i].value));
  }
  for (size_t i = 0; i < named.size(); ++i) {
    addresses_[named[i]] = ExecutorAddress::Of(&descriptors[i]);
  }
}

// The object lists its definitions in the order of its symbols.
SymbolAddresses ElfLinker::Definitions() const {
  const std::vector<absl::string_view>& defined = object_->defined();
  SymbolAddresses definitions;
  definitions.reserve(defined.size());
  size_t next = 0;
  for (size_t i = 0; i < addresses_.size() && next < defined.size(); ++i) {
    const ElfObject::Symbol symbol = object_->symbol(i);
    if (symbol.is_undefined() || symbol.is_local()) continue;
    if (object_->NameOf(symbol).data() != defined[next].data()) continue;
    definitions.insert_or_assign(defined[next++], addresses_[i]);
  }
  return definitions;
}

absl::Status ElfLinker::Bind(const SymbolResolution& resolution) {
  return Annotate(BindAll(resolution), "binding an object's references");
}

absl::Status ElfLinker::BindAll(const SymbolResolution& resolution) {
  if (object_ == nullptr) return absl::InternalError("no object is loaded");
  FIRSTCALL_RETURN_IF_ERROR(ResolveSymbols(resolution));
  WriteOffsetTable();
  WriteDescriptors();
  for (const ElfObject::Section& table : object_->sections()) {
    if (object_->IsTableOfLoaded(table)) FIRSTCALL_RETURN_IF_ERROR(ApplyRelocations(table));
  }
  return RegisterUnwindTables();
}

absl::Status ElfLinker::ResolveSymbols(const SymbolResolution& resolution) {
  for (size_t i = 0; i < addresses_.size(); ++i) {
    if (plan_.symbols()[i].source != LinkPlan::Source::kUndefined) continue;
    const absl::string_view name = object_->NameOf(object_->symbol(i));
    auto found = resolution.find(name);
    if (found == resolution.end()) {
      return absl::InternalError(absl::StrCat("symbol '", name, "' was not resolved"));
    }
    addresses_[i] = found->second;
  }
  return absl::OkStatus();
}

void ElfLinker::WriteOffsetTable() {
  if (!plan_.has_table()) return;
  uint8_t* const entries = block(Segment::kReadOnly).write + plan_.table_offset();
  for (size_t i = 0; i < addresses_.size(); ++i) {
    const uint32_t entry = plan_.symbols()[i].entry;
    if (entry == LinkPlan::kNone) continue;
    const uint64_t address = addresses_[i].value();
    std::memcpy(entries + LinkPlan::kEntrySize * entry, &address, sizeof(address));
  }
}

void ElfLinker::WriteDescriptors() {
  if (!plan_.has_descriptors()) return;
  uint8_t* const descriptors = block(Segment::kReadOnly).write + plan_.descriptors_offset();
  const auto write = [&](uint32_t number, const ThreadLocalDescriptor& descriptor) {
    std::memcpy(descriptors + LinkPlan::kDescriptorSize * number, &descriptor, sizeof(descriptor));
  };
  const auto own = [&](uint64_t place) {
    return thread_locals_ == nullptr ? NullThreadLocal()
                                     : thread_locals_->module->DescriptorAt(place);
  };
  for (size_t i = 0; i < addresses_.size(); ++i) {
    const LinkPlan::Symbol& symbol = plan_.symbols()[i];
    if (symbol.descriptor == LinkPlan::kNone) continue;
    if (symbol.source == LinkPlan::Source::kThreadLocal) {
      write(symbol.descriptor, own(symbol.value));
    } else if (addresses_[i].is_null()) {
      write(symbol.descriptor, NullThreadLocal());
    } else {
      write(symbol.descriptor, *addresses_[i].InThisProcess<const ThreadLocalDescriptor*>());
    }
  }
  if (plan_.own_block_descriptor() != LinkPlan::kNone) write(plan_.own_block_descriptor(), own(0));
}

absl::Status ElfLinker::ApplyRelocations(const ElfObject::Section& table) {
  const ElfObject::Section& from = object_->sections()[table.info];
  const LinkPlan::Section& to = plan_.sections()[table.info];
  const MemoryBlock& memory = blocks_[to.part];
  const absl::Span<const char> original = object_->BytesOf(from);
  const absl::Span<uint8_t> section(memory.write + to.offset, original.size());
  const size_t count = object_->RelocationCount(table);
  for (size_t i = 0; i < count; ++i) {
    FIRSTCALL_RETURN_IF_ERROR(
        ApplyRelocation(object_->relocation(table, i), original, section, memory.run + to.offset));
  }
  return absl::OkStatus();
}

absl::Status ElfLinker::ApplyRelocation(const ElfObject::Relocation& relocation,
                                        absl::Span<const char> original,
                                        absl::Span<uint8_t> section, ExecutorAddress run) {
  const uint32_t type = relocation.type;
  const uint32_t number = relocation.symbol;
  const size_t offset = relocation.offset;
  const LinkPlan::Symbol& symbol = plan_.symbols()[number];
  RelocationAddresses addresses;
  addresses.symbol = addresses_[number].value();
  addresses.addend = relocation.addend;
  addresses.place = (run + offset).value();
  addresses.table = table().value();
  addresses.entry = (table() + uint64_t{LinkPlan::kEntrySize} * symbol.entry).value();
  const RelocationKindInfo& kind = DescribeRelocation(object_->machine(), type);
  if (kind.is_thread_local) {
    const uint32_t descriptor =
        kind.uses_own_block ? plan_.own_block_descriptor() : symbol.descriptor;
    const ExecutorAddress descriptors = block(Segment::kReadOnly).run + plan_.descriptors_offset();
    addresses.descriptor = (descriptors + LinkPlan::kDescriptorSize * descriptor).value();
    addresses.place_in_block = symbol.value;
  }
  const auto apply = [&] {
    return object_->machine() == Machine::kX86_64
               ? ApplyX86_64Relocation(type, addresses, original, section, offset)
               : ApplyAArch64Relocation(type, addresses, section.data() + offset);
  };
  RelocationResult result = apply();
  if (result == RelocationResult::kOutOfReach && symbol.jump != LinkPlan::kNone &&
      kind.may_use_jump) {
    const MemoryBlock& code = block(Segment::kCode);
    const uint64_t at = plan_.jumps_offset() + plan_.jump_size() * symbol.jump;
    if (object_->machine() == Machine::kX86_64) {
      WriteX86_64Jump(addresses.symbol, code.write + at);
    } else {
      WriteAArch64Jump(addresses.symbol, code.write + at);
    }
    addresses.symbol = (code.run + at).value();
    result = apply();
  }
  if (result == RelocationResult::kDone) return absl::OkStatus();
  return ErrorOf(result, NameForMessage(*object_, number), type);
}

absl::Status ElfLinker::RegisterUnwindTables() {
  const MemoryBlock& code = block(Segment::kCode);
  if (code.write == nullptr) return absl::OkStatus();  // Without code, they describe nothing.
  // All are checked before the first one is registered.
  for (bool is_checked : {false, true}) {
    for (size_t i = 0; i < plan_.sections().size(); ++i) {
      const ElfObject::Section& section = object_->sections()[i];
      const LinkPlan::Section& to = plan_.sections()[i];
      if (!to.is_loaded || !section.is_unwind_table() || section.size == 0) continue;
      const MemoryBlock& memory = blocks_[to.part];
      if (is_checked) {
        memory_.RegisterUnwindTable(memory.run + to.offset);
        continue;
      }
      FIRSTCALL_RETURN_IF_ERROR(CheckUnwindTable({memory.write + to.offset, section.size},
                                                 memory.run + to.offset, code.run, code.size));
    }
  }
  return absl::OkStatus();
}

std::vector<TableEntry> ElfLinker::TableEntries() const {
  std::vector<TableEntry> entries;
  const auto has_data = [this](size_t part) {
    return plan_.parts()[part].segment == Segment::kData && blocks_[part].write != nullptr;
  };
  bool may_have_any = false;
  for (size_t i = 0; object_ != nullptr && i < blocks_.size(); ++i) may_have_any |= has_data(i);
  if (!may_have_any) return entries;
  const std::vector<ElfObject::Undefined>& undefined = object_->undefined();
  const bool has_any = std::any_of(
      undefined.begin(), undefined.end(),
      [](const ElfObject::Undefined& symbol) { return absl::EndsWith(symbol.name, kTableSuffix); });
  if (!has_any) return entries;
  for (const ElfObject::Section& table : object_->sections()) {
    if (object_->IsTableOfLoaded(table)) AddTableEntries(table, entries);
  }
  return entries;
}

// An entry is written while the program may read it, so it must be a whole word.
void ElfLinker::AddTableEntries(const ElfObject::Section& table,
                                std::vector<TableEntry>& entries) const {
  constexpr uintptr_t kWord = sizeof(uint64_t);
  const LinkPlan::Section& to = plan_.sections()[table.info];
  if (plan_.parts()[to.part].segment != Segment::kData) return;
  uint8_t* const section = blocks_[to.part].write + to.offset;
  for (size_t i = 0; i < object_->RelocationCount(table); ++i) {
    const ElfObject::Relocation relocation = object_->relocation(table, i);
    if (plan_.symbols()[relocation.symbol].source != LinkPlan::Source::kUndefined) continue;
    const bool is_address = DescribeRelocation(object_->machine(), relocation.type).is_address;
    if (!is_address || relocation.addend != 0) continue;
    const absl::string_view name = object_->NameOf(object_->symbol(relocation.symbol));
    uint8_t* const place = section + relocation.offset;
    if (!absl::EndsWith(name, kTableSuffix)) continue;
    if (reinterpret_cast<uintptr_t>(place) % kWord != 0) continue;
    entries.push_back({name, reinterpret_cast<std::atomic<uint64_t>*>(place)});
  }
}

// The debugger is told last, because it writes its breakpoints into the code at once.
absl::Status ElfLinker::Finalize() {
  FIRSTCALL_RETURN_IF_ERROR(memory_.Finalize());
  const auto address_of = [this](uint32_t section) { return AddressOf(section); };
  std::function<void()> withdraw = RegisterWithDebugger(*object_, address_of);
  if (!withdraw) withdraw = NoteCodeNames(*object_, address_of);
  if (withdraw) owner_->OnFree(std::move(withdraw));
  Keep();
  return absl::OkStatus();
}

}  // namespace firstcall
