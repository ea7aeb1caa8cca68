// Question: how long do the two code generators of tier 0 take for the functions of a program, on
// the architecture that the program is for, and how many of them does the baseline cover?
//
// Baseline: LLVM at -O0, for the same functions.
//
//   bazel run -c opt //benchmarks:generators -- [--runs=5] [--only=baseline|llvm] FILE.bc...
//
// Nothing is run, so this works for every architecture that both know, on any machine. All
// functions of a program are generated one after the other, those in turns that the baseline
// covers; LLVM gets them in one module, which is to its advantage. The times are medians. With
// `--only` one generator works alone, for tools that count instructions:
//
//   valgrind --tool=callgrind --toggle-collect='*GenerateBy*' generators --only=llvm FILE.bc
//
// Bar: the baseline is 8 times as fast.

#include <stdio.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/refusal.h"
#include "base/status.h"
#include "benchmarks/bars.h"
#include "benchmarks/report.h"
#include "ir/from_llvm/llvm_reader.h"
#include "ir/function.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "object/compiled_code.h"
#include "object/elf_writer.h"
#include "object/machine.h"
#include "object/object_bytes.h"
#include "third_party/llvm/version/target_machine.h"
#include "third_party/llvm/version/triple.h"
#include "tools/measure/machine.h"
#include "tools/measure/statistics.h"

namespace firstcall::benchmarks {
namespace {

using ::firstcall::baseline::BaselineCompiler;
using ::firstcall::baseline::BaselineOptions;
using ::firstcall::baseline::Refusal;

constexpr double kTimesAsFast = 8;

struct Options {
  int runs = 5;
  std::string only;  // Empty: both.
  std::vector<std::string> files;
};

absl::StatusOr<Options> Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--runs=")) {
      if (!absl::SimpleAtoi(argument, &options.runs) || options.runs < 1) {
        return absl::InvalidArgumentError("generators: --runs needs a positive number");
      }
    } else if (absl::ConsumePrefix(&argument, "--only=")) {
      options.only = std::string(argument);
      if (options.only != "baseline" && options.only != "llvm") {
        return absl::InvalidArgumentError("generators: --only is baseline or llvm");
      }
    } else if (absl::StartsWith(argument, "-")) {
      return absl::InvalidArgumentError(absl::StrCat("generators: what is ", argument, "?"));
    } else {
      options.files.emplace_back(argument);
    }
  }
  if (options.files.empty()) return absl::InvalidArgumentError("generators: which FILE.bc?");
  return options;
}

// A program as one generator sees it.
struct Program {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};

absl::StatusOr<std::unique_ptr<Program>> Load(const std::string& file) {
  auto program = std::make_unique<Program>();
  llvm::SMDiagnostic diagnostic;
  program->module = llvm::parseIRFile(file, diagnostic, program->context);
  if (program->module == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": ", diagnostic.getMessage().str()));
  }
  const std::string triple = llvm_version::TripleTextOf(*program->module);
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return absl::InvalidArgumentError(absl::StrCat(file, ": ", error));
  llvm::TargetOptions target_options;
  target_options.EmulatedTLS = true;
  target_options.MCOptions.MCRelaxAll = true;
  program->machine = llvm_version::CreateJitMachine(
      *target, llvm::Triple(triple), /*cpu=*/"", /*features=*/"", target_options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::None);
  program->module->setDataLayout(program->machine->createDataLayout());
  return program;
}

struct Tally {
  size_t functions = 0, covered = 0;
  size_t instructions = 0, covered_instructions = 0;
  size_t bytes = 0;
  std::map<std::string, size_t> refusals;
};

class BaselineGenerator {
 public:
  static absl::StatusOr<std::unique_ptr<BaselineGenerator>> Create(const llvm::Module& module) {
    FIRSTCALL_ASSIGN_OR_RETURN(
        std::unique_ptr<BaselineCompiler> compiler,
        BaselineCompiler::Create(llvm_version::TripleTextOf(module), BaselineOptions()));
    auto generator = std::make_unique<BaselineGenerator>();
    generator->compiler_ = std::move(compiler);
    generator->machine_ = absl::StartsWith(llvm_version::TripleTextOf(module), "aarch64")
                              ? firstcall::Machine::kAArch64
                              : firstcall::Machine::kX86_64;
    return generator;
  }

  // Removes the bodies of functions that are not covered.
  Tally Examine(llvm::Module& module) {
    Tally tally;
    CompiledCode code;
    const bool has_module = reader_.Begin(module).ok();
    std::vector<llvm::Function*> refused;
    for (llvm::Function& function : module) {
      if (function.isDeclaration()) continue;
      const size_t size = function.getInstructionCount();
      ++tally.functions;
      tally.instructions += size;
      Refusal refusal = Refusal::kRepresentation;
      if (has_module && reader_.Read(function, body_).ok()) {
        refusal = compiler_->Compile(body_, /*is_near=*/true, code);
      }
      if (refusal == Refusal::kNone) {
        ++tally.covered;
        tally.covered_instructions += size;
        tally.bytes += code.sections[0].bytes.size();
      } else {
        ++tally.refusals[std::string(baseline::RefusalName(refusal))];
        refused.push_back(&function);
      }
    }
    for (llvm::Function* function : refused) function->deleteBody();
    return tally;
  }

  // Reading the functions of LLVM counts, too.
  ABSL_ATTRIBUTE_NOINLINE void GenerateByBaseline(const llvm::Module& module) {
    size_t count = 0;
    if (!reader_.Begin(module).ok()) return;
    for (const llvm::Function& function : module) {
      if (function.isDeclaration() || !reader_.Read(function, body_).ok()) continue;
      if (count == parts_.size()) parts_.emplace_back();
      compiler_->Compile(body_, /*is_near=*/true, parts_[count++]);
    }
    object_ = WriteElfObject(absl::MakeConstSpan(parts_.data(), count), machine_, "");
  }

 private:
  std::unique_ptr<BaselineCompiler> compiler_;
  ir::LlvmReader reader_;
  ir::Function body_;
  firstcall::Machine machine_ = firstcall::Machine::kOther;
  std::vector<CompiledCode> parts_;
  ObjectBytes object_;
};

// Leaves functions only: variables are another part of a program.
void KeepFunctions(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isDeclaration()) continue;
    variable.setInitializer(nullptr);
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable.setComdat(nullptr);
  }
}

ABSL_ATTRIBUTE_NOINLINE absl::Status GenerateByLlvm(Program& program) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (program.machine->addPassesToEmitFile(passes, stream, nullptr,
                                           llvm::CodeGenFileType::ObjectFile,
                                           /*DisableVerify=*/true)) {
    return absl::UnimplementedError("generate: LLVM writes no objects for this target");
  }
  passes.run(*program.module);
  return absl::OkStatus();
}

// LLVM's passes change the module, so that each run needs one of its own.
absl::StatusOr<std::unique_ptr<Program>> LoadCovered(const std::string& file,
                                                     BaselineGenerator& generator, Tally* tally) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Program> program, Load(file));
  *tally = generator.Examine(*program->module);
  KeepFunctions(*program->module);
  return program;
}

void Print(const std::string& file, const Tally& tally) {
  absl::PrintF("%s: %d of %d functions (%.1f %%), %d of %d instructions (%.1f %%) are covered\n",
               file, tally.covered, tally.functions, 100.0 * tally.covered / tally.functions,
               tally.covered_instructions, tally.instructions,
               100.0 * tally.covered_instructions / tally.instructions);
  for (const auto& [name, count] : tally.refusals) absl::PrintF("  %6d  %s\n", count, name);
}

absl::Status Measure(const std::string& file, const Options& options, std::vector<Bar>& bars) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Program> first, Load(file));
  absl::StatusOr<std::unique_ptr<BaselineGenerator>> generator =
      BaselineGenerator::Create(*first->module);
  if (!generator.ok()) {
    return absl::Status(generator.status().code(),
                        absl::StrCat(file, ": ", generator.status().message()));
  }
  std::vector<double> by_baseline, by_llvm;
  Tally tally;
  for (int run = 0; run < options.runs; ++run) {
    FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Program> program,
                               LoadCovered(file, **generator, &tally));
    if (run == 0) {
      if (tally.covered == 0)
        return absl::InvalidArgumentError(absl::StrCat(file, ": no function"));
      Print(file, tally);
    }
    if (options.only != "llvm") {
      const absl::Time begin = absl::Now();
      (*generator)->GenerateByBaseline(*program->module);
      by_baseline.push_back(absl::ToDoubleMilliseconds(absl::Now() - begin));
    }
    if (options.only != "baseline") {
      const absl::Time begin = absl::Now();
      FIRSTCALL_RETURN_IF_ERROR(GenerateByLlvm(*program));
      by_llvm.push_back(absl::ToDoubleMilliseconds(absl::Now() - begin));
    }
  }
  const auto print = [&](const char* name, const std::vector<double>& times) {
    if (times.empty()) return;
    const double median = measure::Median(times);
    absl::PrintF("  %-10s %8.1f ms, %6.2f us for each instruction\n", name, median,
                 1000 * median / tally.covered_instructions);
  };
  print("baseline", by_baseline);
  print("LLVM -O0", by_llvm);
  if (!by_baseline.empty() && !by_llvm.empty()) {
    bars.push_back(AtLeast(absl::StrCat(file, ": times as fast as LLVM -O0"),
                           measure::Median(by_llvm) / measure::Median(by_baseline), kTimesAsFast,
                           absl::StrFormat("%.1f ms : %.1f ms", measure::Median(by_llvm),
                                           measure::Median(by_baseline))));
  }
  return absl::OkStatus();
}

absl::Status Run(int argc, char** argv) {
  FIRSTCALL_ASSIGN_OR_RETURN(const Options options, Parse(argc, argv));
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  absl::PrintF("%s\n", measure::DescribeMachine().cpu);
  std::vector<Bar> bars;
  for (const std::string& file : options.files) {
    FIRSTCALL_RETURN_IF_ERROR(Measure(file, options, bars));
  }
  absl::PrintF("\n%s", FormatBars(bars));
  return absl::OkStatus();
}

}  // namespace
}  // namespace firstcall::benchmarks

int main(int argc, char** argv) {
  const absl::Status status = firstcall::benchmarks::Run(argc, argv);
  if (status.ok()) return 0;
  fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
