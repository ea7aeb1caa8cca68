#include "runtime/program/d_modules.h"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/base/const_init.h"
#include "absl/cleanup/cleanup.h"
#include "absl/strings/string_view.h"
#include "base/round_up.h"
#include "base/status.h"
#include "base/unheld_signals.h"
#include "memory/owned_code.h"
#include "memory/thread_local_blocks.h"
#include "runtime/link/symbol_resolver.h"
#include "runtime/process/stand_in_file.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

// The bounds of the section with the addresses of modules' descriptions.
constexpr absl::string_view kInfosBegin = "__start___minfo";
constexpr absl::string_view kInfosEnd = "__stop___minfo";
// Variables of the runtime: `suspendSignalNumber` and `resumeSignalNumber` of core.thread.osthread.
constexpr absl::string_view kSuspendSignal = "_D4core6thread8osthread19suspendSignalNumberi";
constexpr absl::string_view kResumeSignal = "_D4core6thread8osthread18resumeSignalNumberi";

using ModuleInfo = const void*;
using Registry = void (*)(void* registration);

// What the runtime's function gets. It registers if the slot is null, and otherwise takes back.
struct Registration {
  size_t version = 1;
  void** slot = nullptr;
  const ModuleInfo* begin = nullptr;
  const ModuleInfo* end = nullptr;
};

bool IsInD(const SourceModule& module) {
  const absl::Span<const SectionBound> bounds = module.index().section_bounds();
  return std::any_of(bounds.begin(), bounds.end(),
                     [](const SectionBound& bound) { return bound.name == kInfosBegin; });
}

// The addresses in the module's section. A linker may have left room between them.
std::vector<ModuleInfo> InfosOf(const LazyObject& object) {
  const auto begin = object.addresses.find(kInfosBegin);
  const auto end = object.addresses.find(kInfosEnd);
  std::vector<ModuleInfo> infos;
  if (begin == object.addresses.end() || end == object.addresses.end()) return infos;
  const auto* info = begin->second.InThisProcess<const ModuleInfo*>();
  const auto* const last = end->second.InThisProcess<const ModuleInfo*>();
  std::copy_if(info, last, std::back_inserter(infos), [](ModuleInfo i) { return i != nullptr; });
  return infos;
}

// The runtime stops threads by two signals. As of version 2.102, the variables are 0 until it has
// chosen these.
void LetSignalsThrough(const int* suspend, const int* resume) {
  if (suspend == nullptr || resume == nullptr) return;
  NeverHold(*suspend != 0 ? *suspend : SIGRTMIN);
  NeverHold(*resume != 0 ? *resume : SIGRTMIN + 1);
}

// The files that may still be in use. Each module's memory holds the file, because threads have the
// module's variables in it. A file that is not used is unloaded when the next one is made, and not
// when its last module is freed: the thread that does this holds up all others, one of which may
// have the dynamic linker's lock.
ABSL_CONST_INIT absl::Mutex files_mutex(absl::kConstInit);
std::vector<std::shared_ptr<StandInFile>>& Files() {
  static auto& files = *new std::vector<std::shared_ptr<StandInFile>>;
  return files;
}

std::shared_ptr<StandInFile> Keep(std::unique_ptr<StandInFile> made) {
  std::shared_ptr<StandInFile> file = std::move(made);
  absl::MutexLock lock(&files_mutex);
  Files().push_back(file);
  return file;
}

void UnloadUnused() {
  std::vector<std::shared_ptr<StandInFile>> unused;  // Destroyed without the lock.
  absl::MutexLock lock(&files_mutex);
  auto& files = Files();
  const auto first = std::partition(files.begin(), files.end(),
                                    [](const auto& file) { return file.use_count() > 1; });
  std::move(first, files.end(), std::back_inserter(unused));
  files.erase(first, files.end());
}

// A block with room for the variables of all modules, and where in the block those of each begin.
struct Layout {
  StandInFile::ThreadLocals block;
  std::vector<uint64_t> offsets;
};

Layout LayOut(absl::Span<ThreadLocalModule* const> modules) {
  Layout layout;
  for (const ThreadLocalModule* module : modules) {
    layout.offsets.push_back(RoundUp(layout.block.size, module->alignment()));
    layout.block.size = layout.offsets.back() + module->size();
    layout.block.alignment = std::max(layout.block.alignment, module->alignment());
  }
  return layout;
}

}  // namespace

// A module, and what the runtime is told of it.
struct DModules::Member {
  std::shared_ptr<SourceModule> module;
  std::vector<ModuleInfo> infos;
  OwnedCode::Variables variables;
};

struct DModules::Linked {
  std::vector<Member> members;
  Layout layout;           // Of the members' thread-local variables.
  size_t range_count = 0;  // Of their data.
};

struct DModules::Group {
  // What is told of a module.
  struct Part {
    ModuleId module;
    std::vector<ModuleInfo> infos;
    std::vector<absl::Span<const char>> data;
  };
  Registry registry = nullptr;
  std::vector<Part> parts;
  std::vector<ModuleInfo> infos;  // Of all parts. The runtime refers to them until it takes back.
  std::shared_ptr<StandInFile> file;

  std::vector<Part>::iterator Find(ModuleId module) {
    return std::find_if(parts.begin(), parts.end(),
                        [&](const Part& part) { return part.module == module; });
  }
  bool Has(ModuleId module) { return Find(module) != parts.end(); }

  void Register() {
    for (const Part& part : parts) infos.insert(infos.end(), part.infos.begin(), part.infos.end());
    if (!infos.empty()) Call();
  }
  void TakeBack() {
    if (*file->slot() != nullptr) Call();
  }

 private:
  // Registers, or takes back.
  void Call() {
    std::vector<absl::Span<const char>> data;
    for (const Part& part : parts) data.insert(data.end(), part.data.begin(), part.data.end());
    Registration registration;
    registration.slot = file->slot();
    registration.begin = infos.data();
    registration.end = infos.data() + infos.size();
    const StandInFile::DataShown shown(*file, data);
    registry(&registration);
  }
};

DModules::DModules(Linkage& linkage, Construction& construction)
    : linkage_(linkage), construction_(construction) {}

DModules::~DModules() = default;

absl::Status DModules::Prepare(Modules modules) {
  {
    const ForkScope scope;
    absl::MutexLock lock(&mutex_);
    modules.insert(modules.begin(), failed_.begin(), failed_.end());
    failed_.clear();
  }
  const bool is_needed = std::any_of(modules.begin(), modules.end(),
                                     [](const auto& module) { return IsInD(*module); });
  if (!is_needed) return absl::OkStatus();
  absl::StatusOr<std::shared_ptr<Group>> group = Make(modules);
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  if (!group.ok()) {
    failed_ = std::move(modules);
    return group.status();
  }
  if (*group != nullptr) prepared_.push_back(*std::move(group));
  return absl::OkStatus();
}

absl::StatusOr<DModules::Linked> DModules::LinkData(const Modules& modules) {
  Linked linked;
  std::vector<ThreadLocalModule*> thread_locals;
  WorkScope scope;  // No module is removed meanwhile.
  for (const std::shared_ptr<SourceModule>& module : modules) {
    if (module->is_removed()) continue;
    LazyObject& object = module->object();
    FIRSTCALL_RETURN_IF_ERROR(linkage_.objects().Link(object));
    const OwnedCode::Variables own = object.code().variables();
    thread_locals.insert(thread_locals.end(), own.thread_locals.begin(), own.thread_locals.end());
    linked.range_count += own.data.size();
    linked.members.push_back({module, InfosOf(object), own});
  }
  linked.layout = LayOut(thread_locals);
  return linked;
}

// A runtime that is linked into the program knows the program's file only.
absl::StatusOr<std::shared_ptr<DModules::Group>> DModules::Make(const Modules& modules) {
  const LibraryId library = modules.front()->library();
  SymbolResolver& resolver = linkage_.resolver();
  const auto find = [&](absl::string_view name) {
    return resolver.FindDynamic(name, library, DynamicSymbols::Where::kBehindProgram).address;
  };
  auto group = std::make_shared<Group>();
  if (resolver.IsDefined(kDRegistry, library)) return nullptr;
  group->registry = find(kDRegistry).InThisProcess<Registry>();
  if (group->registry == nullptr) return nullptr;
  LetSignalsThrough(find(kSuspendSignal).InThisProcess<const int*>(),
                    find(kResumeSignal).InThisProcess<const int*>());
  FIRSTCALL_ASSIGN_OR_RETURN(const Linked linked, LinkData(modules));
  // Not at work: a thread that holds the dynamic linker's lock may wait until no thread is.
  UnloadUnused();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<StandInFile> made,
                             StandInFile::Load(linked.layout.block, linked.range_count));
  group->file = Keep(std::move(made));
  WorkScope scope;
  auto offset = linked.layout.offsets.begin();
  for (const Member& member : linked.members) {
    const size_t count = member.variables.thread_locals.size();
    // One that was removed meanwhile.
    if (member.module->is_removed()) {
      offset += static_cast<ptrdiff_t>(count);
      continue;
    }
    // Variables that a thread has already stay where they are.
    for (ThreadLocalModule* own : member.variables.thread_locals) {
      (void)own->PlaceIn(group->file->thread_local_number(), *offset++);
    }
    member.module->object().code().OnFree([kept = group->file] {});
    group->parts.push_back({member.module->id(), member.infos, member.variables.data});
  }
  return group;
}

void DModules::Register() {
  while (true) {
    std::shared_ptr<Group> next;
    {
      const ForkScope scope;
      absl::MutexLock lock(&mutex_);
      if (registering_ != nullptr || prepared_.empty()) return;
      next = prepared_.front();
      prepared_.erase(prepared_.begin());
      registering_ = next;
    }
    const absl::Cleanup end = [&] {  // Also if a constructor has thrown.
      const ForkScope scope;
      absl::MutexLock lock(&mutex_);
      registering_ = nullptr;
      registered_.push_back(std::move(next));
    };
    next->Register();
  }
}

std::shared_ptr<DModules::Group> DModules::TakeLast() {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  if (registered_.empty()) return nullptr;
  std::shared_ptr<Group> last = std::move(registered_.back());
  registered_.pop_back();
  return last;
}

void DModules::Unregister() {
  while (const std::shared_ptr<Group> group = TakeLast()) group->TakeBack();
}

DModules::Groups::iterator DModules::Find(Groups& groups, const SourceModule& module) {
  return std::find_if(groups.begin(), groups.end(),
                      [&](const std::shared_ptr<Group>& group) { return group->Has(module.id()); });
}

bool DModules::Has(const SourceModule& module) {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  return Find(prepared_, module) != prepared_.end() ||
         Find(registered_, module) != registered_.end() ||
         (registering_ != nullptr && registering_->Has(module.id()));
}

bool DModules::IsRegistering(const SourceModule& module) {
  if (!Has(module)) return false;
  const Construction::Turn turn(construction_);  // Then no other thread registers.
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  return registering_ != nullptr && registering_->Has(module.id());
}

void DModules::UnregisterFileOf(const SourceModule& module) {
  if (!Has(module)) return;
  const Construction::Turn turn(construction_);
  std::shared_ptr<Group> group;
  {
    const ForkScope scope;
    absl::MutexLock lock(&mutex_);
    const auto prepared = Find(prepared_, module);
    if (prepared != prepared_.end()) {
      (*prepared)->parts.erase((*prepared)->Find(module.id()));
      return;
    }
    const auto found = Find(registered_, module);
    if (found == registered_.end()) return;
    group = std::move(*found);
    registered_.erase(found);
  }
  group->TakeBack();
}

}  // namespace firstcall
