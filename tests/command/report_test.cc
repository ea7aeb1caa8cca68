// The page of --report, opened in Chromium. The only argument is the command's path.

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string command_path;

constexpr char kChromium[] = "/usr/bin/chromium";

constexpr char kProgram[] = R"(
  define i64 @square(i64 %n) { %r = mul i64 %n, %n ret i64 %r }
  @pointer = global ptr @square
  define i64 @never() { ret i64 0 }
  define i64 @"</script><b>marked"() {
    %f = load volatile ptr, ptr @pointer
    %r = call i64 %f(i64 5)
    ret i64 %r
  }
  define i32 @main() {
    %r = call i64 @"</script><b>marked"()
    ret i32 0
  })";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class ReportTest : public ::testing::Test {
 protected:
  // Makes the report, and keeps what --stats has printed.
  void SetUp() override {
    const std::string program = ::testing::TempDir() + "/reported.ll";
    std::ofstream(program) << kProgram;
    path_ = ::testing::TempDir() + "/report.html";
    const testing::ProcessResult result = testing::RunProcess(
        {command_path, "--no-object-cache", "--stats", "--report=" + path_, program});
    ASSERT_EQ(result.exit_status, 0) << result.errors;
    stats_ = result.errors;
  }

  // What Chromium has made of the page; with `options`.
  static testing::ProcessResult Open(const std::string& path, std::vector<std::string> options) {
    std::vector<std::string> command = {kChromium,
                                        "--headless",
                                        "--no-sandbox",
                                        "--disable-gpu",
                                        "--disable-dev-shm-usage",
                                        "--enable-logging=stderr",
                                        "--user-data-dir=" + ::testing::TempDir() + "/chromium"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("file://" + path);
    return testing::RunProcess(command);
  }

  static std::string WhyNoChromium() {
    if (IsEmulated()) return "the browser is of another architecture";
    if (access(kChromium, X_OK) != 0) return "there is no chromium";
    return "";
  }

  // The number in the line of --stats that begins with `label`.
  std::string Stat(const std::string& label) const {
    size_t at = stats_.find(label);
    if (at == std::string::npos) return "no " + label;
    at = stats_.find_first_of("0123456789", at + label.size());
    return stats_.substr(at, stats_.find_first_not_of("0123456789", at) - at);
  }

  std::string path_;
  std::string stats_;
};

TEST_F(ReportTest, PageNeedsNoNetworkAndKeepsNamesInItsData) {
  const std::string page = ReadFile(path_);
  EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cb>marked"));
  EXPECT_THAT(page, Not(HasSubstr("</script><b>")));
  EXPECT_THAT(page, Not(ContainsRegex("(src|href)=\"(http|//)")));
  EXPECT_THAT(page, HasSubstr("{\"name\":\"never\","));
}

TEST_F(ReportTest, OpensWithoutErrorsAndItsNumbersAreThoseOfStats) {
  if (const std::string why = WhyNoChromium(); !why.empty()) GTEST_SKIP() << why;
  const testing::ProcessResult result = Open(path_, {"--dump-dom"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("data-ready=\"yes\""));
  EXPECT_THAT(result.errors, Not(HasSubstr("CONSOLE"))) << result.errors;
  const std::pair<const char*, const char*> numbers[] = {
      {"functions_known", "functions known"},   {"functions_compiled", "functions compiled"},
      {"functions_cached", "functions cached"}, {"functions_baseline", "by baseline"},
      {"promotions_made", "promotions made"},   {"code_bytes", "code bytes"}};
  for (const auto& [key, label] : numbers) {
    EXPECT_THAT(result.output,
                HasSubstr(absl::StrCat("id=\"stat-", key, "\" data-value=\"", Stat(label), "\"")));
  }
  // A row for each function, and the one that never ran.
  EXPECT_THAT(result.output, HasSubstr("<td class=\"name\">&lt;/script&gt;&lt;b&gt;marked</td>"));
  EXPECT_THAT(result.output, HasSubstr("<td class=\"name\">never</td>"));
}

TEST_F(ReportTest, PageIsDrawnOnADeskAndOnAPhone) {
  if (const std::string why = WhyNoChromium(); !why.empty()) GTEST_SKIP() << why;
  for (const char* size : {"1280,900", "390,844"}) {
    const std::string picture = ::testing::TempDir() + "/picture.png";
    unlink(picture.c_str());
    const testing::ProcessResult result =
        Open(path_, {"--screenshot=" + picture, absl::StrCat("--window-size=", size)});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_GT(ReadFile(picture).size(), 5000u) << size;
  }
}

TEST_F(ReportTest, ReportThatCannotBeWrittenIsAWarning) {
  const testing::ProcessResult result =
      testing::RunProcess({command_path, "--no-object-cache", "--report=/no/such/page.html",
                           ::testing::TempDir() + "/reported.ll"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.errors, HasSubstr("firstcall: warning: cannot write '/no/such/page.html': "));
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argv[1];
  return RUN_ALL_TESTS();
}
