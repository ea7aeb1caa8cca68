// Each setting of code generation can be set wherever one expects it: in C, and on the command
// line.
//
//   settings_test COMMAND HEADER

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "seam/settings_table.h"
#include "seam/target_settings.h"
#include "tests/programs/process.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

std::string command_path;
std::string header_path;

// How a setting is reached. Empty: it is not, for the reason that the table below gives.
struct Ways {
  std::string setter;
  std::string option;
};

#if defined(__aarch64__)
constexpr char kTriple[] = "--mtriple=aarch64-linux-gnu";
constexpr char kArchitecture[] = "--march=aarch64";
constexpr char kFeature[] = "--mattr=+neon";
#else
constexpr char kTriple[] = "--mtriple=x86_64-linux-gnu";
constexpr char kArchitecture[] = "--march=x86-64";
constexpr char kFeature[] = "--mattr=+sse2";
#endif

const std::map<std::string, Ways>& AllWays() {
  static const auto* const ways = new std::map<std::string, Ways>{
      {"codegen_level", {"fc_options_set_codegen_level", "-O1"}},
      {"backend", {"fc_options_set_backend", "--backend=auto"}},
      {"baseline", {"fc_options_set_baseline", "--baseline=on"}},
      // For tests, which are not written in C.
      {"baseline_has_few_registers", {"", "--baseline-few-registers"}},
      {"optnone", {"fc_options_set_optnone", "--optnone=auto"}},
      {"debug_info", {"fc_options_set_debug_info", "--debug-info=never"}},
      {"triple", {"fc_options_set_triple", kTriple}},
      {"architecture", {"fc_options_set_architecture", kArchitecture}},
      {"cpu", {"fc_options_set_cpu", "--mcpu=generic"}},
      {"features", {"fc_options_set_features", kFeature}},
      {"relocation_model", {"fc_options_set_relocation_model", "--relocation-model=pic"}},
      {"code_model", {"fc_options_set_code_model", "--code-model=small"}},
      // A client in C calls LLVM's own function for it; the command takes LLVM's options as such.
      {"llvm_arguments", {"", "--fast-isel=0"}},
      // A C++ class of LLVM's. The command makes it from LLVM's options.
      {"target_options", {"", "--frame-pointer=all"}},
  };
  return *ways;
}

TEST(SettingsTest, CanBeSetInCAndOnTheCommandLine) {
  std::ifstream file(header_path);
  std::stringstream header;
  header << file.rdbuf();
  ASSERT_THAT(header.str(), HasSubstr("fc_options"));
  const std::string program = ::testing::TempDir() + "/program.ll";
  std::ofstream(program) << "define i32 @main() { ret i32 0 }";
  TargetSettings settings;
  ForEachSetting(settings, [&](const char* name, const auto&) {
    const auto ways = AllWays().find(name);
    ASSERT_TRUE(ways != AllWays().end()) << "the setting '" << name << "' is not in this table";
    if (!ways->second.setter.empty()) {
      EXPECT_THAT(header.str(), HasSubstr(" " + ways->second.setter + "(")) << name;
    }
    if (!ways->second.option.empty()) {
      const testing::ProcessResult result =
          testing::RunProcess({command_path, ways->second.option, program});
      EXPECT_EQ(result.exit_status, 0) << name << ": " << result.errors;
      EXPECT_EQ(result.errors, "") << name;
    }
  });
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  if (argc < 3) return EXIT_FAILURE;
  firstcall::command_path = argv[1];
  firstcall::header_path = argv[2];
  return RUN_ALL_TESTS();
}
