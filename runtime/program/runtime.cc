#include "runtime/program/runtime.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "runtime/process/work_scope.h"
#include "runtime/program/function_lists.h"
#include "runtime/program/preparation.h"
#include "seam/event.h"

namespace firstcall {

namespace {

constexpr absl::string_view kUsualEntry = "main";

// See DescriptionOrder.
std::optional<bool> AsksWhenCalled(const RuntimeOptions& options) {
  if (!options.promotes) return std::nullopt;
  return !options.promotion.only_counts_calls();
}

}  // namespace

std::shared_ptr<CodeSpace> Runtime::MakeCodeSpace(std::shared_ptr<ArenaMemory> arenas,
                                                  std::shared_ptr<MemoryManager> memory,
                                                  CodeSpace::BlockObserver block_observer) {
  return std::make_shared<CodeSpace>(std::move(arenas), std::move(memory),
                                     &FunctionTable::HandleFirstCall, std::move(block_observer));
}

Runtime::Runtime(RuntimeOptions options, Compiler& compiler, ListenerGroup& listeners,
                 std::shared_ptr<CodeSpace> code_space)
    : listeners_(listeners),
      code_space_(std::move(code_space)),
      linkage_(std::move(static_cast<Linkage::Options&>(options)), compiler, *code_space_,
               exit_handlers_, listeners_),
      optimized_bodies_(compiler, linkage_.function_linker(), linkage_.resolver(),
                        linkage_.optimized_cache(), listeners_, options.describes_bodies,
                        AsksWhenCalled(options).value_or(false)),
      counting_bodies_(compiler, linkage_.function_linker(), linkage_.resolver(), listeners_),
      describer_(AsksWhenCalled(options), compiler, linkage_.resolver()),
      descriptions_(options.describes_bodies, describer_, linkage_.functions()),
      promoter_(options.promotes ? std::make_unique<Promoter>(options.promotion, *code_space_,
                                                              linkage_.functions(),
                                                              optimized_bodies_, counting_bodies_)
                                 : nullptr),
      threads_(options.compile_threads),
      function_compiler_(compiler, linkage_.functions(), linkage_.resolver(), linkage_.objects(),
                         linkage_.function_linker(), linkage_.optimized_cache(), listeners_,
                         threads_, promoter_.get(), options.speculation_budget, descriptions_,
                         options.finds_lines ? &describer_ : nullptr),
      program_(compiler, linkage_, function_compiler_, exit_handlers_, threads_,
               modules_.construction()),
      foreign_functions_(compiler, linkage_.definitions(), linkage_.resolver(), program_, threads_),
      removal_(compiler, listeners_, code_space_, exit_handlers_, removed_code_, linkage_,
               promoter_.get(), threads_, function_compiler_, modules_, program_,
               foreign_functions_) {
  linkage_.Connect(function_compiler_);
  if (promoter_ != nullptr && options.describes_bodies) {
    promoter_->SetOtherWork([this] { descriptions_.Look(); });
  }
  listeners_.Add(stats_);
}

void Runtime::StoreStartObjects() {
  const ForkScope scope;
  for (const std::shared_ptr<SourceModule>& module : modules_.All()) {
    if (module->cache() == nullptr) continue;
    const auto is_replaced = [&](SymbolOrdinal ordinal) {
      return linkage_.resolver().IsReplaced(*module, ordinal);
    };
    for (const auto functions :
         {ModulePart::Kind::kFunction, ModulePart::Kind::kDebuggerFunction}) {
      module->start_object(functions).Store(is_replaced);
    }
  }
}

void Runtime::Stop() {
  threads_.Stop();
  if (promoter_ != nullptr) promoter_->Stop();
  exit_handlers_.DropThreads();
  // Detached code may call functions of modules that no longer exist.
  if (code_space_.use_count() > 1) linkage_.functions().RemoveAll();
}

LibraryId Runtime::LibraryNamed(absl::string_view name) {
  const ForkScope scope;
  return linkage_.definitions().LibraryNamed(name);
}

bool Runtime::MustBeFar() const {
  const ForkScope scope;
  return code_space_->MustBeFar();
}

absl::StatusOr<SourceModule*> Runtime::Add(NewModule added, absl::Duration start) {
  std::unique_ptr<OwnedCode> code = code_space_->MakeOwner();
  FIRSTCALL_ASSIGN_OR_RETURN(DsoHandle * dso_handle,
                             exit_handlers_.MakeHandle(*code, code_space_->NearFor(added.is_far)));
  auto module = std::make_shared<SourceModule>(
      added.id, std::move(added.name), added.library, added.mode, added.is_far, added.is_reopenable,
      std::move(added.index), std::move(code), *dso_handle, std::move(added.cache));
  FIRSTCALL_RETURN_IF_ERROR(linkage_.Add(*module));
  SourceModule* const result = module.get();
  modules_.Add(std::move(module));
  listeners_.OnModuleAdded({result->name(), result->index(), SteadyNow() - start});
  return result;
}

absl::Status Runtime::LinkWhole(SourceModule& module) {
  return linkage_.objects().Link(module.object());
}

absl::Status Runtime::AddObject(std::string name, ObjectBytes contents, bool is_archive_member,
                                LibraryId library) {
  return linkage_.AddObject(std::move(name), std::move(contents), is_archive_member, library);
}

void Runtime::Drop(absl::Span<const ModuleId> modules) {
  for (ModuleId id : modules) {
    if (std::shared_ptr<SourceModule> module = modules_.Find(id)) (void)removal_.Drop(*module);
  }
}

absl::StatusOr<void*> Runtime::LookupAddress(absl::string_view name) {
  absl::StatusOr<DynamicSymbols::Found> found;
  DelegatingWorkScope(threads_).Run([&] { found = linkage_.resolver().Lookup(name); });
  if (!found.ok()) return found.status();
  return found->InThisThread();
}

absl::StatusOr<void*> Runtime::LookupAddress(ModuleId id, absl::string_view name) {
  const std::shared_ptr<SourceModule> module = modules_.Find(id);
  if (module == nullptr) return absl::NotFoundError("there is no such module");
  absl::StatusOr<DynamicSymbols::Found> found;
  DelegatingWorkScope(threads_).Run([&] {
    // Beginning to work may have waited for its removal.
    found = module->is_removed()
                ? absl::NotFoundError(absl::StrCat("'", module->name(), "' was removed"))
                : linkage_.resolver().LookupIn(*module, name);
  });
  if (!found.ok()) return found.status();
  return found->InThisThread();
}

absl::Status Runtime::Call(absl::string_view name, const ForeignValue& result,
                           absl::Span<const ForeignValue> arguments) {
  return Annotate(foreign_functions_.Call(name, result, arguments),
                  absl::StrCat("calling '", name, "'"));
}

absl::Status Runtime::Prepare(absl::Span<const absl::string_view> names,
                              const PrepareOptions& options) {
  const auto list = [&] {
    return FunctionsNamed(names, linkage_.definitions(), modules_, linkage_.resolver());
  };
  return PrepareFunctions(list, options, program_, promoter_.get(), threads_);
}

absl::Status Runtime::PrepareAll(const PrepareOptions& options) {
  // Afterwards the module may be gone, from which RunMain would learn how to call the function.
  (void)CheckMain(kUsualEntry);
  return PrepareFunctions([&] { return AllFunctions(modules_, linkage_.resolver()); }, options,
                          program_, promoter_.get(), threads_);
}

absl::Status Runtime::Remove(ModuleId id) { return removal_.Remove(id); }

absl::StatusOr<std::unique_ptr<DetachedCode>> Runtime::Detach(ModuleId id) {
  return removal_.Detach(id);
}

absl::StatusOr<int> Runtime::RunMain(absl::Span<const std::string> arguments,
                                     absl::string_view entry) {
  return program_.RunMain(arguments, entry);
}

absl::Status Runtime::CheckMain(absl::string_view entry) {
  WorkScope scope;
  return program_.CheckMain(entry);
}

Stats Runtime::Collect() const {
  const ForkScope scope;
  Stats stats = stats_.Collect();
  stats.stubs_made = code_space_->stubs().size();
  if (promoter_ != nullptr) stats.promotions = promoter_->Collect();
  const BodyDescriptions::Counts descriptions = descriptions_.counts();
  stats.functions_described = descriptions.described;
  stats.functions_not_described = descriptions.other;
  stats.memory = code_space_->arenas().usage();
  return stats;
}

}  // namespace firstcall
