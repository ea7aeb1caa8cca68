#include "backend/llvm/object_emitter.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/llvm/false_dependencies.h"
#include "backend/llvm/fast_selection.h"
#include "backend/llvm/macho_module.h"
#include "backend/llvm/wrong_at_o0.h"
#include "base/diagnostic_collector.h"
#include "base/fatal_error_guard.h"
#include "base/inline_assembly.h"
#include "base/status.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "object/macho_to_elf.h"
#include "third_party/llvm/version/triple.h"

namespace firstcall {
namespace {

// LLVM 19 for AArch64 makes no tail calls with the convention of GHC, and its functions do not save
// their return address, so a call from one of them would never return.
absl::Status CheckCallsOfGhc(const llvm::Module& module, const llvm::Triple& triple) {
  if (!triple.isAArch64()) return absl::OkStatus();
  for (const llvm::Function& function : module) {
    if (function.getCallingConv() != llvm::CallingConv::GHC) continue;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->isInlineAsm() || llvm::isa<llvm::IntrinsicInst>(call) ||
          call->doesNotReturn()) {
        continue;
      }
      return absl::UnimplementedError(
          absl::StrCat("generating code: function '", function.getName().str(),
                       "': a call in a function with the calling convention of GHC, which LLVM "
                       "does not support on AArch64"));
    }
  }
  return absl::OkStatus();
}

// LLVM's pass for -fsanitize=safe-stack would declare the variable itself, but after the pass that
// emulates thread-local variables, without which LLVM 19 crashes.
void DeclareUnsafeStackPointer(llvm::Module& module) {
  constexpr char kName[] = "__safestack_unsafe_stack_ptr";
  if (module.getNamedValue(kName) != nullptr) return;
  new llvm::GlobalVariable(module, llvm::PointerType::getUnqual(module.getContext()),
                           /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
                           /*Initializer=*/nullptr, kName, /*InsertBefore=*/nullptr,
                           llvm::GlobalValue::InitialExecTLSModel);
}

// Without emulation: has code reach thread-local variables by descriptors, whatever model the
// module has chosen for a program that is linked as a whole. (For those that the object itself
// defines LLVM may add a distance to the descriptor of the object's block.) Debug information then
// says that there is such a variable, but not where.
void UseDescriptors(llvm::Module& module) {
  bool has_any = false;
  const auto prepare = [&](llvm::GlobalValue& value) {
    if (!value.isThreadLocal()) return;
    has_any = true;
    value.setThreadLocalMode(llvm::GlobalValue::GeneralDynamicTLSModel);
    if (value.isDeclaration()) value.setDSOLocal(false);
  };
  for (llvm::GlobalVariable& variable : module.globals()) {
    prepare(variable);
    // A debugger would look for the variable in what the dynamic linker has for this file: nothing.
    if (variable.isThreadLocal()) variable.eraseMetadata(llvm::LLVMContext::MD_dbg);
  }
  for (llvm::GlobalAlias& alias : module.aliases()) prepare(alias);
  if (has_any && module.getPIELevel() != llvm::PIELevel::Default) {
    module.setModuleFlag(llvm::Module::Max, "PIE Level",
                         llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                             llvm::Type::getInt32Ty(module.getContext()), 0)));
  }
}

// Removes the profile of calls, after which a static linker would order functions. LLVM 22's
// ELFObjectWriter keeps this profile, and refers to its freed symbols in the objects that follow.
void RemoveCallGraphProfile(llvm::Module& module) {
  constexpr char kName[] = "CG Profile";
  if (module.getModuleFlag(kName) == nullptr) return;
  llvm::SmallVector<llvm::Module::ModuleFlagEntry, 8> flags;
  module.getModuleFlagsMetadata(flags);
  module.getModuleFlagsMetadata()->clearOperands();
  for (const llvm::Module::ModuleFlagEntry& flag : flags) {
    if (flag.Key->getString() != kName) {
      module.addModuleFlag(flag.Behavior, flag.Key->getString(), flag.Val);
    }
  }
}

// Whether the object may have a section with a stack map or a fault map: its name (in ELF
// ".llvm_stackmaps", in Mach-O "__llvm_stackmaps") is somewhere in the object.
bool HasMapOfCode(absl::string_view object) {
  return absl::StrContains(object, "llvm_stackmaps") || absl::StrContains(object, "llvm_faultmaps");
}

}  // namespace

absl::StatusOr<std::unique_ptr<ObjectEmitter>> ObjectEmitter::Create(const Target& target,
                                                                     Compile compile) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine, target.CreateMachine());
  std::unique_ptr<ObjectEmitter> emitter(new ObjectEmitter(target, compile, std::move(machine)));
  FIRSTCALL_RETURN_IF_ERROR(emitter->MakePasses());
  return emitter;
}

absl::Status ObjectEmitter::MakePasses() {
  passes_ = std::make_unique<PassesWithoutFalseDependencies>();
  passes_->add(new llvm::TargetLibraryInfoWrapperPass(machine_->getTargetTriple()));
  llvm::MCContext* unused = nullptr;
  if (machine_->addPassesToEmitMC(*passes_, unused, stream_, /*DisableVerify=*/true)) {
    return absl::InvalidArgumentError(absl::StrCat("creating a code generator: '",
                                                   machine_->getTargetTriple().str(),
                                                   "' cannot emit objects in memory"));
  }
  if (HasWrongFastSelection()) machine_->setO0WantsFastISel(false);
  // MCJIT builds its own. This one has made all passes known to LLVM, for which LLVM takes locks,
  // and the thread that runs the passes may be stopped (see UnattendedWork).
  if (compile_ != nullptr) passes_ = nullptr;
  return absl::OkStatus();
}

// For functions with `optnone` LLVM uses its fast instruction selector. For AArch64 that assumes
// that an argument which is extended to 32 bits is extended to 64. At -O0 LLVM uses another one.
bool ObjectEmitter::HasWrongFastSelection() const {
  return machine_->getTargetTriple().isAArch64() && optimizes();
}

ObjectEmitter::ObjectEmitter(const Target& target, Compile compile,
                             std::unique_ptr<llvm::TargetMachine> machine)
    : target_(target), compile_(compile), machine_(std::move(machine)), stream_(bytes_) {}

ObjectEmitter::~ObjectEmitter() {
  if (!is_broken_) return;
  // Passes that a fatal error interrupted in a module can be destroyed, which frees 0.7 MB. If that
  // fails, or after a crash, they are leaked.
  llvm::legacy::PassManager* passes = passes_.release();
  llvm::TargetMachine* machine = machine_.release();
  if (has_crashed_) return;
  (void)RunGuarded([&] {
    delete passes;
    delete machine;
  });
}

absl::StatusOr<ObjectBytes> ObjectEmitter::Emit(std::unique_ptr<llvm::Module> module) {
  absl::StatusOr<ObjectBytes> object = Emit(*module);
  if (is_broken_) (void)module.release();  // The abandoned passes may refer to it.
  return object;
}

absl::StatusOr<ObjectBytes> ObjectEmitter::EmitSlowly(llvm::Module& module) {
  if (slow_ == nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(slow_, Create(target_.ThatIsNotFast(), compile_));
  }
  absl::StatusOr<ObjectBytes> object = slow_->Emit(module);
  is_broken_ = slow_->is_broken();
  has_crashed_ = slow_->has_crashed_;
  return object;
}

absl::StatusOr<ObjectBytes> ObjectEmitter::Emit(llvm::Module& module) {
  FIRSTCALL_RETURN_IF_ERROR(CheckCallsOfGhc(module, machine_->getTargetTriple()));
  const bool has_wrong = HasWrongAtO0(module, *machine_);
  if (has_wrong && !optimizes()) return EmitSlowly(module);
  if (!machine_->getTargetTriple().isOSBinFormatMachO()) return EmitAsIs(module);
  for (const llvm::Function& function : module) {
    // LLVM writes its tables as ELF, whatever the container is.
    if (function.hasGC() && function.getGC() == "erlang") {
      return absl::UnimplementedError(absl::StrCat("function '", function.getName().str(),
                                                   "': the garbage collector of Erlang in Mach-O"));
    }
  }
  MachoModule prepared(module);
  FIRSTCALL_ASSIGN_OR_RETURN(const ObjectBytes macho, EmitAsIs(module));
  absl::StatusOr<ObjectBytes> elf = MachoToElf(macho, prepared.TranslationOptions());
  if (elf.ok()) return elf;
  return Annotate(elf.status(), "generating code: reading the Mach-O object");
}

// In the container that the triple names.
absl::StatusOr<ObjectBytes> ObjectEmitter::EmitAsIs(llvm::Module& module) {
  bytes_.clear();
  for (llvm::Function& function : module) {
    if (!optimizes()) PrepareForFastSelection(function);
    // LLVM 19 does not restore the registers in front of a tail call.
    if (function.hasFnAttribute("no_caller_saved_registers")) {
      function.addFnAttr("disable-tail-calls", "true");
    }
    if (function.hasFnAttribute(llvm::Attribute::SafeStack)) DeclareUnsafeStackPointer(module);
    // MCJIT builds the pipeline itself, so the selector can only be avoided in this way.
    if (compile_ != nullptr && HasWrongFastSelection()) {
      function.removeFnAttr(llvm::Attribute::OptimizeNone);
    }
  }
  if (!target_.emulates_thread_locals()) UseDescriptors(module);
  RemoveCallGraphProfile(module);
  const bool has_assembly = HasInlineAssembly(module);
  const bool has_collector =
      llvm::any_of(module, [](const llvm::Function& function) { return function.hasGC(); });
  absl::Status status = RunPasses(module);
  std::string diagnostics = TakeDiagnostics(module.getContext());
  // If the code generator has written nothing, MCJIT fails to load that, for no reason of its own.
  const bool has_reason = passes_ == nullptr && !diagnostics.empty() && !IsCrash(status);
  if (!has_reason) FIRSTCALL_RETURN_IF_ERROR(Annotate(status, "generating code"));
  ObjectBytes object(absl::string_view(bytes_.data(), bytes_.size()));
  if (passes_ != nullptr && llvm::isAssignmentTrackingEnabled(module)) {
    FIRSTCALL_RETURN_IF_ERROR(ForgetAssignments());
  }
  // LLVM 19's MCContext frees the symbols of numbered labels ("1:"), and finds them again when the
  // assembly of another module has a label of the same number. Its GCModuleInfo keeps what it knows
  // of functions with a garbage collector, and writes their tables into the objects that follow.
  // Its AArch64AsmPrinter keeps the functions of stack maps and fault maps, and refers to their
  // freed symbols in the next such map.
  if (passes_ != nullptr &&
      (has_assembly || has_collector || HasMapOfCode({bytes_.data(), bytes_.size()}))) {
    FIRSTCALL_RETURN_IF_ERROR(MakePasses());
  }
  if (!diagnostics.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("generating code: ", diagnostics));
  }
  return object;
}

// LLVM 19's AssignmentTrackingAnalysis keeps the debug locations of the last function until it sees
// the next one, when their context may be gone. So it is given a function without debug locations,
// for which no code is generated.
absl::Status ObjectEmitter::ForgetAssignments() {
  llvm::LLVMContext context;
  llvm::Module module("", context);
  module.setDataLayout(machine_->createDataLayout());
  llvm_version::SetTriple(module, machine_->getTargetTriple());
  module.addModuleFlag(llvm::Module::Max, "debug-info-assignment-tracking", 1);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), /*isVarArg=*/false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::AvailableExternallyLinkage,
                                          "nothing", module);
  llvm::ReturnInst::Create(context, llvm::BasicBlock::Create(context, "", function));
  absl::Status status = RunPasses(module);
  bytes_.clear();
  return Annotate(status, "forgetting a module's debug locations");
}

absl::Status ObjectEmitter::RunPasses(llvm::Module& module) {
  absl::Status status;
  if (passes_ != nullptr) {
    status = RunGuarded([&] { passes_->run(module); });
  } else {
    FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                               target_.CreateMachine());
    status = compile_(module, std::move(machine), bytes_);
  }
  if (!status.ok()) {
    is_broken_ = true;
    has_crashed_ = IsCrash(status);
  }
  return status;
}

}  // namespace firstcall
