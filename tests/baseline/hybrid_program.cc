#include "tests/baseline/hybrid_program.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baseline/constant_data.h"
#include "code/code_binder.h"
#include "llvm/ExecutionEngine/MCJIT.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

extern "C" {
void __register_frame(void*);
void __deregister_frame(void*);
void* __emutls_get_address(void*);
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
__int128 __fixdfti(double);
__int128 __fixsfti(float);
unsigned __int128 __fixunsdfti(double);
unsigned __int128 __fixunssfti(float);
double __floattidf(__int128);
float __floattisf(__int128);
double __floatuntidf(unsigned __int128);
float __floatuntisf(unsigned __int128);
int __popcountdi2(long);
}

namespace firstcall::testing {
namespace {

// What of the compiler's library no shared library exports.
void* LibraryFunction(const std::string& name) {
#define FUNCTION(f) \
  { #f, reinterpret_cast < void*>(&f) }
  static const std::map<std::string, void*> functions = {FUNCTION(__emutls_get_address),
                                                         FUNCTION(__divti3),
                                                         FUNCTION(__modti3),
                                                         FUNCTION(__udivti3),
                                                         FUNCTION(__umodti3),
                                                         FUNCTION(__fixdfti),
                                                         FUNCTION(__fixsfti),
                                                         FUNCTION(__fixunsdfti),
                                                         FUNCTION(__fixunssfti),
                                                         FUNCTION(__floattidf),
                                                         FUNCTION(__floattisf),
                                                         FUNCTION(__floatuntidf),
                                                         FUNCTION(__floatuntisf),
                                                         FUNCTION(__popcountdi2),
                                                         FUNCTION(atexit)};
#undef FUNCTION
  static int dso_handle = 0;
  if (name == "__dso_handle") return &dso_handle;
  const auto it = functions.find(name);
  return it == functions.end() ? dlsym(RTLD_DEFAULT, name.c_str()) : it->second;
}

constexpr size_t kReserved = size_t{512} << 20;

}  // namespace

// One stretch of pages for everything, so that all of it is near.
class HybridProgram::Memory final : public llvm::RTDyldMemoryManager {
 public:
  explicit Memory(HybridProgram& program)
      : program_(program),
        pages_(static_cast<uint8_t*>(mmap(nullptr, kReserved, PROT_READ | PROT_WRITE | PROT_EXEC,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~Memory() override { deregisterEHFrames(); }

  uint8_t* Take(size_t size, size_t alignment) {
    used_ = llvm::alignTo(used_, std::max<size_t>(alignment, 16));
    uint8_t* taken = pages_ + used_;
    used_ += size;
    return taken;
  }
  uint8_t* allocateCodeSection(uintptr_t size, unsigned alignment, unsigned,
                               llvm::StringRef) override {
    return Take(size, alignment);
  }
  uint8_t* allocateDataSection(uintptr_t size, unsigned alignment, unsigned, llvm::StringRef,
                               bool) override {
    return Take(size, alignment);
  }
  bool finalizeMemory(std::string*) override { return false; }
  uint64_t getSymbolAddress(const std::string& name) override {
    const auto it = program_.compiled_.find(name);
    if (it != program_.compiled_.end()) return reinterpret_cast<uint64_t>(it->second.text);
    return reinterpret_cast<uint64_t>(LibraryFunction(name));
  }

 private:
  HybridProgram& program_;
  uint8_t* const pages_;
  size_t used_ = 0;
};

// Everything gets a name and a linkage by which code from elsewhere can refer to it.
void HybridProgram::Publish(llvm::Module& module) {
  size_t number = 0;
  for (llvm::GlobalValue& value : module.global_values()) {
    // What has a copy beside each function's code stays local.
    if (baseline::IsCopied(value)) continue;
    if (!value.isDeclaration() && value.hasLocalLinkage()) {
      value.setName(absl::StrCat("local.", number++, ".", value.getName().str()));
      value.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
    if (!value.isDeclaration()) {
      value.setVisibility(llvm::GlobalValue::DefaultVisibility);
      value.setDSOLocal(true);
    } else {
      value.setDSOLocal(false);
    }
    if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&value)) object->setComdat(nullptr);
    if (value.isWeakForLinker() && !value.isDeclaration() && !value.hasCommonLinkage()) {
      value.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
  }
  if (llvm::GlobalVariable* list = module.getNamedGlobal("llvm.global_ctors")) {
    if (const auto* entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer())) {
      for (const llvm::Use& use : entries->operands()) {
        const auto* entry = llvm::cast<llvm::ConstantStruct>(use);
        constructors_.emplace_back(
            llvm::cast<llvm::ConstantInt>(entry->getOperand(0))->getZExtValue(),
            entry->getOperand(1)->stripPointerCasts()->getName().str());
      }
      std::sort(constructors_.begin(), constructors_.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    list->eraseFromParent();
  }
}

void HybridProgram::CompileCovered(llvm::Module& module, const HybridOptions& options) {
  std::string features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    if (feature.getValue()) features += (features.empty() ? "+" : ",+") + feature.getKey().str();
  }
  baseline::BaselineOptions baseline_options;
  baseline_options.ignore_debug_information = true;
  auto compiler =
      baseline::BaselineCompiler::Create(module.getTargetTriple(), features, baseline_options);
  std::vector<llvm::Function*> done;
  size_t number = 0;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (function.hasAvailableExternallyLinkage()) continue;
    const size_t own_number = number++;
    size_t instructions = 0;
    for (const llvm::BasicBlock& block : function) instructions += block.size();
    ++stats_.functions;
    stats_.instructions += instructions;
    if (own_number < options.first_function || own_number > options.last_function) continue;
    const bool is_aliased = std::any_of(
        module.alias_begin(), module.alias_end(),
        [&](const llvm::GlobalAlias& alias) { return alias.getAliaseeObject() == &function; });
    if (is_aliased) continue;
    Compiled compiled;
    const baseline::BaselineResult result =
        (*compiler)->Compile(function, options.is_near, compiled.code);
    if (result.refusal != baseline::Refusal::kNone) {
      auto& [functions, refused] = stats_.refused[result.refusal];
      ++functions;
      refused += instructions;
      continue;
    }
    ++stats_.compiled_functions;
    stats_.compiled_instructions += instructions;
    stats_.code_bytes += compiled.code.symbols[0].size;
    stats_.names.push_back(absl::StrCat(own_number, " ", function.getName().str()));
    compiled.text = memory_->Take(compiled.code.sections[0].bytes.size(), 16);
    compiled.unwind = memory_->Take(compiled.code.sections[1].bytes.size() + 8, 16);
    compiled_[std::string(compiled.code.NameOf(compiled.code.symbols[0]))] = std::move(compiled);
    done.push_back(&function);
  }
  for (llvm::Function* function : done) {
    function->deleteBody();
    function->setDSOLocal(options.is_near);
  }
}

absl::Status HybridProgram::Bind() {
  for (auto& [name, compiled] : compiled_) {
    std::vector<SectionPlacement> placements;
    uint8_t* const places[] = {compiled.text, compiled.unwind};
    for (size_t i = 0; i < 2; ++i) {
      const std::vector<uint8_t>& bytes = compiled.code.sections[i].bytes;
      std::memcpy(places[i], bytes.data(), bytes.size());
      placements.push_back({places[i], ExecutorAddress::Of(places[i])});
    }
    const absl::Status bound =
        BindCode(compiled.code, placements,
                 [this](absl::string_view symbol) -> absl::StatusOr<ExecutorAddress> {
                   const uint64_t address = Find(std::string(symbol));
                   if (address == 0) return absl::NotFoundError(absl::StrCat("no symbol ", symbol));
                   return ExecutorAddress(address);
                 });
    if (!bound.ok()) return absl::Status(bound.code(), absl::StrCat(name, ": ", bound.message()));
    __register_frame(compiled.unwind);
    compiled.is_registered = true;
  }
  return absl::OkStatus();
}

uint64_t HybridProgram::Find(const std::string& name) {
  const auto it = compiled_.find(name);
  if (it != compiled_.end()) return reinterpret_cast<uint64_t>(it->second.text);
  if (const uint64_t address = engine_->getGlobalValueAddress(name)) return address;
  return reinterpret_cast<uint64_t>(LibraryFunction(name));
}

void HybridProgram::RunConstructors() {
  for (const auto& [priority, name] : constructors_) Address<void()>(name)();
}

absl::StatusOr<std::unique_ptr<HybridProgram>> HybridProgram::Create(
    std::unique_ptr<llvm::Module> module, const HybridOptions& options) {
  static const bool initialized = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
    return true;
  }();
  (void)initialized;
  std::unique_ptr<HybridProgram> program(new HybridProgram);
  llvm::Module& its_module = *module;
  auto memory = std::make_unique<Memory>(*program);
  program->memory_ = memory.get();
  std::string problem;
  llvm::TargetOptions target_options;
  target_options.EmulatedTLS = true;
  llvm::EngineBuilder builder(std::move(module));
  builder.setErrorStr(&problem)
      .setEngineKind(llvm::EngineKind::JIT)
      .setOptLevel(llvm::CodeGenOptLevel::None)
      .setRelocationModel(llvm::Reloc::PIC_)
      .setTargetOptions(target_options)
      .setMCJITMemoryManager(std::move(memory));
  llvm::TargetMachine* machine = builder.selectTarget();
  if (its_module.getTargetTriple().empty()) {
    its_module.setTargetTriple(machine->getTargetTriple().str());
  }
  its_module.setDataLayout(machine->createDataLayout());
  program->Publish(its_module);
  program->CompileCovered(its_module, options);
  program->engine_.reset(builder.create(machine));
  if (program->engine_ == nullptr) return absl::InternalError(problem);
  program->engine_->finalizeObject();
  const absl::Status bound = program->Bind();
  if (!bound.ok()) return bound;
  return program;
}

HybridProgram::~HybridProgram() {
  for (auto& [name, compiled] : compiled_) {
    if (compiled.is_registered) __deregister_frame(compiled.unwind);
  }
}

}  // namespace firstcall::testing
