// What the command tells of its work: --print-compilation, --trace, --report, --perf. The arguments
// are its path, a program with debug information, and one whose threads call while it forks.

#include <glob.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/JSON.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string command_path, described_path, forks_path;

// Some functions, one of which is hot; prints its process id.
constexpr char kProgram[] = R"(
  declare i32 @printf(ptr, ...)
  declare i32 @getpid()
  @text = private constant [8 x i8] c"%d %ld\0A\00"
  @pointer = global ptr @spins
  define i64 @spins(i64 %n) {
    br label %loop
  loop:
    %i = phi i64 [ %n, %0 ], [ %next, %loop ]
    %x = phi i64 [ 1, %0 ], [ %y, %loop ]
    %m = mul i64 %x, 6364136223846793005
    %y = xor i64 %m, %i
    %next = sub i64 %i, 1
    %done = icmp eq i64 %next, 0
    br i1 %done, label %end, label %loop
  end:
    ret i64 %y
  }
  define i64 @"name \22<with> marks"() {
    %f = load volatile ptr, ptr @pointer
    %r = call i64 %f(i64 100000000)
    ret i64 %r
  }
  define i32 @main() {
    %p = call i32 @getpid()
    %r = call i64 @"name \22<with> marks"()
    %1 = call i32 (ptr, ...) @printf(ptr @text, i32 %p, i64 %r)
    ret i32 0
  })";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class ObservationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir();
    while (absl::EndsWith(directory_, "/")) directory_.pop_back();
    program_ = directory_ + "/observed.ll";
    WriteProgram(kProgram);
  }

  void WriteProgram(const char* text) { std::ofstream(program_) << text; }

  testing::ProcessResult Run(
      const std::vector<std::string>& options, const std::vector<std::string>& before = {},
      const std::function<void()>& prepare = [] {}) {
    testing::ProcessResult result = RunProgram(options, before, prepare);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return result;
  }

  testing::ProcessResult RunProgram(
      const std::vector<std::string>& options, const std::vector<std::string>& before = {},
      const std::function<void()>& prepare = [] {}) {
    std::vector<std::string> command = before;
    command.push_back(command_path);
    command.push_back("--no-object-cache");
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(program_);
    return testing::RunProcess(command, "", prepare);
  }

  std::string directory_;
  std::string program_;
};

TEST_F(ObservationTest, CompilationIsPrintedOneLineABody) {
  const testing::ProcessResult result = Run({"--print-compilation", "--tier=0"});
  EXPECT_THAT(result.errors, ContainsRegex(" 0 (baseline|llvm) +call +0x[0-9a-f]+ +[1-9][0-9]* +"
                                           "[^\n]*::main\n"));
  EXPECT_THAT(result.errors, ContainsRegex("::spins\n"));
  EXPECT_THAT(Run({}).errors, IsEmpty());
}

TEST_F(ObservationTest, TraceIsJsonWithSlicesAndMemory) {
  const std::string path = ::testing::TempDir() + "/trace.json";
  Run({"--trace=" + path});
  llvm::Expected<llvm::json::Value> trace = llvm::json::parse(ReadFile(path));
  ASSERT_TRUE(static_cast<bool>(trace)) << llvm::toString(trace.takeError());
  const llvm::json::Array* events = trace->getAsArray();
  ASSERT_NE(events, nullptr);
  std::map<std::string, int> slices;
  std::map<std::string, int> phases;
  for (const llvm::json::Value& value : *events) {
    const llvm::json::Object& event = *value.getAsObject();
    const std::string phase = event.getString("ph")->str();
    ++phases[phase];
    if (phase != "X") continue;
    EXPECT_GE(*event.getNumber("dur"), 0);
    EXPECT_GT(*event.getNumber("ts"), 0);
    ++slices[event.getString("name")->str()];
  }
  EXPECT_EQ(slices["main"], 1);
  EXPECT_EQ(slices["first call of spins"], 1);
  EXPECT_GE(slices["emit"], 1);
  EXPECT_GE(phases["C"], 1);
  EXPECT_GE(phases["i"], 3);
  EXPECT_EQ(phases["M"], 1);
}

TEST_F(ObservationTest, TraceThatCannotBeWrittenIsAWarning) {
  EXPECT_THAT(Run({"--trace=/no/such/file"}).errors,
              HasSubstr("firstcall: warning: cannot write '/no/such/file': "));
}

TEST_F(ObservationTest, TraceOfAProgramThatIsKilledHasWhatHappenedBefore) {
  WriteProgram(R"(
    declare void @abort()
    define i32 @main() { call void @abort() ret i32 0 })");
  const std::string path = directory_ + "/killed.json";
  EXPECT_EQ(RunProgram({"--trace=" + path}).exit_status, 128 + SIGABRT);
  const std::string text = ReadFile(path);
  ASSERT_TRUE(absl::EndsWith(text, "},\n")) << text;
  llvm::Expected<llvm::json::Value> trace =
      llvm::json::parse(text.substr(0, text.size() - 2) + "]");
  ASSERT_TRUE(static_cast<bool>(trace)) << llvm::toString(trace.takeError());
  EXPECT_THAT(text, HasSubstr("published main"));
}

TEST_F(ObservationTest, FilesAreInTheDirectoryInWhichTheCommandWasStarted) {
  WriteProgram(R"(
    declare i32 @chdir(ptr)
    @root = private constant [2 x i8] c"/\00"
    define i32 @main() { %r = call i32 @chdir(ptr @root) ret i32 %r })");
  std::vector<std::string> words =
      OnThisMachine({std::filesystem::absolute(command_path).string(), "--no-object-cache",
                     "--report=moved.html", program_});
  words.insert(words.begin(), {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory_});
  const testing::ProcessResult result = testing::RunProcess(words);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(ReadFile(directory_ + "/moved.html").substr(0, 15), "<!DOCTYPE html>");
}

TEST_F(ObservationTest, ChildThatEndsLaterLeavesTheReportToTheParent) {
  WriteProgram(R"(
    declare i32 @fork()
    declare i32 @getpid()
    declare i32 @getppid()
    declare i32 @usleep(i32)
    declare void @exit(i32)
    define void @parent() { ret void }
    define i32 @main() {
      %me = call i32 @getpid()
      %p = call i32 @fork()
      %is_child = icmp eq i32 %p, 0
      br i1 %is_child, label %child, label %parent
    parent:
      call void @parent()
      ret i32 0
    child:
      %1 = call i32 @usleep(i32 1000)
      %now = call i32 @getppid()
      %alive = icmp eq i32 %now, %me
      br i1 %alive, label %child, label %end
    end:
      call void @exit(i32 0)
      unreachable
    })");
  const std::string path = directory_ + "/parents.html";
  const std::string of_each = directory_ + "/each_%p.html";
  // A pipe ends when the child has ended, too.
  const auto run = [&](const std::string& file) {
    std::vector<std::string> words =
        OnThisMachine({command_path, "--no-object-cache", "--report=" + file, program_});
    words.insert(words.begin(), {"/bin/sh", "-c", "\"$@\" | cat", "sh"});
    return testing::RunProcess(words);
  };
  EXPECT_THAT(run(path).errors, IsEmpty());
  EXPECT_TRUE(absl::StrContains(ReadFile(path), "{\"name\":\"parent\",\"tier\":0"));
  EXPECT_THAT(run(of_each).errors, IsEmpty());
  glob_t found;
  ASSERT_EQ(glob((directory_ + "/each_*.html").c_str(), 0, nullptr, &found), 0);
  EXPECT_EQ(found.gl_pathc, 2u);
  for (size_t i = 0; i < found.gl_pathc; ++i) unlink(found.gl_pathv[i]);
  globfree(&found);
}

TEST_F(ObservationTest, ForkWaitsForWhatIsWritten) {
#if defined(ABSL_HAVE_THREAD_SANITIZER)
  GTEST_SKIP() << "the sanitizer reports the parent's threads as leaked ones of a child";
#endif
  program_ = forks_path;
  const std::string path = directory_ + "/forks.html";
  const testing::ProcessResult result =
      Run({"--trace=" + directory_ + "/forks_%p.json", "--report=" + path, "--tier=0"});
  EXPECT_EQ(result.output, "0 wrong\n");
  // Each body has the time of its own thread's object.
  const std::string report = ReadFile(path);
  EXPECT_TRUE(absl::StrContains(report, "\"name\":\"f899"));
  EXPECT_FALSE(absl::StrContains(report, "\"time\":0.0000,\"size\""));
}

TEST_F(ObservationTest, ReportTellsApartWhatOtherThreadsDidMeanwhile) {
  const std::string path = directory_ + "/promoted.html";
  Run({"--report=" + path, "--promotion-threshold=100", "--promotion-threads=0"});
  EXPECT_TRUE(absl::StrContains(
      ReadFile(path), "\"other_threads\":{\"split\":0.0000,\"emit\":0.0000,\"link\":0.0000}"));
  Run({"--report=" + path, "--promotion-threshold=100"});
  const std::string report = ReadFile(path);
  if (absl::StrContains(report, "\"promotions_made\":0"))
    GTEST_SKIP() << "the program ran too fast";
  const size_t parts = report.find("\"other_threads\":");
  ASSERT_NE(parts, std::string::npos);
  EXPECT_THAT(report.substr(parts, 100), ContainsRegex("\"emit\":[0-9.]*[1-9]"));
}

TEST_F(ObservationTest, PrecompilingLeavesATraceAndAReport) {
  const std::string report = directory_ + "/precompiled.html";
  const std::string trace = directory_ + "/precompiled.json";
  const testing::ProcessResult result = testing::RunProcess(
      {command_path, "precompile", absl::StrCat("--object-cache-dir=", directory_, "/precompiled"),
       "--report=" + report, "--trace=" + trace, program_});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_TRUE(absl::StrContains(ReadFile(report), "{\"name\":\"spins\",\"tier\":0"));
  EXPECT_TRUE(absl::EndsWith(ReadFile(trace), "]\n"));
}

TEST_F(ObservationTest, FileMustBeNamedBehindAnEqualsSign) {
  for (const std::string option : {"--trace", "--report", "--write-hot-functions"}) {
    const testing::ProcessResult result = RunProgram({option});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.errors,
              absl::StrCat("firstcall: option '", option, "' needs a file: ", option, "=FILE\n"));
  }
  EXPECT_EQ(ReadFile(program_), kProgram);
}

TEST_F(ObservationTest, NamesAreThoseOfTheSourceAndStayInTheirLines) {
  WriteProgram(R"(
    define internal i32 @_ZL3twoi(i32 %x) { %r = add i32 %x, %x ret i32 %r }
    define i32 @_Z3addii(i32 %x, i32 %y) {
      %z = call i32 @_ZL3twoi(i32 %x)
      %r = add i32 %z, %y
      ret i32 %r
    }
    define i32 @"two\0Alines"(i32 %x) { %r = call i32 @_Z3addii(i32 %x, i32 2) ret i32 %r }
    define i32 @main() { %r = call i32 @"two\0Alines"(i32 -1) ret i32 %r })");
  const std::string report = directory_ + "/names.html";
  const testing::ProcessResult result =
      RunProgram({"--print-compilation", "--tier=0", "--report=" + report});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.errors, ContainsRegex("[^\n]*::add\\(int, int\\)\n"));
  EXPECT_THAT(result.errors, HasSubstr("::two(int)\n"));
  EXPECT_THAT(result.errors, HasSubstr("::two?lines\n"));
  EXPECT_TRUE(absl::StrContains(ReadFile(report), "\"name\":\"add(int, int)\""));
}

TEST_F(ObservationTest, AForkedChildWritesNoListOfHotFunctions) {
  WriteProgram(R"(
    declare i32 @fork()
    declare i32 @waitpid(i32, ptr, i32)
    declare void @exit(i32)
    define i32 @run(i32 %x) { %r = add i32 %x, 1 ret i32 %r }
    define i32 @main() {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %next = call i32 @run(i32 %i)
      %more = icmp slt i32 %next, 5000
      br i1 %more, label %loop, label %end
    end:
      %child = call i32 @fork()
      %is_child = icmp eq i32 %child, 0
      br i1 %is_child, label %leave, label %wait
    leave:
      call void @exit(i32 0)
      unreachable
    wait:
      call i32 @waitpid(i32 %child, ptr null, i32 0)
      ret i32 0
    })");
  const std::string list = directory_ + "/hot";
  EXPECT_EQ(RunProgram({"--promotion-threads=0", "--promotion-threshold=1000",
                        "--write-hot-functions=" + list})
                .exit_status,
            0);
  const std::string names = ReadFile(list);
  EXPECT_THAT(names, HasSubstr("main\n"));
  EXPECT_EQ(names.find("main\n"), names.rfind("main\n")) << names;
}

TEST_F(ObservationTest, PrintingCompilationIsNoReasonToLoadLlvm) {
  const std::string cache = absl::StrCat("--object-cache-dir=", directory_, "/print_cache");
  const std::vector<std::string> command = {command_path, cache, "--stats", "--print-compilation",
                                            program_};
  testing::RunProcess(command);
  const testing::ProcessResult second = testing::RunProcess(command);
  EXPECT_THAT(second.errors, HasSubstr(" cache "));
  EXPECT_THAT(second.errors, Not(HasSubstr("printing its options")));
}

TEST_F(ObservationTest, PerfMapNamesBodiesAndStubs) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator cannot map anonymous pages twice";
  const testing::ProcessResult result = Run({"--perf=map"});
  const std::string path = absl::StrCat(
      "/tmp/perf-", std::vector<std::string>(absl::StrSplit(result.output, ' '))[0], ".map");
  const std::string map = ReadFile(path);
  unlink(path.c_str());
  EXPECT_THAT(map, ContainsRegex("\n?[0-9a-f]+ [0-9a-f]+ main \\[0 (baseline|llvm)\\]\n"));
  EXPECT_THAT(map, ContainsRegex("[0-9a-f]+ [0-9a-f]+ \\(stubs\\)\n"));
  EXPECT_THAT(map, ContainsRegex(" spins \\[0 "));
}

// Their names can be predicted, and anybody may make files in /tmp.
TEST_F(ObservationTest, PerfFilesAreNewFilesThoughTheirNamesWereTaken) {
  const std::string victim = directory_ + "/victim";
  setenv("JITDUMPDIR", directory_.c_str(), 1);
  for (const std::string form : {"map", "jitdump"}) {
    if (form == "map" && IsEmulated()) continue;  // It cannot map anonymous pages twice.
    const auto path_for = [&](absl::string_view process) {
      return form == "map" ? absl::StrCat("/tmp/perf-", process, ".map")
                           : absl::StrCat(directory_, "/jit-", process, ".dump");
    };
    for (const bool is_link : {true, false}) {
      std::ofstream(victim) << "mine";
      const testing::ProcessResult result = Run({"--perf=" + form}, {}, [&] {
        const std::string path = path_for(absl::StrCat(getpid()));
        (void)!(is_link ? symlink(victim.c_str(), path.c_str())
                        : link(victim.c_str(), path.c_str()));
      });
      const std::string path =
          path_for(std::vector<std::string>(absl::StrSplit(result.output, ' '))[0]);
      EXPECT_EQ(result.errors, "");
      EXPECT_EQ(ReadFile(victim), "mine") << form;
      EXPECT_FALSE(std::filesystem::is_symlink(path));
      EXPECT_THAT(ReadFile(path), HasSubstr("main [0 "));
      unlink(path.c_str());
    }
  }
}

TEST_F(ObservationTest, PerfMapsNameThatCannotBeHadIsAWarning) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator cannot map anonymous pages twice";
  const testing::ProcessResult result = Run({"--perf=map"}, {}, [] {
    mkdir(absl::StrCat("/tmp/perf-", getpid(), ".map").c_str(), 0700);
  });
  const std::string path = absl::StrCat(
      "/tmp/perf-", std::vector<std::string>(absl::StrSplit(result.output, ' '))[0], ".map");
  EXPECT_EQ(rmdir(path.c_str()), 0);
  EXPECT_THAT(result.errors, HasSubstr(absl::StrCat("cannot write '", path, "': ")));
}

TEST_F(ObservationTest, JitdumpEndsWithAWholeRecordIfFilesMayNotBeLarger) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator cannot map anonymous pages twice";
  if (kSanitizerWritesFile) GTEST_SKIP() << "the sanitizer maps a file that it writes";
  setenv("JITDUMPDIR", directory_.c_str(), 1);
  const testing::ProcessResult result = Run({"--perf=jitdump"}, {}, [] {
    const rlimit limit = {500, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  const std::string path =
      absl::StrCat(directory_, "/jit-",
                   std::vector<std::string>(absl::StrSplit(result.output, ' '))[0], ".dump");
  const std::string dump = ReadFile(path);
  unlink(path.c_str());
  EXPECT_THAT(result.errors, HasSubstr(absl::StrCat("writing '", path, "': File too large")));
  size_t at = 40;
  uint32_t size = 0;
  for (; at + 8 <= dump.size(); at += size) std::memcpy(&size, dump.data() + at + 4, 4);
  EXPECT_EQ(at, dump.size());
}

TEST_F(ObservationTest, JitdumpHasCodeNamesAndFrames) {
  const std::string directory = ::testing::TempDir();
  setenv("JITDUMPDIR", directory.c_str(), 1);
  const testing::ProcessResult result = Run({"--perf=jitdump"});
  const std::string path = absl::StrCat(
      directory, "/jit-", std::vector<std::string>(absl::StrSplit(result.output, ' '))[0], ".dump");
  const std::string dump = ReadFile(path);
  unlink(path.c_str());
  ASSERT_GE(dump.size(), 40u);
  uint32_t magic;
  std::memcpy(&magic, dump.data(), sizeof(magic));
  EXPECT_EQ(magic, 0x4A695444u);
  constexpr uint32_t kCode = 0, kUnwinding = 4;
  size_t at = 40, records = 0, unwinding = 0;
  std::string names;
  uint32_t last_kind = kCode;
  while (at + 16 <= dump.size()) {
    uint32_t kind, size;
    std::memcpy(&kind, dump.data() + at, 4);
    std::memcpy(&size, dump.data() + at + 4, 4);
    ASSERT_GT(size, 16u);
    ASSERT_LE(size, dump.size() - at);
    if (kind == kCode) {
      uint64_t code_size;
      std::memcpy(&code_size, dump.data() + at + 40, 8);
      const std::string name = dump.data() + at + 56;
      EXPECT_EQ(size, 56 + name.size() + 1 + code_size);
      // The frames are in front of the code. Stubs have none.
      if (absl::StartsWith(name, "main [")) {
        EXPECT_EQ(last_kind, kUnwinding);
      }
      if (absl::StartsWith(name, "(")) {
        EXPECT_EQ(last_kind, kCode);
      }
      names += name + "\n";
      ++records;
    } else {
      EXPECT_EQ(kind, kUnwinding) << "the program has no debug information";
      ++unwinding;
    }
    last_kind = kind;
    at += size;
  }
  EXPECT_EQ(at, dump.size());
  EXPECT_GE(records, 3u);
  EXPECT_GE(unwinding, 2u);
  EXPECT_THAT(names, HasSubstr("main [0 "));
}

// The names and whole stacks of samples, as perf itself finds them.
TEST_F(ObservationTest, PerfFindsNamesForNearlyAllSamplesInCompiledCode) {
  constexpr char kPerf[] = "/usr/bin/perf";
  if (IsEmulated()) GTEST_SKIP() << "perf would see the emulator";
  if (access(kPerf, X_OK) != 0) GTEST_SKIP() << "there is no perf";
  const std::string data = ::testing::TempDir() + "/perf.data";
  const std::vector<std::string> record = {kPerf, "record", "-q", "-e", "cpu-clock:u",
                                           "-F",  "1999",   "-g", "-o", data};
  std::vector<std::string> probe = record;
  probe.push_back("/bin/true");
  if (testing::RunProcess(probe).exit_status != 0) GTEST_SKIP() << "perf has no permission";
  const testing::ProcessResult ran = Run({"--perf=map", "--tier=0"}, record);
  const testing::ProcessResult script =
      testing::RunProcess({kPerf, "script", "-i", data, "-F", "ip,sym,dso"});
  const std::string pid = ran.output.substr(0, ran.output.find(' '));
  unlink(absl::StrCat("/tmp/perf-", pid, ".map").c_str());
  ASSERT_EQ(script.exit_status, 0) << script.errors;
  int compiled = 0, named = 0, whole = 0;
  for (absl::string_view stack : absl::StrSplit(script.output, "\n\n", absl::SkipEmpty())) {
    const absl::string_view top = stack.substr(0, stack.find('\n', 1));
    if (!absl::StrContains(top, "perf-") && !absl::StrContains(top, "memfd")) continue;
    ++compiled;
    if (absl::StrContains(top, " [0 ") || absl::StrContains(top, "(stubs)")) ++named;
    if (absl::StrContains(stack, "main [0 ")) ++whole;
  }
  EXPECT_GE(compiled, 20) << script.output.substr(0, 2000);
  EXPECT_GE(named, compiled * 95 / 100);
  EXPECT_GE(whole, compiled * 95 / 100);
}

// The code that the unwind table of the file at `path` describes, and the code that its symbol
// names: address and size of each.
std::pair<std::string, std::string> DescribedAndNamedCode(const std::string& path) {
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(path));
  std::string described, named;
  std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(*file.getBinary());
  const llvm::DWARFDebugFrame* frames = llvm::cantFail(context->getEHFrame());
  for (const llvm::dwarf::FrameEntry& entry : frames->entries()) {
    if (const auto* function = llvm::dyn_cast<llvm::dwarf::FDE>(&entry)) {
      absl::StrAppend(&described, function->getInitialLocation(), "+", function->getAddressRange());
    }
  }
  for (const llvm::object::SymbolRef& symbol : file.getBinary()->symbols()) {
    absl::StrAppend(&named, llvm::cantFail(symbol.getAddress()), "+",
                    llvm::object::ELFSymbolRef(symbol).getSize());
  }
  return {described, named};
}

// perf makes a file of each body, with its lines and its unwind table.
TEST_F(ObservationTest, PerfInjectMakesFilesWithLinesAndFrames) {
  constexpr char kPerf[] = "/usr/bin/perf";
  if (IsEmulated()) GTEST_SKIP() << "perf would see the emulator";
  if (access(kPerf, X_OK) != 0) GTEST_SKIP() << "there is no perf";
  const std::string directory = ::testing::TempDir();
  const std::string data = directory + "/perf.data", injected = directory + "/perf.jit.data";
  const std::vector<std::string> record = {kPerf,         "record", "-q",  "-k", "mono", "-e",
                                           "cpu-clock:u", "-F",     "999", "-o", data};
  std::vector<std::string> probe = record;
  probe.push_back("/bin/true");
  if (testing::RunProcess(probe).exit_status != 0) GTEST_SKIP() << "perf has no permission";
  program_ = described_path;
  setenv("JITDUMPDIR", directory.c_str(), 1);
  Run({"--perf=jitdump", "--tier=0"}, record);
  const testing::ProcessResult inject =
      testing::RunProcess({kPerf, "inject", "--jit", "-i", data, "-o", injected});
  ASSERT_EQ(inject.exit_status, 0) << inject.errors;
  // Of the function alone: perf takes long to look up the lines of the command.
  const testing::ProcessResult script = testing::RunProcess(
      {kPerf, "script", "-i", injected, "-S", "spins [0 baseline]", "-F", "ip,sym,dso,srcline"});
  ASSERT_EQ(script.exit_status, 0) << script.errors;
  int samples = 0, with_lines = 0;
  std::set<std::string> lines, files;
  for (absl::string_view line : absl::StrSplit(script.output, '\n')) {
    if (absl::StrContains(line, "spins [0 baseline]")) {
      ++samples;
      const size_t begin = line.find('(') + 1;
      files.emplace(line.substr(begin, line.rfind(')') - begin));
    } else if (absl::StrContains(line, "described.c:")) {
      ++with_lines;
      lines.emplace(line);
    }
  }
  EXPECT_GE(samples, 20) << script.output.substr(0, 2000);
  EXPECT_GE(with_lines, samples * 95 / 100) << script.output.substr(0, 2000);
  EXPECT_GE(lines.size(), 2u) << "the loop has several lines";
  ASSERT_EQ(files.size(), 1u);
  const auto [described, named] = DescribedAndNamedCode(*files.begin());
  EXPECT_THAT(described, Not(IsEmpty()));
  EXPECT_EQ(described, named);
}

TEST_F(ObservationTest, ProbesAreThere) {
  if (IsEmulated()) GTEST_SKIP() << "the cross compiler has no <sys/sdt.h>";
  const std::string program = ReadFile(command_path);
  for (const char* probe : {"first_call", "compile_begin", "compile_end", "promote"}) {
    EXPECT_NE(program.find(absl::StrCat("firstcall", std::string(1, '\0'), probe)),
              std::string::npos)
        << probe;
  }
  // perf does not find the right places in a program without this section.
  for (const std::string& path : {command_path, command_path + "-llvm"}) {
    if (access(path.c_str(), R_OK) != 0) continue;  // One program does everything.
    auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(path));
    std::set<std::string> sections;
    for (const llvm::object::SectionRef& section : file.getBinary()->sections()) {
      sections.insert(llvm::cantFail(section.getName()).str());
    }
    EXPECT_EQ(sections.count(".stapsdt.base"), 1u) << path;
  }
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argv[1];
  firstcall::described_path = argv[2];
  firstcall::forks_path = argv[3];
  return RUN_ALL_TESTS();
}
