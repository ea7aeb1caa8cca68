// Runs one program as a native executable and through the command in each mode, and wants the same
// output, errors and exit status. programs.bzl makes a test of this for each program and passes:
//
//   --firstcall=PATH     the command
//   --native=PATH        the native executable
//   --program=NAME:FILE,FILE...  a form of the program: the module with main, then extra modules
//   --option=OPTION      for the command
//   --argument=ARGUMENT  for the program, in front of those that all get
//   --real-thread-locals  leave out the sets of options that emulate thread-local variables
//   --promoted-by-thread  add a set with which another thread optimizes as early as it can
//   --skip=NAME:REASON   in place of --program, a form that this architecture does not have
//   --served             run it by a compile server, which the test starts
//
// Those with a value after --native may be repeated.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/services/server/server_process.h"

namespace firstcall::testing {
namespace {

constexpr char kInput[] = "first line\n42 -7 2.5\nlast";

std::string firstcall_path;
std::string native_path;
std::vector<std::string> common_options;
std::vector<std::string> own_arguments;
bool has_real_thread_locals = false;
constexpr char kRealThreadLocals[] = "--real-thread-locals";
bool is_promoted_by_thread = false;
constexpr char kPromotedByThread[] = "--promoted-by-thread";

ProcessResult RunWithInput(std::vector<std::string> command) {
  command.insert(command.end(), own_arguments.begin(), own_arguments.end());
  command.insert(command.end(), {"one", "two words", ""});
  return RunProcess(command, kInput);
}

const ProcessResult& Native() {
  static const ProcessResult* const result = new ProcessResult(RunWithInput({native_path}));
  return *result;
}

// What the command is to do: the same, but --isolate says on standard error which signal has ended
// the program.
ProcessResult Expected() {
  ProcessResult result = Native();
  const bool is_isolated =
      std::find(common_options.begin(), common_options.end(), "--isolate") != common_options.end();
  if (is_isolated && result.exit_status > 128) {
    const int signal = result.exit_status - 128;
    result.errors += "firstcall: the isolated program was ended by signal " +
                     std::to_string(signal) + " (" + strsignal(signal) + ")\n";
  }
  return result;
}

class ProgramTest : public ::testing::Test {
 public:
  ProgramTest(std::vector<std::string> modules, std::vector<std::string> options)
      : modules_(std::move(modules)), options_(std::move(options)) {}

  // Runs it twice with an object cache: the second time no first body has to be compiled.
  void KeepObjects(const std::string& name) {
    options_.push_back("--object-cache-dir=" + ::testing::TempDir() + "/" + name);
    runs_ = 2;
  }

  // Wants every function that got hot to have been optimized, if the program ends with exit().
  void ExpectNoFailedPromotion() {
    options_.push_back("--stats");
    promotes_ = true;
  }

  void TestBody() override {
    ASSERT_NE(Native().output, "") << "a program that prints nothing shows nothing";
    std::vector<std::string> command = {firstcall_path};
    command.insert(command.end(), options_.begin(), options_.end());
    command.insert(command.end(), common_options.begin(), common_options.end());
    for (size_t i = 1; i < modules_.size(); ++i) {
      command.push_back("--extra-module=" + modules_[i]);
    }
    command.push_back(modules_[0]);
    for (int run = 1; run <= runs_; ++run) {
      ProcessResult result = RunWithInput(command);
      if (promotes_) {
        const std::string statistics = TakeStatistics(result);
        EXPECT_EQ(statistics.find("promotion failed:"), std::string::npos) << statistics;
      }
      EXPECT_EQ(result, Expected()) << "run " << run;
    }
  }

 private:
  // What the command prints at exit, and so does each copy of its process; after all that the
  // program has written.
  static std::string TakeStatistics(ProcessResult& result) {
    const size_t begin = result.errors.find("source modules ");
    if (begin == std::string::npos) return "";
    std::string statistics = result.errors.substr(begin);
    result.errors.erase(begin);
    return statistics;
  }

  const std::vector<std::string> modules_;
  std::vector<std::string> options_;
  int runs_ = 1;
  bool promotes_ = false;
};

class SkippedProgramTest : public ::testing::Test {
 public:
  explicit SkippedProgramTest(std::string reason) : reason_(std::move(reason)) {}

  void TestBody() override { GTEST_SKIP() << reason_; }

 private:
  const std::string reason_;
};

enum class Kind { kOnce, kCached, kPromoted, kPromotedAndCached };

void Register(const std::string& name, const std::vector<std::string>& modules,
              const std::vector<std::string>& options, Kind kind = Kind::kOnce) {
  ::testing::RegisterTest("ProgramTest", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [=]() -> ProgramTest* {
                            auto* test = new ProgramTest(modules, options);
                            if (kind == Kind::kCached || kind == Kind::kPromotedAndCached) {
                              test->KeepObjects(name);
                            }
                            if (kind == Kind::kPromoted || kind == Kind::kPromotedAndCached) {
                              test->ExpectNoFailedPromotion();
                            }
                            return test;
                          });
}

// Divides NAME:REST.
std::pair<std::string, std::string> Divide(const std::string& form) {
  const size_t colon = form.find(':');
  return {form.substr(0, colon), form.substr(colon + 1)};
}

void RegisterSkipped(const std::string& form) {
  const std::pair<std::string, std::string> parts = Divide(form);
  ::testing::RegisterTest(
      "SkippedProgramTest", parts.first.c_str(), nullptr, nullptr, __FILE__, __LINE__,
      [=]() -> SkippedProgramTest* { return new SkippedProgramTest(parts.second); });
}

void RegisterAll(const std::string& form) {
  const auto [name, paths] = Divide(form);
  std::vector<std::string> modules;
  std::istringstream files(paths);
  for (std::string file; std::getline(files, file, ',');) modules.push_back(file);
  Register(name + "Lazy", modules, {});
  Register(name + "Eager", modules, {"--mode=eager"});
  Register(name + "LazyAtTier0", modules, {"--tier=0"});
  Register(name + "LazyAtO2", modules, {"-O2"});  // Tier 1.
  // At the first poll, by the thread that polls: each function and loop is left as soon as it can
  // be.
  Register(name + "LazyPromoted", modules,
           {"--tier=auto", "--promotion-threshold=1", "--promotion-threads=0"}, Kind::kPromoted);
  if (is_promoted_by_thread) {
    Register(name + "LazyPromotedByThread", modules, {"--promotion-threshold=1"}, Kind::kPromoted);
  }
  Register(name + "LazyCached", modules, {}, Kind::kCached);
  Register(name + "EagerCached", modules, {"--mode=eager"}, Kind::kCached);
  if (has_real_thread_locals) return;
  // The same with all code and data compiled and linked by MCJIT.
  Register(name + "LazyPromotedByMcjit", modules,
           {"--backend=mcjit", "--promotion-threshold=1", "--promotion-threads=0"},
           Kind::kPromotedAndCached);
}

bool Take(const std::string& argument, const std::string& prefix, std::string& rest) {
  if (argument.rfind(prefix, 0) != 0) return false;
  rest = argument.substr(prefix.size());
  return true;
}

}  // namespace
}  // namespace firstcall::testing

int main(int argc, char** argv) {
  using namespace firstcall::testing;  // NOLINT: the names above
  ::testing::InitGoogleTest(&argc, argv);
  bool is_served = false;
  // These hold for the programs in front of them, too.
  const auto has = [&](const std::string& argument) {
    return std::find(argv + 1, argv + argc, argument) != argv + argc;
  };
  has_real_thread_locals = has(kRealThreadLocals);
  is_promoted_by_thread = has(kPromotedByThread);
  for (int i = 1; i < argc; ++i) {
    std::string rest;
    if (std::string(argv[i]) == "--served") {
      is_served = true;
    } else if (std::string(argv[i]) == kRealThreadLocals ||
               std::string(argv[i]) == kPromotedByThread) {
      continue;
    } else if (Take(argv[i], "--program=", rest)) {
      RegisterAll(rest);
    } else if (Take(argv[i], "--skip=", rest)) {
      RegisterSkipped(rest);
    } else if (Take(argv[i], "--option=", rest)) {
      common_options.push_back(rest);
    } else if (Take(argv[i], "--argument=", rest)) {
      own_arguments.push_back(rest);
    } else if (!Take(argv[i], "--firstcall=", firstcall_path) &&
               !Take(argv[i], "--native=", native_path)) {
      std::fprintf(stderr, "unknown argument '%s'\n", argv[i]);
      return 2;
    }
  }
  std::optional<ServerProcess> server;
  if (is_served && !firstcall_path.empty()) {
    server.emplace(firstcall_path);
    common_options.push_back("--compile-server=" + server->socket());
  }
  return RUN_ALL_TESTS();
}
