#include "runtime/program/d_modules.h"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/base/const_init.h"
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

// A file with room for the modules' variables, where threads have them from now on.
absl::StatusOr<std::shared_ptr<StandInFile>> FileFor(absl::Span<ThreadLocalModule* const> modules,
                                                     size_t range_count) {
  StandInFile::ThreadLocals block;
  std::vector<uint64_t> offsets;
  for (const ThreadLocalModule* module : modules) {
    offsets.push_back(RoundUp(block.size, module->alignment()));
    block.size = offsets.back() + module->size();
    block.alignment = std::max(block.alignment, module->alignment());
  }
  UnloadUnused();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<StandInFile> made,
                             StandInFile::Load(block, range_count));
  const std::shared_ptr<StandInFile> file = Keep(std::move(made));
  for (size_t i = 0; i < offsets.size(); ++i) {
    modules[i]->PlaceIn(file->thread_local_number(), offsets[i]);
  }
  return file;
}

}  // namespace

struct DModules::Group {
  Registry registry = nullptr;
  std::vector<ModuleId> modules;
  std::vector<ModuleInfo> infos;  // The runtime refers to them while they are registered.
  std::vector<absl::Span<const char>> data;
  std::shared_ptr<StandInFile> file;

  // Registers, or takes back.
  void Call() {
    Registration registration;
    registration.slot = file->slot();
    registration.begin = infos.data();
    registration.end = infos.data() + infos.size();
    const StandInFile::DataShown shown(*file, data);
    registry(&registration);
  }
};

DModules::DModules(Linkage& linkage) : linkage_(linkage) {}

DModules::~DModules() = default;

absl::Status DModules::Prepare(const Modules& modules) {
  const bool is_needed = std::any_of(modules.begin(), modules.end(),
                                     [](const auto& module) { return IsInD(*module); });
  if (!is_needed) return absl::OkStatus();
  // No module is removed meanwhile.
  WorkScope scope;
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Group> group, Make(modules));
  if (group == nullptr) return absl::OkStatus();
  absl::MutexLock lock(&mutex_);
  prepared_.push_back(std::move(group));
  return absl::OkStatus();
}

// Null if there is no runtime. One that is linked into the program knows the program's file only.
absl::StatusOr<std::unique_ptr<DModules::Group>> DModules::Make(const Modules& modules) {
  const LibraryId library = modules.front()->library();
  SymbolResolver& resolver = linkage_.resolver();
  const auto find = [&](absl::string_view name) {
    return resolver.FindDynamic(name, library, DynamicSymbols::Where::kBehindProgram).address;
  };
  auto group = std::make_unique<Group>();
  if (resolver.IsDefined(kDRegistry, library)) return nullptr;
  group->registry = find(kDRegistry).InThisProcess<Registry>();
  if (group->registry == nullptr) return nullptr;
  LetSignalsThrough(find(kSuspendSignal).InThisProcess<const int*>(),
                    find(kResumeSignal).InThisProcess<const int*>());
  std::vector<ThreadLocalModule*> thread_locals;
  std::vector<OwnedCode*> owners;
  for (const std::shared_ptr<SourceModule>& module : modules) {
    if (module->is_removed()) continue;
    LazyObject& object = module->object();
    FIRSTCALL_RETURN_IF_ERROR(linkage_.objects().Link(object));
    group->modules.push_back(module->id());
    const std::vector<ModuleInfo> infos = InfosOf(object);
    group->infos.insert(group->infos.end(), infos.begin(), infos.end());
    owners.push_back(&object.code());
    const OwnedCode::Variables own = object.code().variables();
    group->data.insert(group->data.end(), own.data.begin(), own.data.end());
    thread_locals.insert(thread_locals.end(), own.thread_locals.begin(), own.thread_locals.end());
  }
  if (group->infos.empty()) return nullptr;
  FIRSTCALL_ASSIGN_OR_RETURN(group->file, FileFor(thread_locals, group->data.size()));
  for (OwnedCode* owner : owners) owner->OnFree([kept = group->file] {});
  return group;
}

void DModules::Register() {
  while (true) {
    Group* next = nullptr;
    {
      const ForkScope scope;
      absl::MutexLock lock(&mutex_);
      if (prepared_.empty()) return;
      next = prepared_.front().get();
      registered_.push_back(std::move(prepared_.front()));
      prepared_.erase(prepared_.begin());
    }
    next->Call();
  }
}

std::unique_ptr<DModules::Group> DModules::TakeLast() {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  if (registered_.empty()) return nullptr;
  std::unique_ptr<Group> last = std::move(registered_.back());
  registered_.pop_back();
  return last;
}

void DModules::Unregister() {
  while (const std::unique_ptr<Group> group = TakeLast()) group->Call();
}

void DModules::UnregisterFileOf(const SourceModule& module) {
  std::unique_ptr<Group> group;
  {
    const ForkScope scope;
    absl::MutexLock lock(&mutex_);
    const auto has_module = [&](const std::unique_ptr<Group>& other) {
      return std::find(other->modules.begin(), other->modules.end(), module.id()) !=
             other->modules.end();
    };
    prepared_.erase(std::remove_if(prepared_.begin(), prepared_.end(), has_module),
                    prepared_.end());
    const auto found = std::find_if(registered_.begin(), registered_.end(), has_module);
    if (found == registered_.end()) return;
    group = std::move(*found);
    registered_.erase(found);
  }
  group->Call();
}

}  // namespace firstcall
