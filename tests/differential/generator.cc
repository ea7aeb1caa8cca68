#include "tests/differential/generator.h"

#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/SplitModule.h"
#include "tests/differential/attribute_program.h"
#include "tests/differential/decoration.h"
#include "tests/differential/stress_program.h"
#include "tests/testing/host.h"
#include "third_party/llvm/version/triple.h"
#include "tools/cpp/runfiles/runfiles.h"
#include "tools/measure/process_run.h"

namespace firstcall::testing {
namespace {

using ::bazel::tools::cpp::runfiles::Runfiles;

constexpr absl::Duration kToolLimit = absl::Minutes(2);
constexpr int kStressFunctions = 6;

// What `command` printed; Internal unless it exits with 0.
absl::StatusOr<std::string> RunTool(const std::vector<std::string>& command) {
  FIRSTCALL_ASSIGN_OR_RETURN(measure::ProcessRun run, measure::RunProcess(command, kToolLimit));
  if (run.end == measure::ProcessRun::End::kExited && run.code == 0) {
    return std::move(run.output);
  }
  return absl::InternalError(absl::StrCat("make program: failed: ", absl::StrJoin(command, " ")));
}

class Compiler {
 public:
  Compiler(std::string clang, std::string directory)
      : clang_(std::move(clang)), directory_(std::move(directory)) {}

  std::string Path(const std::string& file) const { return absl::StrCat(directory_, "/", file); }

  absl::Status Run(const std::vector<std::string>& options, const std::string& input,
                   const std::string& output) const {
    std::vector<std::string> command = {clang_, "-w", ClangTargetOption()};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {Path(input), "-o", Path(output)});
    return RunTool(command).status();
  }

 private:
  const std::string clang_;
  const std::string directory_;
};

// Leaves the program in O0.bc, and optimized in O2.bc.
absl::Status MakeCsmithModules(const Tools& tools, uint32_t seed, bool is_decorated,
                               const Compiler& compiler) {
  const std::string source = compiler.Path("program.c");
  FIRSTCALL_RETURN_IF_ERROR(
      RunTool({tools.csmith, "--seed", absl::StrCat(seed), "--output", source}).status());
  const auto compile = [&](std::vector<std::string> options, const std::string& output) {
    if (is_decorated) {
      for (std::string& option : DecoratingOptions(seed)) options.push_back(std::move(option));
    }
    options.insert(options.end(), {"-I" + tools.csmith_headers, "-emit-llvm", "-c"});
    return compiler.Run(options, "program.c", output);
  };
  // As a user would compile for a JIT: without the attribute that forbids optimizing a function.
  FIRSTCALL_RETURN_IF_ERROR(compile({"-O0", "-Xclang", "-disable-O0-optnone"}, "O0.bc"));
  return compile({"-O2"}, "O2.bc");
}

absl::Status WriteBitcode(const llvm::Module& module, const std::string& path) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  llvm::WriteBitcodeToFile(module, file);
  file.close();
  return error || file.has_error()
             ? absl::InternalError(absl::StrCat("make program: cannot write ", path))
             : absl::OkStatus();
}

// Leaves the program of `input` in `output`, for a target whose objects are Mach-O.
absl::Status RetargetToMacho(const Compiler& compiler, const std::string& input,
                             const std::string& output, std::string* triple) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const std::unique_ptr<llvm::Module> module =
      llvm::parseIRFile(compiler.Path(input), diagnostic, context);
  if (module == nullptr) return absl::InternalError(diagnostic.getMessage().str());
  llvm::Triple target(module->getTargetTriple());
  target.setObjectFormat(llvm::Triple::MachO);
  *triple = llvm::Triple::normalize(target.str());
  llvm_version::SetTriple(*module, *triple);
  module->setDataLayout("");  // The engine's own, which names symbols otherwise.
  return WriteBitcode(*module, compiler.Path(output));
}

// Adds the ways in which objects are Mach-O.
absl::Status AddMachoVariants(const Compiler& compiler, uint32_t seed, Program& program) {
  std::string triple;
  const size_t level = seed / 2 % 2;
  FIRSTCALL_RETURN_IF_ERROR(
      RetargetToMacho(compiler, level == 0 ? "O0.bc" : "O2.bc", "macho.bc", &triple));
  for (const char* option : {"--baseline=off", "--mode=eager", "-O2"}) {
    program.variants.push_back({"macho.bc", {"--mtriple=" + triple, option}, level});
  }
  return absl::OkStatus();
}

// Leaves the functions and variables of `input` in part0.bc and part1.bc, which need each other.
absl::Status SplitInTwo(const Compiler& compiler, const std::string& input) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const std::unique_ptr<llvm::Module> module =
      llvm::parseIRFile(compiler.Path(input), diagnostic, context);
  if (module == nullptr) return absl::InternalError(diagnostic.getMessage().str());
  int number = 0;
  absl::Status written;
  llvm::SplitModule(*module, 2, [&](std::unique_ptr<llvm::Module> part) {
    written.Update(WriteBitcode(*part, compiler.Path(absl::StrCat("part", number++, ".bc"))));
  });
  return written;
}

absl::Status MakeStressModules(const Tools& tools, uint32_t seed, bool is_decorated,
                               const Compiler& compiler) {
  std::vector<std::string> functions;
  for (int i = 0; i < kStressFunctions; ++i) {
    // Functions of 30 to 180 instructions. Seed 0 would be the same as seed 1.
    FIRSTCALL_ASSIGN_OR_RETURN(
        std::string function,
        RunTool({tools.llvm_stress, absl::StrCat("--seed=", seed * kStressFunctions + i + 1),
                 absl::StrCat("--size=", 30 * (i + 1)), "-o", "-"}));
    functions.push_back(std::move(function));
  }
  llvm::LLVMContext context;
  FIRSTCALL_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::Module> program,
                             MakeStressProgram(functions, seed, context));
  if (is_decorated) Decorate(*program, seed);
  FIRSTCALL_RETURN_IF_ERROR(WriteBitcode(*program, compiler.Path("O0.bc")));
  return compiler.Run({"-O2", "-emit-llvm", "-c"}, "O0.bc", "O2.bc");
}

// For x86-64, whatever the host is.
absl::StatusOr<Program> MakeProgramWithAttributes(uint32_t seed, const Compiler& compiler,
                                                  Program program) {
  llvm::LLVMContext context;
  FIRSTCALL_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::Module> module,
                             MakeAttributeProgram(seed, context));
  FIRSTCALL_RETURN_IF_ERROR(WriteBitcode(*module, compiler.Path("O0.bc")));
  const std::vector<std::string> levels[] = {{"-O0", "-Xclang", "-disable-llvm-passes", "-lm"},
                                             {"-O2", "-lm"}};
  for (size_t i = 0; i < program.natives.size(); ++i) {
    FIRSTCALL_RETURN_IF_ERROR(compiler.Run(levels[i], "O0.bc", program.natives[i]));
  }
  const auto add = [&](std::vector<std::string> options) {
    program.variants.push_back({"O0.bc", std::move(options), 0});
  };
  const char* const threshold =
      seed % 2 == 0 ? "--promotion-threshold=1" : "--promotion-threshold=10";
  add({});
  add({"--tier=0", "--baseline=off"});
  // Optimized code for this machine's CPU, and for the program's.
  for (const char* cpu : {"--mcpu=native", "--mcpu=x86-64"}) {
    add({"-O2", cpu});
    add({threshold, "--promotion-threads=0", cpu});
  }
  add({"--tier=1"});
  add({"--backend=mcjit"});
  for (int run = 0; run < 2; ++run) {
    add({threshold, "--promotion-threads=0", "--object-cache-dir=" + compiler.Path("cache")});
  }
  return program;
}

}  // namespace

absl::StatusOr<Tools> FindTools(const std::string& argv0) {
  std::string error;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(argv0, &error));
  if (runfiles == nullptr) return absl::NotFoundError(absl::StrCat("find tools: ", error));
  Tools tools;
  const std::pair<const char*, std::string*> paths[] = {
      {"firstcall/tools/firstcall", &tools.firstcall},    {"llvm/bin/clang", &tools.clang},
      {"llvm/bin/llvm-stress", &tools.llvm_stress},       {"csmith/bin/csmith", &tools.csmith},
      {"csmith/include/csmith.h", &tools.csmith_headers},
  };
  for (const auto& [name, path] : paths) {
    const std::string found = runfiles->Rlocation(name);
    const std::unique_ptr<char, void (*)(void*)> absolute(realpath(found.c_str(), nullptr), &free);
    if (absolute == nullptr) return absl::NotFoundError(absl::StrCat("find tools: no ", name));
    *path = absolute.get();
  }
  tools.csmith_headers.resize(tools.csmith_headers.rfind('/'));
  return tools;
}

std::string SourceName(Source source) {
  switch (source) {
    case Source::kCsmith:
      return "csmith";
    case Source::kStress:
      return "stress";
    case Source::kAttributes:
      break;
  }
  return "attributes";
}

absl::StatusOr<Program> MakeProgram(const Tools& tools, Source source, uint32_t seed,
                                    const ProgramForm& form, const std::string& directory) {
  const Compiler compiler(tools.clang, directory);
  Program program;
  program.directory = directory;
  program.natives = {"native-O0", "native-O2"};
  if (source == Source::kAttributes) {
    return MakeProgramWithAttributes(seed, compiler, std::move(program));
  }
  if (source == Source::kCsmith) {
    FIRSTCALL_RETURN_IF_ERROR(MakeCsmithModules(tools, seed, form.is_decorated, compiler));
    program.arguments = {"1"};  // Print a checksum after each of the variables.
  } else {
    FIRSTCALL_RETURN_IF_ERROR(MakeStressModules(tools, seed, form.is_decorated, compiler));
  }
  FIRSTCALL_RETURN_IF_ERROR(
      compiler.Run({"-O0", "-Xclang", "-disable-llvm-passes", "-lm"}, "O0.bc", "native-O0"));
  FIRSTCALL_RETURN_IF_ERROR(
      compiler.Run({"-O2", "-Xclang", "-disable-llvm-passes", "-lm"}, "O2.bc", "native-O2"));
  program.variants.push_back({"O0.bc", {}, 0});
  program.variants.push_back({"O2.bc", {}, 1});
  program.variants.push_back(
      {seed % 2 == 0 ? "O2.bc" : "O0.bc", {"--baseline-few-registers"}, 1 - seed % 2});
  if (form.is_quick) return program;
  program.variants.push_back({"O0.bc", {"--mode=eager"}, 0});
  program.variants.push_back({"O2.bc", {"--mode=eager"}, 1});
  program.variants.push_back({"O0.bc", {"-O2"}, 0});
  // First bodies by LLVM only.
  program.variants.push_back({seed % 2 == 0 ? "O0.bc" : "O2.bc", {"--baseline=off"}, seed % 2});
  // First bodies, data and optimized bodies by MCJIT, also from a cache.
  program.variants.push_back(
      {seed % 2 == 0 ? "O2.bc" : "O0.bc", {"--backend=mcjit"}, 1 - seed % 2});
  program.variants.push_back(
      {"O0.bc", {"--backend=mcjit", "--promotion-threshold=1", "--promotion-threads=0"}, 0});
  // LLVM crashes with stack protectors in Mach-O for Linux.
  if (!form.is_decorated) {
    FIRSTCALL_RETURN_IF_ERROR(AddMachoVariants(compiler, seed, program));
  }
  // Functions are replaced while they run, by the thread that runs them, sooner or later. The
  // second run begins with the bodies that the first run has put into a cache.
  const uint32_t thresholds[] = {1, 2, 10, 1 + seed * 7919 % 1000};
  const std::string threshold =
      "--promotion-threshold=" + std::to_string(thresholds[seed / 2 % std::size(thresholds)]);
  const size_t replaced = seed % 2;
  for (int run = 0; run < 2; ++run) {
    program.variants.push_back({replaced == 0 ? "O0.bc" : "O2.bc",
                                {"--tier=auto", threshold, "--promotion-threads=0",
                                 "--object-cache-dir=" + compiler.Path("cache")},
                                replaced});
  }
  // By a thread, and as far as the program runs for long enough, with counting bodies.
  program.variants.push_back({replaced == 0 ? "O2.bc" : "O0.bc",
                              {"--tier=auto", threshold, "--promotion-threads=1"},
                              1 - replaced});
  // As text, and as two modules: one form, and one mode, for each seed.
  const size_t level = seed % 2;
  const std::string stem = level == 0 ? "O0" : "O2";
  FIRSTCALL_RETURN_IF_ERROR(compiler.Run({"-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"},
                                         stem + ".bc", stem + ".ll"));
  FIRSTCALL_RETURN_IF_ERROR(SplitInTwo(compiler, stem + ".bc"));
  const std::string mode = seed % 4 < 2 ? "--mode=eager" : "--mode=lazy";
  const std::string other_mode = seed % 4 < 2 ? "--mode=lazy" : "--mode=eager";
  program.variants.push_back({stem + ".ll", {mode}, level});
  program.variants.push_back(
      {"part0.bc", {other_mode, "--extra-module=" + compiler.Path("part1.bc")}, level});
  return program;
}

}  // namespace firstcall::testing
