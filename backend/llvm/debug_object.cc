#include "backend/llvm/debug_object.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/diagnostic_collector.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "third_party/llvm/version/target_machine.h"

namespace firstcall {
namespace {

using Variable = DescribedCode::Variable;

// Writes the instructions of one function.
class Writer {
 public:
  Writer(llvm::MachineFunction& function, const DescribedCode& code)
      : function_(function),
        code_(code),
        instructions_(*function.getSubtarget().getInstrInfo()),
        registers_(*function.getSubtarget().getRegisterInfo()),
        nop_(instructions_.getNop()),
        nop_bytes_(function.getTarget().getTargetTriple().isX86() ? 1 : 4) {}

  void Write() {
    block_ = &function_.front();
    block_->clear();
    for (const DescribedCode::Line& line : code_.lines) {
      WriteUntil(line.offset);
      location_ = line.location;
    }
    WriteUntil(code_.size);
  }

 private:
  // The no-operations up to `end`, with the variables and unwind rows that change between them.
  void WriteUntil(uint32_t end) {
    while (at_ < end) {
      while (variable_ < code_.variables.size() && code_.variables[variable_].offset <= at_) {
        WriteVariable(code_.variables[variable_++]);
      }
      uint32_t stop = end;
      if (variable_ < code_.variables.size()) {
        stop = std::min(stop, code_.variables[variable_].offset);
      }
      // A row holds from the instruction behind it on.
      while (row_ < code_.unwind.size() && code_.unwind[row_].offset <= at_) {
        WriteRow(code_.unwind[row_++].rule);
      }
      if (row_ < code_.unwind.size()) stop = std::min(stop, code_.unwind[row_].offset);
      for (; at_ < stop; at_ += nop_bytes_) WriteNop();
    }
  }

  void WriteNop() {
    llvm::MachineInstrBuilder nop =
        llvm::BuildMI(*block_, block_->end(), location_, instructions_.get(nop_.getOpcode()));
    for (const llvm::MCOperand& operand : nop_) nop.addImm(operand.getImm());
    // A debugger stops behind the prologue, where the first line begins.
    if (!location_) nop.setMIFlag(llvm::MachineInstr::FrameSetup);
  }

  void WriteRow(const llvm::MCCFIInstruction& rule) {
    llvm::BuildMI(*block_, block_->end(), location_,
                  instructions_.get(llvm::TargetOpcode::CFI_INSTRUCTION))
        .addCFIIndex(function_.addFrameInst(rule));
  }

  void WriteVariable(const Variable& variable) {
    const llvm::MCInstrDesc& description = instructions_.get(llvm::TargetOpcode::DBG_VALUE);
    const llvm::DebugLoc location(variable.location);
    std::optional<unsigned> reg = registers_.getLLVMRegNum(variable.reg, /*isEH=*/false);
    Variable::Kind kind = reg ? variable.kind : Variable::Kind::kUnknown;
    const llvm::DIExpression* expression = variable.expression;
    bool is_indirect = false;
    switch (kind) {
      case Variable::Kind::kUnknown:
        reg = 0;
        break;
      case Variable::Kind::kConstant:
        llvm::BuildMI(*block_, block_->end(), location, description)
            .addImm(variable.place)
            .addReg(0)
            .addMetadata(variable.variable)
            .addMetadata(expression);
        return;
      case Variable::Kind::kInRegister:
        break;
      case Variable::Kind::kInMemory:
        // The variable itself is in memory only if nothing is done to the value.
        is_indirect = IsWholeOrFragment(*expression);
        expression = llvm::DIExpression::prepend(
            expression,
            llvm::DIExpression::ApplyOffset |
                (is_indirect ? 0 : static_cast<int>(llvm::DIExpression::DerefAfter)),
            variable.place);
        break;
      case Variable::Kind::kAddress:
        is_indirect = true;
        expression = llvm::DIExpression::prepend(expression, llvm::DIExpression::ApplyOffset,
                                                 variable.place);
        break;
    }
    llvm::BuildMI(*block_, block_->end(), location, description, is_indirect, llvm::Register(*reg),
                  variable.variable, expression);
  }

  llvm::MachineFunction& function_;
  const DescribedCode& code_;
  const llvm::TargetInstrInfo& instructions_;
  const llvm::TargetRegisterInfo& registers_;
  const llvm::MCInst nop_;
  const uint32_t nop_bytes_;
  llvm::MachineBasicBlock* block_ = nullptr;
  llvm::DebugLoc location_;
  uint32_t at_ = 0;
  size_t variable_ = 0, row_ = 0;
};

// Replaces the code of the functions.
class DescriptionPass final : public llvm::MachineFunctionPass {
 public:
  static char ID;
  explicit DescriptionPass(const DescribedFunctions& functions)
      : llvm::MachineFunctionPass(ID), functions_(functions) {}

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    const auto described = functions_.find(&function.getFunction());
    if (described == functions_.end()) return false;
    Writer(function, described->second).Write();
    return true;
  }

 private:
  const DescribedFunctions& functions_;
};

char DescriptionPass::ID = 0;

}  // namespace

llvm::Function& AddDescribedFunction(llvm::Module& module, llvm::StringRef name,
                                     llvm::DISubprogram& subprogram) {
  llvm::LLVMContext& context = module.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), /*isVarArg=*/false);
  llvm::Function* function =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  // Its unwind rows are for debuggers only (.debug_frame). A row may name any frame pointer.
  function->setDoesNotThrow();
  function->addFnAttr("frame-pointer", "all");
  function->setSection(absl::StrCat(".text.", module.size()));
  function->setSubprogram(&subprogram);
  new llvm::UnreachableInst(context, llvm::BasicBlock::Create(context, "", function));
  return *function;
}

absl::StatusOr<ObjectBytes> MakeDebugObject(const Target& target, llvm::Module& module,
                                            const DescribedFunctions& functions) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine, target.CreateMachine());
  auto& code_generator = static_cast<llvm_version::MachineWithPasses&>(*machine);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  bool is_refused = false;
  const absl::Status status = RunGuarded([&] {
    llvm::legacy::PassManager passes;
    passes.add(new llvm::TargetLibraryInfoWrapperPass(machine->getTargetTriple()));
    llvm::TargetPassConfig* config = code_generator.createPassConfig(passes);
    config->setDisableVerify(true);
    auto* functions_pass = new llvm::MachineModuleInfoWrapperPass(&code_generator);
    passes.add(config);
    passes.add(functions_pass);
    is_refused = config->addISelPasses();
    if (is_refused) return;
    config->addMachinePasses();
    config->setInitialized();
    passes.add(new DescriptionPass(functions));
    is_refused = code_generator.addAsmPrinter(passes, stream, /*DwoOut=*/nullptr,
                                              llvm::CodeGenFileType::ObjectFile,
                                              functions_pass->getMMI().getContext());
    if (is_refused) return;
    passes.add(llvm::createFreeMachineFunctionPass());
    passes.run(module);
  });
  const std::string diagnostics = TakeDiagnostics(module.getContext());
  if (!status.ok()) (void)machine.release();  // The abandoned passes refer to it.
  FIRSTCALL_RETURN_IF_ERROR(Annotate(status, "writing debug information"));
  if (is_refused) {
    return absl::InvalidArgumentError("writing debug information: the target emits no objects");
  }
  if (!diagnostics.empty()) {
    return absl::InternalError(absl::StrCat("writing debug information: ", diagnostics));
  }
  return ObjectBytes(absl::string_view(bytes.data(), bytes.size()));
}

}  // namespace firstcall
