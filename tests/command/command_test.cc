// The command's options, and what it says to every kind of bad input. Its path is the only
// argument.

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "third_party/llvm/version/version.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string command_path;

// A program that says what it was called with; more may be appended.
constexpr char kProgram[] = R"(
  declare i32 @puts(ptr)
  define i32 @main(i32 %argc, ptr %argv) {
    %name = load ptr, ptr %argv
    %1 = call i32 @puts(ptr %name)
    ret i32 %argc
  })";

#if defined(__aarch64__)
const std::string kTriple = "aarch64-pc-linux-gnu", kCpu = "cortex-a53", kFeature = "+lse",
                  kNoSuchInstruction = "unrecognized instruction mnemonic";
#else
const std::string kTriple = "x86_64-pc-linux-gnu", kCpu = "x86-64", kFeature = "+sse2",
                  kNoSuchInstruction = "invalid instruction mnemonic 'bogus_instruction'";
#endif

std::string Write(const std::string& name, const std::string& contents) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}

testing::ProcessResult RunCommand(std::vector<std::string> arguments,
                                  const std::string& input = "") {
  arguments.insert(arguments.begin(), command_path);
  return testing::RunProcess(arguments, input);
}

// Nothing may have run, and the reason is given in one go, with the command's name before it.
void ExpectRefused(const std::vector<std::string>& arguments,
                   const ::testing::Matcher<std::string>& reason) {
  const testing::ProcessResult result = RunCommand(arguments);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(result.errors, AllOf(StartsWith("firstcall: "), reason));
}

TEST(CommandTest, MissingFile) {
  ExpectRefused({"/no/such.bc"},
                "firstcall: cannot read '/no/such.bc': No such file or directory\n");
}

TEST(CommandTest, DirectoryIsNoProgram) {
  ExpectRefused({::testing::TempDir()}, HasSubstr("Is a directory"));
}

TEST(CommandTest, NeitherBitcodeNorText) {
  ExpectRefused({Write("junk.bc", std::string("\x7f\0\1\2junk", 8))},
                HasSubstr("is neither LLVM bitcode nor LLVM assembly text\n"));
}

TEST(CommandTest, EmptyFileHasNoEntryFunction) {
  ExpectRefused({Write("empty.bc", "")}, HasSubstr("no module defines the entry function 'main'"));
}

TEST(CommandTest, TruncatedBitcode) {
  const std::string bitcode = ParseToBitcode(kProgram);
  for (size_t length : {size_t{8}, bitcode.size() / 2, bitcode.size() - 4}) {
    ExpectRefused({Write("truncated.bc", bitcode.substr(0, length))},
                  HasSubstr("reading bitcode: "));
  }
}

// The identification block says which LLVM wrote the file, and an epoch that a reader must know.
TEST(CommandTest, BitcodeOfAnotherEpoch) {
  if (IsEmulated())
    GTEST_SKIP() << "up to 256 processes, each of which the emulator takes long for";
  std::string bitcode = ParseToBitcode(kProgram);
  const size_t producer = bitcode.find("LLVM");
  bool refused = false;
  // The epoch stands in the few bytes behind the producer's text; one of these bits is its lowest.
  for (size_t bit = 0; bit < 256 && !refused; ++bit) {
    std::string changed = bitcode;
    const size_t at = (producer == std::string::npos ? 8 : producer) + bit / 8;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (bit % 8)));
    const testing::ProcessResult result = RunCommand({Write("newer.bc", changed)});
    EXPECT_LT(result.exit_status, 128);  // Whatever the bit was, never a crash.
    refused = result.errors.find("Incompatible epoch") != std::string::npos;
    if (refused) {
      EXPECT_EQ(result.exit_status, 1);
    }
  }
  EXPECT_TRUE(refused);
}

TEST(CommandTest, TextThatDoesNotParse) {
  const std::string path = Write("wrong.ll", "define i32 @main() {\n  ret i32 %nothing\n}\n");
  ExpectRefused({path}, HasSubstr("wrong.ll:2:11: error: use of undefined value '%nothing'"));
}

constexpr char kInvalid[] = R"(
  define i32 @main(i32 %x) { %y = add i32 %x, 1 %z = add i32 %y, 1 ret i32 %z })";

TEST(CommandTest, InvalidTextNamesTheFunction) {
  const std::string text =
      "define i32 @main() {\n %a = add i32 %b, 1\n %b = add i32 %a, 1\n ret i32 %b\n}\n";
  ExpectRefused({Write("invalid.ll", text)},
                AllOf(HasSubstr("function 'main' is not valid IR: "),
                      HasSubstr("Instruction does not dominate all uses!")));
}

TEST(CommandTest, InvalidBitcodeNamesTheFunctionBeforeItRuns) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(kInvalid, context);
  llvm::BasicBlock& block = module->getFunction("main")->front();
  std::next(block.begin())->moveBefore(&block.front());
  ExpectRefused({Write("invalid.bc", ModuleToBitcode(*module))},
                HasSubstr("compiling function 'main': function 'main' is not valid IR: "));
}

TEST(CommandTest, NoEntryFunction) {
  const std::string path = Write("other.ll", "define i32 @other() { ret i32 7 }");
  ExpectRefused({path}, "firstcall: no module defines the entry function 'main'\n");
  EXPECT_EQ(RunCommand({"--entry-function=other", path}).exit_status, 7);
}

TEST(CommandTest, EntryFunctionOfAnotherSignature) {
  ExpectRefused({Write("signature.ll", "define double @main(i32 %x) { ret double 1.0 }")},
                HasSubstr("entry function 'main' cannot be called as main: it returns neither"));
}

// The program writes before it needs what is nowhere.
constexpr char kNeedy[] = R"(
  declare i32 @puts(ptr)
  declare void @nowhere()
  @text = private constant [6 x i8] c"first\00"
  define void @needy() { call void @nowhere() ret void }
  define i32 @main() {
    %1 = call i32 @puts(ptr @text)
    call void @needy()
    ret i32 0
  })";

TEST(CommandTest, BaselineCompilesWhatItCovers) {
  const std::string path = Write("covered.ll", kProgram);
  const std::string compiled = "functions compiled           1  (100.0 %)\n";
  EXPECT_THAT(RunCommand({"--stats", path}).errors,
              HasSubstr(compiled + "by baseline                  1\n"));
  EXPECT_THAT(RunCommand({"--stats", "--baseline=off", path}).errors,
              HasSubstr(compiled + "by baseline                  0\n"));
#if defined(__x86_64__)
  const char *option = "--x86-asm-syntax=intel", *feature = "-mattr=+avx";
#else
  const char *option = "--aarch64-neon-syntax=apple", *feature = "-mattr=+crc";
#endif
  // LLVM's options mean something to LLVM only.
  EXPECT_THAT(RunCommand({"--stats", option, path}).errors,
              HasSubstr(compiled + "by baseline                  0\n"));
  EXPECT_THAT(RunCommand({"--stats", feature, path}).errors,
              HasSubstr(compiled + "by baseline                  1\n"));
}

TEST(CommandTest, BackendChoosesWhoMakesCode) {
  const std::string path = Write("compiled.ll", kProgram);
  const testing::ProcessResult expected = RunCommand({path});
  const auto statistics = [&](const std::string& backend) {
    const testing::ProcessResult result = RunCommand({"--stats", "--backend=" + backend, path});
    EXPECT_EQ(result.exit_status, expected.exit_status) << backend;
    EXPECT_EQ(result.output, expected.output) << backend;
    return result.errors;
  };
  EXPECT_THAT(statistics("auto"), HasSubstr("by baseline                  1\n"));
  EXPECT_THAT(statistics("baseline"), HasSubstr("by baseline                  1\n"));
  for (const char* backend : {"auto", "baseline", "llvm"}) {
    EXPECT_THAT(statistics(backend), AllOf(HasSubstr("by MCJIT                     0\n"),
                                           HasSubstr("linked by MCJIT              0\n")));
  }
  EXPECT_THAT(statistics("mcjit"),
              AllOf(HasSubstr("by baseline                  0\nby MCJIT                     1\n"),
                    Not(HasSubstr("linked by MCJIT              0\n"))));
  ExpectRefused({"--backend=mcjit", "--baseline=strict", path}, HasSubstr("the backend is LLVM's"));
}

TEST(CommandTest, WhatBaselineDoesNotCoverFailsIfItIsStrict) {
  const std::string path = Write("assembly.ll", R"(
    define i32 @main() { call void asm sideeffect alignstack "nop", ""() ret i32 0 })");
  EXPECT_EQ(RunCommand({path}).exit_status, 0);
  const testing::ProcessResult result = RunCommand({"--baseline=strict", path});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("compiling function 'main': the baseline code generator "
                                       "does not cover it: inline assembly\n"));
  ExpectRefused({"--baseline=strict", "-O2", path}, HasSubstr("does not support optimized code"));
}

TEST(CommandTest, MissingSymbolIsReportedByTheFirstCallThatNeedsIt) {
  for (const std::string& path :
       {Write("needy.ll", kNeedy), Write("needy.bc", ParseToBitcode(kNeedy))}) {
    const testing::ProcessResult result = RunCommand({path});
    EXPECT_EQ(result.exit_status, 70);
    EXPECT_EQ(result.output, "first\n");
    EXPECT_EQ(
        result.errors,
        absl::StrCat("firstcall: linking function 'needy' of '", path,
                     "': JIT session error: Symbols not found: [ nowhere ]; 'nowhere' is needed by "
                     "'needy'\n"));
  }
}

TEST(CommandTest, MissingSymbolIsReportedAtOnceInEagerMode) {
  ExpectRefused({"--mode=eager", Write("needy.ll", kNeedy)},
                HasSubstr("JIT session error: Symbols not found: [ nowhere ]"));
}

TEST(CommandTest, FunctionThatCannotBeCompiled) {
  const std::string path = Write("assembly.bc", ParseToBitcode(R"(
    declare i32 @puts(ptr)
    @text = private constant [6 x i8] c"first\00"
    define void @bad() { call void asm sideeffect "bogus_instruction", ""() ret void }
    define i32 @main() {
      %1 = call i32 @puts(ptr @text)
      call void @bad()
      ret i32 0
    })"));
  const testing::ProcessResult result = RunCommand({path});
  EXPECT_EQ(result.exit_status, 70);
  EXPECT_EQ(result.output, "first\n");
  EXPECT_THAT(result.errors,
              HasSubstr("firstcall: compiling function 'bad': generating code: <inline asm>:1:2: " +
                        kNoSuchInstruction));
}

TEST(CommandTest, OtherMachinesPrograms) {
  ExpectRefused({Write("triple.ll",
                       "target triple = \"powerpc64-linux-gnu\"\n"
                       "define i32 @main() { ret i32 0 }")},
                HasSubstr("its triple 'powerpc64-linux-gnu' conflicts with the engine's target"));
  ExpectRefused({Write("layout.ll",
                       "target datalayout = \"E-p:32:32\"\n"
                       "define i32 @main() { ret i32 0 }")},
                HasSubstr("its data layout 'E-p:32:32' conflicts with the engine's"));
}

TEST(CommandTest, UnknownOption) {
  ExpectRefused({"--no-such-option", "x.bc"},
                HasSubstr("Unknown command line argument '--no-such-option'"));
}

// The program without LLVM must not read what the one with LLVM reads again.
TEST(CommandTest, AProgramMayComeThroughAPipe) {
  const std::string path = Write("piped.ll", kProgram);
  const std::string cache = "--object-cache-dir=" + ::testing::TempDir() + "/cache_of_pipe";
  for (int run = 1; run <= 2; ++run) {
    std::vector<std::string> words = OnThisMachine({command_path, cache, "/dev/stdin", "one"});
    words.insert(words.begin(), {"/bin/sh", "-c", "cat \"$0\" | \"$@\"", path});
    const testing::ProcessResult result = testing::RunProcess(words);
    EXPECT_EQ(result.exit_status, 2) << result.errors;
    EXPECT_EQ(result.errors, "");
  }
}

TEST(CommandTest, WrongValuesOfOptionsAreReportedOnce) {
  for (const absl::string_view option : {"tier", "optnone", "promotion-threshold"}) {
    const testing::ProcessResult result =
        RunCommand({absl::StrCat("--", option, "=seven"), "x.bc"});
    EXPECT_EQ(result.exit_status, 1) << option;
    EXPECT_THAT(result.errors, AllOf(HasSubstr(absl::StrCat("--", option)), HasSubstr("seven")));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }
}

TEST(CommandTest, OptionsOfLliThatAreRefusedSayWhy) {
  const std::string path = Write("fine.ll", kProgram);
  ExpectRefused({"--entry-function=", path}, HasSubstr("entry-function"));
  ExpectRefused({"-O7", path}, "firstcall: invalid level '-O7'\n");
  ExpectRefused({"--dlopen=/no/such.so", path}, HasSubstr("loading library '/no/such.so'"));
  ExpectRefused({"--extra-object=/no/such.o", path}, HasSubstr("cannot read '/no/such.o'"));
  ExpectRefused({"--mtriple=sparc-linux", path}, HasSubstr("choosing a target: "));
}

// As -fsanitize=cfi compiles a call.
TEST(CommandTest, CodeThatDependsOnTheTestOfATypeIsRefused) {
  const std::string path = Write("cfi.bc", ParseToBitcode(R"(
    declare i1 @llvm.type.test(ptr, metadata)
    declare void @llvm.trap()
    @function = global ptr @called
    define i32 @called() !type !0 { ret i32 3 }
    define i32 @main() {
      %p = load ptr, ptr @function
      %is = call i1 @llvm.type.test(ptr %p, metadata !"type")
      br i1 %is, label %call, label %trap
    trap:
      call void @llvm.trap()
      unreachable
    call:
      %r = call i32 %p()
      ret i32 %r
    }
    !0 = !{i64 0, !"type"})"));
  for (const char* mode : {"--mode=lazy", "--mode=eager"}) {
    ExpectRefused({mode, path},
                  HasSubstr("function 'main': its code depends on the test of a type, "
                            "which only LLVM's static linker can answer"));
  }
}

TEST(CommandTest, ObjectContainersAreHonouredOrRefusedByName) {
  const std::string path = Write("fine.bc", ParseToBitcode(kProgram));
  EXPECT_EQ(RunCommand({"--mtriple=" + kTriple + "-elf", path}).exit_status, 1);
  EXPECT_EQ(RunCommand({"--mtriple=" + kTriple + "-macho", path}).exit_status, 1);
  ExpectRefused({"--mtriple=" + kTriple + "-coff", path},
                "firstcall: choosing a target: '" + kTriple +
                    "-coff' asks for coff objects, "
                    "and only those in the containers elf and macho can be linked\n");
  const std::string other =
      Write("other.ll", "target triple = \"" + kTriple + "-macho\"\n" + std::string(kProgram));
  ExpectRefused({other}, HasSubstr("its triple '" + kTriple + "-macho' conflicts with"));
  // The option replaces the triple that a module has, in either direction.
  const std::string elf =
      Write("elf.ll", "target triple = \"" + kTriple + "\"\n" + std::string(kProgram));
  EXPECT_EQ(RunCommand({"--mtriple=" + kTriple + "-macho", elf}).exit_status, 1);
  EXPECT_EQ(RunCommand({"--mtriple=" + kTriple, other}).exit_status, 1);
  ExpectRefused({"--mtriple=" + kTriple,
                 Write("big.ll", "target datalayout = \"E-p:32:32\"\n" + std::string(kProgram))},
                HasSubstr("its data layout 'E-p:32:32' conflicts with the engine's"));
}

TEST(CommandTest, CacheManagerKeepsObjects) {
  const std::string directory = ::testing::TempDir() + "/cache";
  const std::string path = Write("kept.ll", kProgram);
  const std::vector<std::string> arguments = {"--enable-cache-manager",
                                              "--object-cache-dir=" + directory, "--stats", path};
  const testing::ProcessResult cold = RunCommand(arguments);
  EXPECT_EQ(cold.exit_status, 1) << cold.errors;
  EXPECT_THAT(cold.errors, HasSubstr("functions compiled           1"));
  EXPECT_TRUE(std::ifstream(directory + path.substr(0, path.size() - 3) + ".o").good());
  const testing::ProcessResult warm = RunCommand(arguments);
  EXPECT_EQ(warm.output, cold.output);
  EXPECT_THAT(warm.errors, HasSubstr("functions compiled           0"));
  Write("kept.ll", std::string(kProgram) + "define void @more() { ret void }");
  EXPECT_THAT(RunCommand(arguments).errors, HasSubstr("functions compiled           2"));
  std::ofstream(directory + path.substr(0, path.size() - 3) + ".o") << "not an object";
  const testing::ProcessResult damaged = RunCommand(arguments);
  EXPECT_EQ(damaged.exit_status, 1);
  EXPECT_THAT(damaged.errors, HasSubstr("firstcall: warning: cached object"));
}

TEST(CommandTest, KeptObjectIsAnOrdinaryOne) {
  const std::string directory = ::testing::TempDir() + "/ordinary";
  const std::string exits = R"(
    declare i32 @atexit(ptr)
    declare i32 @puts(ptr)
    @text = private constant [4 x i8] c"bye\00"
    define internal void @bye() {
      %1 = call i32 @puts(ptr @text)
      ret void
    }
    define i32 @NAME() {
      %1 = call i32 @atexit(ptr @bye)
      ret i32 %1
    })";
  const auto named = [&](const std::string& name) {
    std::string text = exits;
    return text.replace(text.find("NAME"), 4, name);
  };
  const std::string a = Write("a.ll", named("a")), b = Write("b.ll", named("b"));
  const std::string main = Write("main.ll", R"(
    declare i32 @a()
    declare i32 @b()
    define i32 @main() {
      %1 = call i32 @a()
      %2 = call i32 @b()
      %sum = add i32 %1, %2
      ret i32 %sum
    })");
  const testing::ProcessResult made =
      RunCommand({"--enable-cache-manager", "--object-cache-dir=" + directory,
                  "--extra-module=" + a, "--extra-module=" + b, main});
  EXPECT_EQ(made.output, "bye\nbye\n") << made.errors;
  const auto object = [&](const std::string& path) {
    return "--extra-object=" + directory + path.substr(0, path.size() - 3) + ".o";
  };
  const testing::ProcessResult used = RunCommand({object(a), object(b), main});
  EXPECT_EQ(used.output, "bye\nbye\n") << used.errors;
}

TEST(CommandTest, LLVMsInterpreterRunsTheProgramIfAsked) {
  const std::string path = Write("fine.bc", ParseToBitcode(kProgram));
  const testing::ProcessResult result = RunCommand({"--force-interpreter", path, "x"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.output, HasSubstr("fine\n"));
}

// Two libraries define `value`, and each uses its own.
TEST(CommandTest, LibrariesHaveDefinitionsOfTheirOwn) {
  const auto library = [](const std::string& function, int value) {
    return Write(function + ".ll", "define i32 @value() { ret i32 " + std::to_string(value) +
                                       " }\ndefine i32 @" + function +
                                       "() { %x = call i32 @value()  ret i32 %x }");
  };
  const std::string main = Write("libraries.ll", R"(
    declare i32 @one()
    declare i32 @two()
    define i32 @main() {
      %1 = call i32 @one()
      %2 = call i32 @two()
      %sum = add i32 %1, %2
      ret i32 %sum
    })");
  const testing::ProcessResult result =
      RunCommand({"-jd", "first", "--extra-module=" + library("one", 1), "-jd", "second",
                  "--extra-module=" + library("two", 20), main});
  EXPECT_EQ(result.exit_status, 21) << result.errors;
}

TEST(CommandTest, ThreadEntriesRunBesideTheProgram) {
  const std::string path = Write("threads.ll", R"(
    @count = global i32 0
    define void @entry() {
      %1 = atomicrmw add ptr @count, i32 1 seq_cst
      ret void
    }
    define i32 @main() {
      br label %wait
    wait:
      %seen = load atomic i32, ptr @count seq_cst, align 4
      %done = icmp eq i32 %seen, 2
      br i1 %done, label %end, label %wait
    end:
      ret i32 0
    })");
  const testing::ProcessResult result =
      RunCommand({"--thread-entry=entry", "--thread-entry=entry", path});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(RunCommand({"--thread-entry=nowhere", path}).errors, HasSubstr("'nowhere'"));
}

TEST(CommandTest, WhatIsCompiledCanBePrinted) {
  const std::string path = Write("dumped.ll", kProgram);
  EXPECT_THAT(RunCommand({"--orc-lazy-debug=funcs-to-stdout", path}).output, HasSubstr("main"));
  EXPECT_THAT(RunCommand({"--orc-lazy-debug=mods-to-stdout", path}).output,
              HasSubstr("define dso_local i32 @main(i32 %argc, ptr %argv)"));
}

TEST(CommandTest, ProgramSeesItsArguments) {
  const std::string path = Write("args.bc", ParseToBitcode(kProgram));
  const testing::ProcessResult plain = RunCommand({path, "one", "--two", "-O3"});
  EXPECT_EQ(plain.exit_status, 4);
  EXPECT_EQ(plain.output, path.substr(0, path.size() - 3) + "\n");  // Without .bc, as lli does.
  EXPECT_EQ(RunCommand({"--fake-argv0=me", path}).output, "me\n");
}

TEST(CommandTest, ProgramMayUseLlvmItself) {
  const std::string path = Write("llvm.bc", ParseToBitcode(R"(
    declare ptr @LLVMContextCreate()
    declare ptr @LLVMModuleCreateWithNameInContext(ptr, ptr)
    declare ptr @LLVMPrintModuleToString(ptr)
    declare void @LLVMDisposeMessage(ptr)
    declare void @LLVMDisposeModule(ptr)
    declare void @LLVMContextDispose(ptr)
    declare i32 @puts(ptr)
    @name = constant [5 x i8] c"made\00"
    define i32 @main() {
      %context = call ptr @LLVMContextCreate()
      %module = call ptr @LLVMModuleCreateWithNameInContext(ptr @name, ptr %context)
      %text = call ptr @LLVMPrintModuleToString(ptr %module)
      %result = call i32 @puts(ptr %text)
      call void @LLVMDisposeMessage(ptr %text)
      call void @LLVMDisposeModule(ptr %module)
      call void @LLVMContextDispose(ptr %context)
      ret i32 0
    })"));
  for (const char* mode : {"--mode=lazy", "--mode=eager"}) {
    const testing::ProcessResult result = RunCommand({mode, path});
    EXPECT_EQ(result.exit_status, 0) << result;
    EXPECT_THAT(result.output, HasSubstr("; ModuleID = 'made'"));
  }
  EXPECT_NE(RunCommand({"--no-process-syms", path}).exit_status, 0);
}

// Its static objects must not be those of the LLVM that the command is linked with.
TEST(CommandTest, SharedLlvmMayBeLoaded) {
  const std::string path = Write("beside.bc", ParseToBitcode(kProgram));
  for (const char* tier : {"--tier=0", "--tier=1"}) {
    const testing::ProcessResult result =
        RunCommand({absl::StrCat("--load=", llvm_version::kSharedLibrary), tier, path, "x"});
    EXPECT_EQ(result.exit_status, 2) << result;
    EXPECT_EQ(result.errors, "");
  }
}

TEST(CommandTest, ALibraryThatCannotBeLoadedIsReportedOnce) {
  const std::string path = Write("alone.bc", ParseToBitcode(kProgram));
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--load=/no/such.so"}, {"--load", "/no/such.so"}}) {
    std::vector<std::string> arguments = option;
    arguments.insert(arguments.end(), {path, "x"});
    const testing::ProcessResult result = RunCommand(arguments);
    EXPECT_EQ(result.exit_status, 2) << result;
    EXPECT_EQ(std::vector<std::string>(absl::StrSplit(result.errors, "Error opening")).size(), 2u)
        << result;
  }
}

TEST(CommandTest, ProgramMayComeFromStandardInput) {
  EXPECT_EQ(RunCommand({"-", "x"}, ParseToBitcode(kProgram)).exit_status, 2);
}

TEST(CommandTest, OptionsOfLliAreAccepted) {
  const std::string path = Write("fine.bc", ParseToBitcode(kProgram));
  const std::vector<std::string> options = {"-O0",
                                            "-O1",
                                            "-O2",
                                            "-O3",
                                            "--jit-kind=mcjit",
                                            "--jit-kind=orc",
                                            "--jit-kind=orc-lazy",
                                            "--disable-lazy-compilation",
                                            "--per-module-lazy",
                                            "--compile-threads=2",
                                            "--mcpu=" + kCpu,
                                            "--mattr=" + kFeature,
                                            "--relocation-model=pic",
                                            "--relocation-model=static",
                                            "--code-model=small",
                                            "--code-model=large",
                                            "--dlopen=libm.so.6",
                                            "--mode=eager"};
  for (const std::string& option : options) {
    const testing::ProcessResult result = RunCommand({option, path, "x"});
    EXPECT_EQ(result.exit_status, 2) << option << ": " << result.errors;
    EXPECT_THAT(result.errors, IsEmpty()) << option;
  }
}

TEST(CommandTest, TierSaysWhetherIrIsOptimized) {
  const std::string path = Write("tiers.ll", R"(
    define internal i32 @twice(i32 %x) {
      %p = alloca i32
      store i32 %x, ptr %p
      %y = load i32, ptr %p
      %z = add i32 %y, %y
      ret i32 %z
    }
    define i32 @main(i32 %argc, ptr %argv) {
      %some = icmp sgt i32 %argc, 0
      br i1 %some, label %yes, label %no
    yes:
      %x = call i32 @twice(i32 %argc)
      ret i32 %x
    no:
      ret i32 9
    })");
  const auto dump = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--orc-lazy-debug=mods-to-stdout", path});
    const testing::ProcessResult result = RunCommand(options);
    EXPECT_EQ(result.exit_status, 2) << result.errors;
    return result.output;
  };
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--tier=1"}, {"-O2"}, {"-O3"}, {"-O0", "--tier=1"}}) {
    EXPECT_THAT(dump(options), AllOf(HasSubstr("@main("), Not(HasSubstr("call i32 @\"twice")),
                                     Not(HasSubstr("alloca"))))
        << options[0];
  }
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"-O0"}, {"-O1"}, {"--tier=0"}, {"-O2", "--tier=0"}, {"-O2", "--mode=eager"}}) {
    EXPECT_THAT(dump(options), AllOf(HasSubstr("@main("), HasSubstr("alloca"))) << options[0];
  }
  EXPECT_THAT(RunCommand({"--tier=7", path}).errors, HasSubstr("7"));
}

TEST(CommandTest, StatsAreATableOnStandardError) {
  const testing::ProcessResult result =
      RunCommand({"--stats", Write("fine.bc", ParseToBitcode(kProgram))});
  EXPECT_THAT(
      result.errors,
      AllOf(HasSubstr("functions known              1\n"), HasSubstr("stubs made "),
            HasSubstr("functions compiled           1  (100.0 %)\n"), HasSubstr("time in split "),
            HasSubstr("time in emit "), HasSubstr("time in link "), HasSubstr("code bytes ")));
}

TEST(CommandTest, HelpListsItsOptions) {
  EXPECT_THAT(RunCommand({"--help"}).output,
              AllOf(HasSubstr("--mode="), HasSubstr("--stats"), HasSubstr("--entry-function")));
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  firstcall::command_path = argv[1];
  return RUN_ALL_TESTS();
}
