#include "clients/orc/orc_compiler.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/module_compiler.h"
#include "backend/baseline/refusal.h"
#include "backend/llvm/llvm_text_assembler.h"
#include "backend/llvm/target.h"
#include "base/diagnostic_collector.h"
#include "base/steady_clock.h"
#include "clients/orc/rest_of_module.h"
#include "clients/orc/statistics_sum.h"
#include "ir/from_llvm/llvm_reader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ExecutionEngine/ObjectCache.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Target/TargetMachine.h"
#include "object/object_bytes.h"
#include "object/object_merger.h"
#include "seam/target_settings.h"

namespace firstcall {
namespace {

using baseline::Refusal;
using Object = std::unique_ptr<llvm::MemoryBuffer>;

// What a thread compiles with. Reused from module to module.
struct Worker {
  explicit Worker(const Target& target) : assembler(target) {}

  LlvmTextAssembler assembler;
  std::unique_ptr<baseline::ModuleCompiler> compiler;
  ir::LlvmReader reader;
};

// The settings of the baseline code generator's target.
TargetSettings SettingsOf(const llvm::TargetMachine& machine) {
  TargetSettings settings;
  settings.triple = machine.getTargetTriple().str();
  settings.cpu = machine.getTargetCPU().str();
  settings.features = machine.getTargetFeatureString().str();
  // To name neither would be this machine's processor.
  if (settings.cpu.empty()) settings.cpu = "generic";
  auto options = std::make_shared<llvm::TargetOptions>(machine.Options);
  // They choose among code generators of LLVM.
  options->EnableFastISel = false;
  options->EnableGlobalISel = false;
  settings.target_options = std::move(options);
  return settings;
}

// Why LLVM compiles all modules; null if it does not.
const char* ObstacleOf(const llvm::TargetMachine& machine, const OrcCompilerOptions& options) {
  if (options.baseline == OrcBaseline::kNever) return "the client's options";
  if (options.baseline == OrcBaseline::kAtLevelNone &&
      machine.getOptLevel() != llvm::CodeGenOptLevel::None) {
    return "the level of optimization";
  }
  if (!machine.getTargetTriple().isOSBinFormatELF()) return "the container of objects";
  // Position-independent code, and code whose addresses are not distances, do for these.
  if (machine.getRelocationModel() != llvm::Reloc::PIC_ &&
      machine.getRelocationModel() != llvm::Reloc::Static) {
    return "the relocation model";
  }
  if (machine.getCodeModel() == llvm::CodeModel::Kernel ||
      machine.getCodeModel() == llvm::CodeModel::Tiny) {
    return "the code model";
  }
  return nullptr;
}

// Why LLVM compiles the module; null if it need not.
const char* ObstacleOf(const llvm::Module& module, const llvm::DataLayout& layout,
                       const OrcCompilerOptions& options) {
  if (!module.getModuleInlineAsm().empty()) return "assembly of the module";
  if (!module.ifuncs().empty()) return "ifuncs";
  if (module.getDataLayout() != layout) return "the data layout";
  if (module.getModuleFlag("kcfi") != nullptr) return "checks of calls";
  if (options.keeps_debug_information && module.getNamedMetadata("llvm.dbg.cu") != nullptr) {
    return "debug information";
  }
  for (const llvm::GlobalValue& value : module.global_values()) {
    if (!value.hasName() && !value.hasLocalLinkage()) return "a global definition without a name";
  }
  return nullptr;
}

// Whether a pass of LLVM's code generator puts calls of hooks into the function.
bool HasHooks(const llvm::Function& function) {
  constexpr const char* kHooks[] = {"instrument-function-entry", "instrument-function-exit",
                                    "instrument-function-entry-inlined",
                                    "instrument-function-exit-inlined"};
  return llvm::any_of(kHooks, [&](const char* hook) { return function.hasFnAttribute(hook); });
}

// Parts of a module refer to each other by names.
void NameLocals(llvm::Module& module) {
  for (llvm::GlobalValue& value : module.global_values()) {
    if (!value.hasName()) value.setName("firstcall.unnamed");
  }
}

uint64_t CountFunctions(const llvm::Module& module) {
  uint64_t count = 0;
  for (const llvm::Function& function : module) {
    if (!function.isDeclarationForLinker()) ++count;
  }
  return count;
}

Object MakeBuffer(absl::string_view bytes, const llvm::Module& module) {
  return llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(bytes.data(), bytes.size()),
      module.getModuleIdentifier() + "-jitted-objectbuffer");
}

absl::string_view ViewOf(const llvm::MemoryBuffer& buffer) {
  return {buffer.getBufferStart(), buffer.getBufferSize()};
}

// What the baseline code generator has made of a module.
struct Covered {
  ObjectBytes object;
  GlobalSet rest;  // What it has not made.
  std::map<std::string, uint64_t> reasons;
};

}  // namespace

struct OrcCompiler::Parts {
  Parts(llvm::orc::JITTargetMachineBuilder builder, const OrcCompilerOptions& options,
        llvm::DataLayout layout)
      : options(options), layout(std::move(layout)), llvm(std::move(builder)) {}

  // Empty if the module cannot be read.
  std::optional<Covered> CompileCovered(const llvm::Module& module, Worker& worker,
                                        const GlobalSet& left_out) const;
  absl::StatusOr<std::unique_ptr<Worker>> TakeWorker();
  // Null after an error: the module as a whole may have none, such as a distance between functions
  // of both parts.
  Object CompileRest(llvm::Module& rest);
  llvm::Expected<Object> CompileWhole(llvm::Module& module, const std::string& reason);

  const OrcCompilerOptions options;
  const llvm::DataLayout layout;
  llvm::orc::ConcurrentIRCompiler llvm;
  std::string obstacle;  // Why LLVM compiles all modules; empty if it does not.
  // Without a value if there is an obstacle. Workers refer to it.
  std::optional<Target> target;
  bool is_far = false;
  bool emulates_thread_locals = false;
  absl::Mutex mutex;
  std::vector<std::unique_ptr<Worker>> idle ABSL_GUARDED_BY(mutex);
};

absl::StatusOr<std::unique_ptr<Worker>> OrcCompiler::Parts::TakeWorker() {
  {
    absl::MutexLock lock(&mutex);
    if (!idle.empty()) {
      std::unique_ptr<Worker> worker = std::move(idle.back());
      idle.pop_back();
      return worker;
    }
  }
  auto worker = std::make_unique<Worker>(*target);
  const std::string triple = target->triple().str();
  baseline::BaselineOptions baseline;
  baseline.features = target->FeaturesAmong(baseline::BaselineCompiler::Features(triple));
  baseline.emulates_thread_locals = emulates_thread_locals;
  baseline.is_for_any_linker = true;
  baseline.ignores_debug_information = true;
  baseline.text_assembler = &worker->assembler;
  absl::StatusOr<std::unique_ptr<baseline::ModuleCompiler>> compiler =
      baseline::ModuleCompiler::Create(triple, baseline);
  if (!compiler.ok()) return compiler.status();
  worker->compiler = *std::move(compiler);
  return worker;
}

std::optional<Covered> OrcCompiler::Parts::CompileCovered(const llvm::Module& module,
                                                          Worker& worker,
                                                          const GlobalSet& left_out) const {
  if (!worker.reader.Begin(module).ok()) return std::nullopt;
  std::vector<const llvm::GlobalValue*> globals(worker.reader.module().globals().size());
  for (const llvm::GlobalValue& value : module.global_values()) {
    if (const uint32_t number = worker.reader.NumberOf(value); number < globals.size()) {
      globals[number] = &value;
    }
  }
  Covered covered;
  covered.rest = left_out;
  std::vector<bool> is_left_out(globals.size());
  for (const llvm::GlobalValue* value : left_out) {
    is_left_out[worker.reader.NumberOf(*value)] = true;
  }
  const auto refuse = [&](uint32_t number, Refusal reason) {
    covered.rest.insert(globals[number]);
    ++covered.reasons[std::string(baseline::RefusalName(reason))];
  };
  for (const llvm::Function& function : module) {
    if (function.isDeclarationForLinker()) continue;
    const uint32_t number = worker.reader.NumberOf(function);
    const bool has_obstacle = target->HasObstacleToBaseline(function) || HasHooks(function);
    if (!has_obstacle || is_left_out[number]) continue;
    is_left_out[number] = true;
    refuse(number, Refusal::kFunctionAttribute);
  }
  baseline::ModuleCompiler::Options how;
  how.is_near = !is_far;
  worker.compiler->CompileSome(worker.reader, how,
                               {[&](uint32_t number) { return bool{is_left_out[number]}; }, refuse},
                               covered.object);
  return covered;
}

Object OrcCompiler::Parts::CompileRest(llvm::Module& rest) {
  llvm::LLVMContext& context = rest.getContext();
  std::unique_ptr<llvm::DiagnosticHandler> clients = context.getDiagnosticHandler();
  CollectDiagnostics(context);
  llvm::Expected<Object> object = llvm(rest);
  const bool has_errors = !TakeDiagnostics(context).empty();
  context.setDiagnosticHandler(std::move(clients));
  if (!object) {
    llvm::consumeError(object.takeError());
    return nullptr;
  }
  return has_errors ? nullptr : std::move(*object);
}

llvm::Expected<Object> OrcCompiler::Parts::CompileWhole(llvm::Module& module,
                                                        const std::string& reason) {
  OrcStatistics done;
  done.modules = done.whole_modules = 1;
  done.llvm_functions = CountFunctions(module);
  done.whole_by_reason[reason] = 1;
  const absl::Duration start = SteadyNow();
  llvm::Expected<Object> object = llvm(module);
  done.llvm_seconds = absl::ToDoubleSeconds(SteadyNow() - start);
  AddToOrcStatistics(done);
  return object;
}

OrcCompiler::OrcCompiler(std::unique_ptr<Parts> parts,
                         const llvm::orc::IRSymbolMapper::ManglingOptions& mangling)
    : IRCompiler(mangling), parts_(std::move(parts)) {}

OrcCompiler::~OrcCompiler() = default;

llvm::Expected<std::unique_ptr<OrcCompiler>> OrcCompiler::Create(
    llvm::orc::JITTargetMachineBuilder builder, const OrcCompilerOptions& options) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = builder.createTargetMachine();
  if (!machine) return machine.takeError();
  const llvm::orc::IRSymbolMapper::ManglingOptions mangling =
      llvm::orc::irManglingOptionsFromTargetOptions(builder.getOptions());
  auto parts = std::make_unique<Parts>(std::move(builder), options, (*machine)->createDataLayout());
  parts->is_far = (*machine)->getCodeModel() != llvm::CodeModel::Small ||
                  (*machine)->getRelocationModel() != llvm::Reloc::PIC_;
  parts->emulates_thread_locals = (*machine)->Options.EmulatedTLS;
  if (const char* obstacle = ObstacleOf(**machine, options)) {
    parts->obstacle = obstacle;
  } else {
    absl::StatusOr<Target> target = Target::Create(SettingsOf(**machine));
    if (target.ok() && target->baseline() != Baseline::kOff) {
      parts->target = *std::move(target);
    } else {
      parts->obstacle = "the target";
    }
  }
  return std::unique_ptr<OrcCompiler>(new OrcCompiler(std::move(parts), mangling));
}

llvm::Expected<Object> OrcCompiler::operator()(llvm::Module& module) {
  llvm::ObjectCache* const cache = parts_->options.object_cache;
  if (cache == nullptr) return Compile(module);
  if (Object cached = cache->getObject(&module)) {
    if (llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
            llvm::object::ObjectFile::createObjectFile(cached->getMemBufferRef())) {
      OrcStatistics done;
      done.cached_modules = 1;
      AddToOrcStatistics(done);
      return cached;
    } else {
      llvm::consumeError(object.takeError());  // As LLVM's own compile functions do.
    }
  }
  llvm::Expected<Object> made = Compile(module);
  if (made) cache->notifyObjectCompiled(&module, (*made)->getMemBufferRef());
  return made;
}

llvm::Expected<Object> OrcCompiler::Compile(llvm::Module& module) {
  if (!parts_->obstacle.empty()) return parts_->CompileWhole(module, parts_->obstacle);
  if (const char* obstacle = ObstacleOf(module, parts_->layout, parts_->options)) {
    return parts_->CompileWhole(module, obstacle);
  }
  absl::StatusOr<std::unique_ptr<Worker>> worker = parts_->TakeWorker();
  if (!worker.ok()) return parts_->CompileWhole(module, "the target");
  NameLocals(module);
  const absl::Duration start = SteadyNow();
  std::optional<Covered> covered = parts_->CompileCovered(module, **worker, {});
  GlobalSet rest;
  const char* obstacle = covered ? nullptr : "its representation";
  if (covered && !covered->rest.empty()) {
    rest = covered->rest;
    obstacle = CompleteRest(module, rest);
    if (obstacle == nullptr && rest.size() > covered->rest.size()) {
      std::map<std::string, uint64_t> reasons = std::move(covered->reasons);
      reasons["what belongs to others"] += rest.size() - covered->rest.size();
      covered = parts_->CompileCovered(module, **worker, rest);
      // What is left out has no more than it had.
      if (!covered || covered->rest.size() != rest.size()) obstacle = "what cannot be divided";
      if (covered) covered->reasons = std::move(reasons);
    }
  }
  const absl::Duration end = SteadyNow();
  OrcStatistics done;
  done.modules = 1;
  done.baseline_seconds = absl::ToDoubleSeconds(end - start);
  Object object;
  if (obstacle == nullptr && rest.empty()) {
    object = MakeBuffer(covered->object, module);
    done.baseline_functions = CountFunctions(module);
  } else if (obstacle == nullptr) {
    RestOfModule divided = CopyRest(module, rest, parts_->emulates_thread_locals);
    done.llvm_functions = CountFunctions(*divided.module);
    done.baseline_functions = CountFunctions(module) - done.llvm_functions;
    done.refused_by_reason = std::move(covered->reasons);
    const Object of_rest = parts_->CompileRest(*divided.module);
    ObjectMerger merger(std::move(divided.locals));
    if (of_rest == nullptr) {
      obstacle = "an error in a part";
    } else if (merger.Add(std::move(covered->object)) &&
               merger.Add(ObjectBytes(ViewOf(*of_rest)))) {
      object = MakeBuffer(merger.Finish(), module);
    } else {
      obstacle = "an object that cannot be merged";
    }
    done.llvm_seconds = absl::ToDoubleSeconds(SteadyNow() - end);
  }
  {
    absl::MutexLock lock(&parts_->mutex);
    parts_->idle.push_back(*std::move(worker));
  }
  if (obstacle != nullptr) return parts_->CompileWhole(module, obstacle);
  AddToOrcStatistics(done);
  return object;
}

std::string OrcObstacle(llvm::orc::JITTargetMachineBuilder builder,
                        const OrcCompilerOptions& options) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = builder.createTargetMachine();
  if (!machine) return llvm::toString(machine.takeError());
  const char* const obstacle = ObstacleOf(**machine, options);
  return obstacle == nullptr ? "" : obstacle;
}

llvm::orc::LLJITBuilderState::CompileFunctionCreator OrcCompileFunctionCreator(
    const OrcCompilerOptions& options) {
  return [options](llvm::orc::JITTargetMachineBuilder builder)
             -> llvm::Expected<std::unique_ptr<llvm::orc::IRCompileLayer::IRCompiler>> {
    return OrcCompiler::Create(std::move(builder), options);
  };
}

}  // namespace firstcall
