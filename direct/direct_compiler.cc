#include "direct/direct_compiler.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "backend/baseline/baseline_compiler.h"
#include "base/status.h"
#include "direct/body_digests.h"
#include "direct/data_choice.h"
#include "direct/data_generation.h"
#include "direct/entry_point_reader.h"
#include "direct/function_generation.h"
#include "direct/function_shape_reader.h"
#include "direct/host_target.h"
#include "direct/inline_assembly.h"

namespace firstcall::direct {
namespace {

absl::Status OnlyLlvm(absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat(what, " is LLVM's"));
}

}  // namespace

std::unique_ptr<DirectCompiler> DirectCompiler::Create(const CompilerSettings& settings) {
  if (settings.optimizes_ir || !IsHostTarget(settings.target)) return nullptr;
  return CreateFor(HostFeatures(), settings);
}

std::unique_ptr<DirectCompiler> DirectCompiler::CreateFor(std::vector<std::string> features,
                                                          const CompilerSettings& settings) {
  baseline::BaselineOptions options;
  options.features = std::move(features);
  options.has_few_registers = settings.target.baseline_has_few_registers;
  options.emulates_thread_locals = settings.emulates_thread_locals;
  CompileSettings in_each_compile;
  in_each_compile.optnone = settings.target.optnone;
  in_each_compile.drops_debug_info = settings.target.debug_info != DebugInfo::kAlways;
  return std::unique_ptr<DirectCompiler>(new DirectCompiler(std::move(options), in_each_compile));
}

absl::StatusOr<std::shared_ptr<const SymbolIndex>> DirectCompiler::Add(ModuleOrder order) {
  if (order.contents.form != ModuleContents::Form::kBitcode) {
    return absl::UnimplementedError("a module given as text");
  }
  const ModuleId id = order.id;
  std::shared_ptr<const SymbolIndex> index = order.index;
  auto module =
      std::make_shared<SourceModule>(id, std::move(order.contents), std::move(order.index));
  if (index == nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const ReadModule> read, module->Read());
    index = read->index;
  }
  absl::MutexLock lock(&mutex_);
  modules_.emplace(id, std::move(module));
  return index;
}

std::shared_ptr<SourceModule> DirectCompiler::Find(ModuleId id) const {
  absl::MutexLock lock(&mutex_);
  return modules_.at(id);
}

absl::StatusOr<std::shared_ptr<const ReadModule>> DirectCompiler::Read(ModuleId id) const {
  return Find(id)->Read();
}

absl::StatusOr<CompiledFunction> DirectCompiler::CompileFunction(const FunctionOrder& order) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const ReadModule> module, Read(order.module));
  FIRSTCALL_ASSIGN_OR_RETURN(const ContextPool::Lease context, contexts_.Take());
  absl::StatusOr<CompiledFunction> compiled = GenerateFunction(order, module, *context);
  if (compiled.ok()) return compiled;
  return Annotate(compiled.status(),
                  absl::StrCat("function '", module->index->at(order.function).name, "'"));
}

absl::StatusOr<CompiledObject> DirectCompiler::CompileData(const DataOrder& order) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const ReadModule> module, Read(order.module));
  FIRSTCALL_ASSIGN_OR_RETURN(const ContextPool::Lease context, contexts_.Take());
  return GenerateData(order, *module, *context);
}

absl::StatusOr<CodeDescription> DirectCompiler::DescribeBodies(const DescriptionOrder& order) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const ReadModule> module, Read(order.module));
  if (module->module().has_compile_units()) return OnlyLlvm("debug information");
  return absl::NotFoundError("the module has no debug information");
}

absl::StatusOr<BodyDigests> DirectCompiler::DigestBodies(ModuleId id) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const ReadModule> module, Read(id));
  return ReadBodyDigests(*module);
}

absl::StatusOr<AssemblyLabels> DirectCompiler::ReadLabels(ModuleId id) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const ReadModule> module, Read(id));
  FIRSTCALL_RETURN_IF_ERROR(CheckNoInlineAssembly(*module));
  return AssemblyLabels();
}

absl::StatusOr<EntryPoint> DirectCompiler::ReadEntryPoint(ModuleId id, SymbolOrdinal function) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const ReadModule> module, Read(id));
  return direct::ReadEntryPoint(module->module(), module->numbers.GlobalOf(function));
}

absl::StatusOr<FunctionShape> DirectCompiler::ReadShape(ModuleId id, SymbolOrdinal function,
                                                        bool is_last_use) {
  const std::shared_ptr<SourceModule> source = Find(id);
  FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const ReadModule> module, source->Read());
  absl::StatusOr<FunctionShape> shape =
      ReadFunctionShape(module->module(), module->numbers.GlobalOf(function));
  if (is_last_use) source->Forget();
  return shape;
}

void DirectCompiler::ForgetFunctions(ModuleId id, bool data_is_compiled) {
  const std::shared_ptr<SourceModule> source = Find(id);
  if (!data_is_compiled) {
    const absl::StatusOr<std::shared_ptr<const ReadModule>> module = source->Read();
    if (!module.ok() || HasData((*module)->module(), *(*module)->index)) return;
  }
  source->Forget();
  contexts_.DropForgotten();
}

void DirectCompiler::Remove(ModuleId id) {
  std::shared_ptr<SourceModule> module;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = modules_.find(id);
    if (found == modules_.end()) return;
    module = std::move(found->second);
    modules_.erase(found);
  }
  module->Forget();
  contexts_.DropForgotten();
}

absl::StatusOr<CompiledObject> DirectCompiler::CompileWhole(const DataOrder&) {
  return OnlyLlvm("a whole module");
}

absl::StatusOr<CompiledObject> DirectCompiler::Optimize(const OptimizationOrder&) {
  return OnlyLlvm("optimization");
}

absl::StatusOr<std::unique_ptr<Linker>> DirectCompiler::MakeLinker() {
  return OnlyLlvm("a linker");
}

}  // namespace firstcall::direct
