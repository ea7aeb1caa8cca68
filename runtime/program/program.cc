#include "runtime/program/program.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/link/module_cache.h"
#include "runtime/process/work_scope.h"
#include "seam/entry_point.h"

namespace firstcall {
namespace {

bool IsRemoved(const SourceModule& module) {
  WorkScope scope;
  return module.is_removed();
}

void AddDestructors(SourceModule& module, Construction::Steps& steps) {
  const absl::Span<const LifecycleFunction> list = module.index().destructors();
  for (auto entry = list.rbegin(); entry != list.rend(); ++entry) {
    steps.push_back(
        {entry->priority, module.shared_from_this(), entry->function, ExecutorAddress()});
  }
}

void SortInReverse(Construction::Steps& steps) {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a.priority < b.priority; });
  std::reverse(steps.begin(), steps.end());
}

}  // namespace

void Program::HookExit() {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  // This hook is made before the program registers handlers with the C library, so destructors run
  // after those handlers.
  if (!exit_hook_) {
    WorkScope::KeepForThreadThatExits();
    exit_hook_.emplace([this] {
      RunDestructors();
      threads_.Stop();
    });
  }
  ExitHook::NoticeExitOnThisThread();
}

absl::StatusOr<ExecutorAddress> Program::Prepare(SourceModule& module, SymbolOrdinal function,
                                                 CompileReason reason) {
  const SymbolIndex& index = module.index();
  const Symbol& symbol = index.at(function);
  if (module.mode() == Mode::kLazy && symbol.is_definition &&
      !linkage_.resolver().IsReplaced(module, function)) {
    const SymbolOrdinal base = symbol.kind == SymbolKind::kIFunc ? function : symbol.base;
    FIRSTCALL_RETURN_IF_ERROR(compiler_.Compile({&module, base}, reason).status());
  }
  WorkScope scope;
  if (module.is_removed()) {
    return absl::FailedPreconditionError(
        absl::StrCat("preparing a function of '", module.name(), "': the module was removed"));
  }
  return linkage_.resolver().AddressMeantBy(module, function);
}

// In the order of a static linker that is given the modules, then the object files, then the
// archives.
absl::StatusOr<Program::Steps> Program::TakeConstructors() {
  const std::vector<LazyObject*> files = linkage_.precompiled().ObjectsWithConstructors();
  for (LazyObject* object : files) {
    WorkScope scope;
    FIRSTCALL_RETURN_IF_ERROR(linkage_.objects().Link(*object));
  }
  HookExit();
  auto [steps, modules] = construction_.TakeConstructors();
  if (const absl::Status status = d_modules_.Prepare(std::move(modules)); !status.ok()) {
    construction_.PutBack(std::move(steps));
    return Annotate(status, "constructing modules in D");
  }
  std::vector<LazyObject*> objects = linkage_.object_constructors().TakeToConstruct();
  std::stable_partition(objects.begin(), objects.end(), [&](LazyObject* object) {
    return std::find(files.begin(), files.end(), object) != files.end();
  });
  for (const LazyObject* object : objects) {
    for (const LazyObject::LifecycleCode& code : object->constructors) {
      steps.push_back({code.priority, nullptr, SymbolOrdinal(), code.address});
    }
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a.priority < b.priority; });
  return steps;
}

absl::Status Program::RunConstructors(absl::Span<const std::string> arguments) {
  return RunConstructors(std::make_shared<const ProgramArguments>(arguments));
}

absl::Status Program::RunConstructors(const KeptArguments& arguments) {
  // Another thread's constructors come first. A constructor may call this itself.
  const Construction::Turn turn(construction_);
  linkage_.object_constructors().SetArguments(arguments);
  while (true) {
    FIRSTCALL_ASSIGN_OR_RETURN(Steps steps, TakeConstructors());
    if (steps.empty()) {
      // Not while a constructor runs, which has called this.
      if (turn.is_outermost()) d_modules_.Register();
      return absl::OkStatus();
    }
    {
      const ForkScope scope;
      absl::MutexLock lock(&mutex_);
      arguments_of_constructors_.push_back(arguments);
    }
    auto next = steps.begin();
    const absl::Cleanup put_back = [&] {
      construction_.PutBack(
          Steps(std::make_move_iterator(next), std::make_move_iterator(steps.end())));
    };
    while (next != steps.end()) {
      if (next->module != nullptr) {
        absl::StatusOr<ExecutorAddress> address =
            Prepare(*next->module, next->function, CompileReason::kCalled);
        if (!address.ok() && IsRemoved(*next->module)) {
          ++next;
          continue;
        }
        FIRSTCALL_RETURN_IF_ERROR(address.status());
        next->address = *address;
      }
      // If it throws, it has run, too.
      const LifecycleStep& step = *next++;
      const Construction::Run run(construction_, step);
      CallConstructor(step.address, *arguments);
    }
  }
}

Program::Steps Program::TakeDestructors() {
  Steps steps;
  for (const std::shared_ptr<SourceModule>& module : construction_.TakeToDestroy()) {
    AddDestructors(*module, steps);
  }
  for (const LazyObject* object : linkage_.object_constructors().TakeToDestroy()) {
    for (const LazyObject::LifecycleCode& code : object->destructors) {
      steps.push_back({code.priority, nullptr, SymbolOrdinal(), code.address});
    }
  }
  return steps;
}

void Program::RunDestructors() {
  exit_handlers_.Run();
  d_modules_.Unregister();
  RunInReverse(TakeDestructors(), /*handle=*/nullptr);
}

absl::Status Program::CheckMayBeRemoved(const SourceModule& module) {
  if (!d_modules_.IsRegistering(module)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "removing '", module.name(), "': not possible while constructors of modules in D run"));
}

absl::Status Program::CheckMayBeDetached(const SourceModule& module) {
  if (!d_modules_.Has(module)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("detaching '", module.name(), "': D's runtime looks into its variables"));
}

void Program::RunDestructorsOf(SourceModule& module) {
  const DsoHandle& handle = module.object().dso_handle;
  exit_handlers_.Run(handle);
  d_modules_.UnregisterFileOf(module);
  if (!construction_.TakeToDestroy(module)) return;
  Steps steps;
  AddDestructors(module, steps);
  RunInReverse(std::move(steps), &handle);
}

absl::StatusOr<std::vector<ExecutorAddress>> Program::TakeDestructorsOf(SourceModule& module) {
  Steps steps;
  AddDestructors(module, steps);
  SortInReverse(steps);
  std::vector<ExecutorAddress> addresses;
  for (const LifecycleStep& step : steps) {
    FIRSTCALL_ASSIGN_OR_RETURN(ExecutorAddress address,
                               Prepare(module, step.function, CompileReason::kOrdered));
    addresses.push_back(address);
  }
  if (!construction_.TakeToDestroy(module)) addresses.clear();
  return addresses;
}

void Program::RunInReverse(Steps steps, const DsoHandle* handle) {
  SortInReverse(steps);
  for (LifecycleStep& step : steps) {
    if (step.module != nullptr) {
      // Calls the stub: if the destructor cannot be compiled, the call goes to the failure handler.
      WorkScope scope;
      if (step.module->is_removed()) continue;
      absl::StatusOr<ExecutorAddress> address =
          linkage_.resolver().AddressMeantBy(*step.module, step.function);
      if (!address.ok()) continue;
      step.address = *address;
    }
    step.address.InThisProcess<void (*)()>()();
    if (handle == nullptr) {
      exit_handlers_.Run();
    } else {
      exit_handlers_.Run(*handle);
    }
  }
}

absl::StatusOr<EntryPoint> Program::FindMain(absl::string_view entry,
                                             std::optional<Definition>& found) {
  found = linkage_.definitions().Find(entry);
  if (!found || found->module == nullptr) {
    return absl::NotFoundError(absl::StrCat("no module defines the entry function '", entry, "'"));
  }
  const ModuleId module = found->module->id();
  {
    absl::MutexLock lock(&mutex_);
    if (known_main_ && known_main_->module == module && known_main_->function == found->ordinal) {
      return known_main_->entry_point;
    }
  }
  ModuleCache* const cache = found->module->cache();
  const ModulePart part{ModulePart::Kind::kEntryPoint, found->ordinal};
  if (cache != nullptr) {
    std::optional<EntryPoint> known;
    if (std::optional<ObjectBytes> bytes = cache->Find(part)) {
      known = EntryPoint::Decode(*bytes);
    }
    if (known) return *known;
  }
  FIRSTCALL_ASSIGN_OR_RETURN(EntryPoint created,
                             compiler_half_.ReadEntryPoint(module, found->ordinal));
  {
    absl::MutexLock lock(&mutex_);
    known_main_ = {module, found->ordinal, created};
  }
  if (cache != nullptr) cache->Store(part, created.Encode());
  return created;
}

absl::Status Program::CheckMain(absl::string_view entry) {
  std::optional<Definition> found;
  return FindMain(entry, found).status();
}

absl::StatusOr<int> Program::RunMain(absl::Span<const std::string> arguments,
                                     absl::string_view entry) {
  std::optional<Definition> found;
  errno = 0;  // As C guarantees at main; nothing that the engine does before main changes it.
  std::shared_ptr<SourceModule> module;
  absl::StatusOr<EntryPoint> entry_point = [&] {
    WorkScope scope;
    absl::StatusOr<EntryPoint> entry_point = FindMain(entry, found);
    if (entry_point.ok()) module = found->module->shared_from_this();
    return entry_point;
  }();
  if (!entry_point.ok()) return entry_point.status();
  const auto passed = std::make_shared<const ProgramArguments>(arguments);
  {
    const ForkScope scope;
    absl::MutexLock lock(&mutex_);
    arguments_of_main_ = passed;
  }
  FIRSTCALL_RETURN_IF_ERROR(RunConstructors(passed));
  FIRSTCALL_ASSIGN_OR_RETURN(ExecutorAddress address,
                             Prepare(*module, found->ordinal, CompileReason::kCalled));
  const int status = entry_point->Call(address, *passed);
  ExitHook::RunBeforeOlderObjectsGo();
  return status;
}

}  // namespace firstcall
