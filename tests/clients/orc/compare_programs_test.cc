// Runs programs by LLJIT with firstcall's compile function, with its lazy layer, and with LLVM's
// own compile function, and wants the same output and exit status:
//
//   compare_programs_test RUN_PROGRAM --run=PART,PART... FILE...
//
// Those of the files are run whose name contains one of the parts. A file X_a.* is run together
// with X_b.*.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"

namespace firstcall::testing {
namespace {

class CompareProgramsTest : public ::testing::Test {
 public:
  CompareProgramsTest(std::string runner, std::string modules, std::string linker)
      : runner_(std::move(runner)), modules_(std::move(modules)), linker_(std::move(linker)) {}

  void TestBody() override {
    const ProcessResult expected = Run({"--llvm"});
    const std::vector<std::vector<std::string>> ours = {
        {}, {"--lazy"}, {"--lazy", "--promote-all"}};
    for (const std::vector<std::string>& options : ours) {
      const ProcessResult actual = Run(options);
      EXPECT_EQ(actual.exit_status, expected.exit_status) << options.size() << actual.errors;
      EXPECT_EQ(actual.output, expected.output) << options.size() << actual.errors;
    }
    // It is no comparison if LLVM itself cannot run the program.
    EXPECT_NE(expected.exit_status, 125) << expected.errors;
  }

 private:
  ProcessResult Run(const std::vector<std::string>& options) const {
    std::vector<std::string> command = {runner_};
    command.insert(command.end(), options.begin(), options.end());
    if (!linker_.empty()) command.push_back(linker_);
    command.insert(command.end(), {modules_, "one", "two words", ""});
    return RunProcess(command, "first line\n42 -7 2.5\nlast");
  }

  const std::string runner_, modules_, linker_;
};

void Register(const std::string& runner, const std::string& path, const std::string& name) {
  const std::string modules =
      absl::StrContains(name, "_a.")
          ? absl::StrCat(path, ",", absl::StrReplaceAll(path, {{"_a.", "_b."}}))
          : path;
  for (const char* linker : {"", "--rtdyld"}) {
    ::testing::RegisterTest("CompareProgramsTest", absl::StrCat(name, linker).c_str(), nullptr,
                            nullptr, __FILE__, __LINE__, [=]() -> CompareProgramsTest* {
                              return new CompareProgramsTest(runner, modules, linker);
                            });
  }
}

}  // namespace
}  // namespace firstcall::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc < 4) return EXIT_FAILURE;
  const std::string runner = argv[1];
  std::string parts = argv[2];
  if (!absl::StartsWith(parts, "--run=")) return EXIT_FAILURE;
  const std::vector<std::string> wanted = absl::StrSplit(parts.substr(6), ',');
  size_t found = 0;
  for (int i = 3; i < argc; ++i) {
    const std::string path = argv[i];
    const std::string name = path.substr(path.find("programs/") + 9);
    for (const std::string& part : wanted) {
      if (!absl::StrContains(name, part)) continue;
      firstcall::testing::Register(runner, path, name);
      ++found;
      break;
    }
  }
  if (found != wanted.size()) {
    std::fprintf(stderr, "%zu of %zu programs are there\n", found, wanted.size());
    return EXIT_FAILURE;
  }
  return RUN_ALL_TESTS();
}
