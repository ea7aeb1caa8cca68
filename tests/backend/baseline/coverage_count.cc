#include "tests/backend/baseline/coverage_count.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "backend/baseline/architecture.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/coverage.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/refusal.h"
#include "backend/baseline/triple.h"
#include "base/status.h"
#include "bitcode/function_reader.h"
#include "bitcode/module.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/module.h"
#include "ir/names.h"
#include "ir/text.h"
#include "ir/type.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "object/compiled_code.h"
#include "object/machine.h"
#include "tests/backend/baseline/compile_llvm.h"

namespace firstcall::baseline {
namespace {

double Percent(int64_t part, int64_t all) {
  return all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

// The type in a few letters.
std::string ShortTextOf(const ir::Type& type) {
  constexpr size_t kMostLetters = 48;
  std::string text = ir::TextOf(type);
  if (text.size() > kMostLetters) text = absl::StrCat(text.substr(0, kMostLetters), "...");
  return text;
}

// What the instruction is: the intrinsic that it calls, or its types.
std::string WordsOf(const ir::Function& function, const ir::Instruction& instruction) {
  const ir::Global* callee =
      instruction.IsCall() ? function.CalledFunctionOf(instruction) : nullptr;
  std::string words(ir::NameOf(instruction.opcode));
  if (callee != nullptr && absl::StartsWith(callee->name, "llvm.")) {
    return absl::StrCat(words, " ", callee->name);
  }
  if (instruction.type != nullptr) absl::StrAppend(&words, " ", ShortTextOf(*instruction.type));
  if (instruction.operand_count != 0) {
    const ir::Type* operand = function.TypeOf(function.OperandOf(instruction, 0));
    if (operand != nullptr) absl::StrAppend(&words, " of ", ShortTextOf(*operand));
  }
  return words;
}

// Whether the constant is the address of a block, or an array or a structure that has one.
bool HasLabels(const llvm::Constant& constant) {
  if (llvm::isa<llvm::BlockAddress>(constant)) return true;
  return (llvm::isa<llvm::ConstantArray>(constant) || llvm::isa<llvm::ConstantStruct>(constant)) &&
         llvm::any_of(constant.operands(), [](const llvm::Use& member) {
           return HasLabels(*llvm::cast<llvm::Constant>(member));
         });
}

// Leaves tables of labels and declarations of other variables, as a function's own module has them.
void DropOtherData(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (!variable.hasInitializer() || HasLabels(*variable.getInitializer())) continue;
    variable.setInitializer(nullptr);
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(module.aliases())) {
    alias.removeDeadConstantUsers();
    if (alias.use_empty()) alias.eraseFromParent();
  }
  for (llvm::GlobalVariable& variable : module.globals()) variable.removeDeadConstantUsers();
}

// Of a function whose labels are in data. The reader of bitcode does not find out which function
// uses a table of labels; who compiles a function for a program tells the compiler, and so does
// LLVM's reader.
Refusal RefusalWithTables(absl::string_view bitcode, absl::string_view name,
                          BaselineCompiler& compiler) {
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> module = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(llvm::StringRef(bitcode.data(), bitcode.size()), "program"), context);
  if (!module) {
    llvm::consumeError(module.takeError());
    return Refusal::kBlockAddress;
  }
  llvm::Function* const function =
      (*module)->getFunction(llvm::StringRef(name.data(), name.size()));
  if (function == nullptr) return Refusal::kBlockAddress;
  function->setSubprogram(nullptr);
  DropOtherData(**module);
  CompiledCode code;
  return CompileLlvm(compiler, *function, code);
}

// The reason, and the first instruction that is refused for it if there is one.
std::string ReasonOf(const ir::Function& function, Refusal refusal,
                     const Architecture& architecture, const CoverageOptions& options) {
  std::string reason(RefusalName(refusal));
  for (const ir::Instruction& instruction : function.instructions) {
    if (RefusalOf(function, instruction, architecture, options) == refusal) {
      return absl::StrCat(reason, ": ", WordsOf(function, instruction));
    }
  }
  return reason;
}

}  // namespace

absl::StatusOr<CoverageCount> CountCoverage(absl::string_view bitcode) {
  FIRSTCALL_ASSIGN_OR_RETURN(
      std::unique_ptr<bitcode::BitcodeModule> source,
      bitcode::BitcodeModule::Read(
          absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bitcode.data()), bitcode.size())));
  const ir::Module& module = source->module();
  BaselineOptions options;
  options.features = {"sse4.1", "popcnt", "lse"};
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<BaselineCompiler> compiler,
                             BaselineCompiler::Create(module.triple(), options));
  const bool is_x86_64 = MachineOf(module.triple()) == Machine::kX86_64;
  const Architecture& architecture = is_x86_64 ? ArchitectureX86_64() : ArchitectureAArch64();
  CoverageOptions coverage;
  coverage.has_rounding = coverage.has_popcnt = coverage.has_stack_guard = true;
  bitcode::FunctionReader reader(*source);
  ir::Function body;
  CompiledCode code;
  CoverageCount count;
  for (uint32_t number = 0; number < module.globals().size(); ++number) {
    const ir::Global& global = module.globals()[number];
    if (!global.IsFunction() || global.is_declaration()) continue;
    ++count.all.functions;
    if (const absl::Status status = reader.Read(number, body); !status.ok()) {
      ++count.refused[absl::StrCat("not read: ", status.message())].functions;
      continue;
    }
    body.has_debug_information = false;
    const auto instructions = static_cast<int64_t>(body.instructions.size());
    count.all.instructions += instructions;
    Refusal refusal = compiler->Compile(body, /*is_near=*/true, code);
    if (refusal == Refusal::kBlockAddress) {
      refusal = RefusalWithTables(bitcode, global.name, *compiler);
    }
    if (refusal == Refusal::kNone) continue;
    CoverageCount::Part& refused = count.refused[ReasonOf(body, refusal, architecture, coverage)];
    ++refused.functions;
    refused.instructions += instructions;
  }
  return count;
}

void Add(const CoverageCount& other, CoverageCount& sum) {
  const auto add = [](const CoverageCount::Part& part, CoverageCount::Part& to) {
    to.functions += part.functions;
    to.instructions += part.instructions;
  };
  add(other.all, sum.all);
  for (const auto& [reason, part] : other.refused) add(part, sum.refused[reason]);
}

std::string TextOf(const CoverageCount& count) {
  CoverageCount::Part refused;
  std::vector<std::pair<std::string, CoverageCount::Part>> reasons(count.refused.begin(),
                                                                   count.refused.end());
  for (const auto& [reason, part] : reasons) {
    refused.functions += part.functions;
    refused.instructions += part.instructions;
  }
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
    return a.second.instructions > b.second.instructions;
  });
  const CoverageCount::Part& all = count.all;
  std::string text = absl::StrFormat(
      "%d functions, %d instructions; covered: %.2f %% of functions, %.2f %% of instructions\n",
      all.functions, all.instructions, Percent(all.functions - refused.functions, all.functions),
      Percent(all.instructions - refused.instructions, all.instructions));
  for (const auto& [reason, part] : reasons) {
    absl::StrAppendFormat(&text, "  %d functions, %d instructions: %s\n", part.functions,
                          part.instructions, reason);
  }
  return text;
}

}  // namespace firstcall::baseline
