#include "engine/program.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "engine/entry_point.h"
#include "engine/module_cache.h"
#include "engine/work_scope.h"
#include "llvm/IR/Function.h"

namespace firstcall {

ModuleId Program::NextId() {
  absl::MutexLock lock(&mutex_);
  return ModuleId{next_id_++};
}

void Program::Add(std::unique_ptr<SourceModule> module) {
  absl::MutexLock lock(&mutex_);
  modules_.push_back(std::move(module));
}

bool Program::IsFunction(const Definition& definition) const {
  const SymbolIndex& index = definition.module->index();
  const SymbolKind kind = index.at(index.at(definition.ordinal).base).kind;
  return kind == SymbolKind::kFunction || kind == SymbolKind::kIFunc;
}

std::vector<FunctionKey> Program::AllFunctions() {
  std::vector<SourceModule*> modules;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& module : modules_) modules.push_back(module.get());
  }
  std::vector<FunctionKey> functions;
  for (SourceModule* module : modules) {
    for (uint32_t i = 0; i < module->index().size(); ++i) {
      const Symbol& symbol = module->index().at(SymbolOrdinal{i});
      if (symbol.kind == SymbolKind::kFunction && symbol.is_definition &&
          !resolver_.IsReplaced(*module, SymbolOrdinal{i})) {
        functions.push_back({module, SymbolOrdinal{i}});
      }
    }
  }
  return functions;
}

std::vector<SourceModule*> Program::TakeModulesToConstruct() {
  absl::MutexLock lock(&mutex_);
  // Before any handler the program registers with the C library, so that destructors run after
  // those.
  if (!exit_hook_) {
    exit_hook_.emplace([this] {
      RunDestructors();
      threads_.StopForExit();
    });
  }
  std::vector<SourceModule*> taken;
  while (constructed_ < modules_.size()) taken.push_back(modules_[constructed_++].get());
  to_destroy_.insert(to_destroy_.end(), taken.begin(), taken.end());
  return taken;
}

std::vector<SourceModule*> Program::TakeModulesToDestroy() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(to_destroy_, {});
}

absl::StatusOr<ExecutorAddress> Program::Prepare(SourceModule& module, SymbolOrdinal function,
                                                 FunctionCompiler::Reason reason) {
  const SymbolIndex& index = module.index();
  const Symbol& symbol = index.at(function);
  if (module.mode() == Mode::kLazy && symbol.is_definition &&
      !resolver_.IsReplaced(module, function)) {
    const SymbolOrdinal base = symbol.kind == SymbolKind::kIFunc ? function : symbol.base;
    FIRSTCALL_RETURN_IF_ERROR(compiler_.Compile({&module, base}, reason).status());
  }
  WorkScope scope;
  ContextPool::Lease context = contexts_.Take();
  return resolver_.AddressOf(module, function, ReferenceKind::kStub, *context);
}

// As if a static linker had been given the modules, then the object files, then the archives.
absl::StatusOr<Program::Steps> Program::TakeConstructors() {
  Steps steps;
  for (SourceModule* module : TakeModulesToConstruct()) {
    for (const LifecycleFunction& entry : module->index().constructors()) {
      steps.push_back({entry.priority, module, entry.function, ExecutorAddress()});
    }
  }
  const std::vector<LazyObject*> files = precompiled_.ObjectsWithConstructors();
  for (LazyObject* object : files) {
    ContextPool::Lease context = contexts_.Take();
    FIRSTCALL_RETURN_IF_ERROR(objects_.Link(*object, *context));
  }
  std::vector<LazyObject*> objects = objects_.TakeObjectsToConstruct();
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

absl::Status Program::RunConstructors() {
  while (true) {
    FIRSTCALL_ASSIGN_OR_RETURN(Steps steps, TakeConstructors());
    if (steps.empty()) return absl::OkStatus();
    for (LifecycleStep& step : steps) {
      if (step.module != nullptr) {
        FIRSTCALL_ASSIGN_OR_RETURN(
            step.address, Prepare(*step.module, step.function, FunctionCompiler::Reason::kCalled));
      }
      step.address.InThisProcess<void (*)()>()();
    }
  }
}

Program::Steps Program::TakeDestructors() {
  Steps steps;
  for (SourceModule* module : TakeModulesToDestroy()) {
    const absl::Span<const LifecycleFunction> list = module->index().destructors();
    for (auto entry = list.rbegin(); entry != list.rend(); ++entry) {
      steps.push_back({entry->priority, module, entry->function, ExecutorAddress()});
    }
  }
  for (const LazyObject* object : objects_.TakeObjectsToDestroy()) {
    for (const LazyObject::LifecycleCode& code : object->destructors) {
      steps.push_back({code.priority, nullptr, SymbolOrdinal(), code.address});
    }
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a.priority < b.priority; });
  std::reverse(steps.begin(), steps.end());
  return steps;
}

void Program::RunDestructors() {
  exit_handlers_.Run();
  for (LifecycleStep& step : TakeDestructors()) {
    if (step.module != nullptr) {
      // The stub, so that one that cannot be compiled goes to the failure handler.
      ContextPool::Lease context = contexts_.Take();
      absl::StatusOr<ExecutorAddress> address =
          resolver_.AddressOf(*step.module, step.function, ReferenceKind::kStub, *context);
      if (!address.ok()) continue;
      step.address = *address;
    }
    step.address.InThisProcess<void (*)()>()();
    exit_handlers_.Run();
  }
}

absl::StatusOr<EntryPoint> Program::FindMain(absl::string_view entry,
                                             std::optional<Definition>& found) {
  found = definitions_.Find(entry);
  if (!found || found->module == nullptr) {
    return absl::NotFoundError(absl::StrCat("no module defines the entry function '", entry, "'"));
  }
  ModuleCache* const cache = found->module->cache();
  const ModulePart part{ModulePart::Kind::kEntryPoint, found->ordinal};
  if (cache != nullptr) {
    std::optional<EntryPoint> known;
    if (std::optional<ObjectBytes> bytes = cache->Find(part)) {
      known = EntryPoint::Decode(absl::string_view(bytes->data(), bytes->size()));
    }
    if (known) return *known;
  }
  ContextPool::Lease context = contexts_.Take();
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context->View(*found->module));
  absl::MutexLock lock(&view->mutex());
  const auto* function = llvm::dyn_cast<llvm::Function>(&view->symbol(found->ordinal));
  if (function == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("entry function '", entry, "' is not a function"));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(EntryPoint created, EntryPoint::Create(*function));
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
  FIRSTCALL_ASSIGN_OR_RETURN(EntryPoint entry_point, FindMain(entry, found));
  FIRSTCALL_RETURN_IF_ERROR(RunConstructors());
  FIRSTCALL_ASSIGN_OR_RETURN(ExecutorAddress address, Prepare(*found->module, found->ordinal,
                                                              FunctionCompiler::Reason::kCalled));
  const int status = entry_point.Call(address, arguments, environ);
  ExitHook::RunBeforeOlderObjectsGo();
  return status;
}

}  // namespace firstcall
