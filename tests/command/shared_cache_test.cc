// The command with a cache behind HTTPS: what the first start on a second machine takes from a real
// server (nginx), and what is loaded for that. Two machines are two homes. The arguments: the
// command's path, a program that prints the files that are mapped into its process, how the command
// is linked with LLVM ("shared": the command is one program, and LLVM is always mapped), and
// further modules, each of which prints a line at the start.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cache/curl_library.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/testing/nginx_server.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;

std::string command_path;
std::string program;
std::vector<std::string> further_modules;
bool has_two_programs = false;

class SharedCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!NginxServer::IsInstalled()) GTEST_SKIP() << "nginx or openssl is not installed";
    if (!curl::Load().ok()) GTEST_SKIP() << curl::Load().status();
    NginxServer::Options tls;
    tls.has_tls = true;
    tls.location = "if ($http_authorization != \"Bearer abc\") { return 403; }";
    server_ = std::make_unique<NginxServer>(tls);
    std::ofstream(::testing::TempDir() + "/secret") << "a secret\n";
    std::ofstream(::testing::TempDir() + "/token") << "abc\n";
  }

  static std::string Home(const std::string& machine) {
    return ::testing::TempDir() + "/home_" + machine;
  }

  // Runs the program, whose home is that of `machine`.
  testing::ProcessResult RunOn(const std::string& machine, std::vector<std::string> options) {
    options.insert(options.begin(), command_path);
    options.push_back("--stats");
    options.push_back("--object-cache-dir=" + Home(machine));
    options.push_back(program);
    return testing::RunProcess(options);
  }

  std::vector<std::string> Shared() const {
    return {"--object-cache=" + server_->Url(),
            "--object-cache-key-file=" + ::testing::TempDir() + "/secret",
            "--object-cache-setting=token-file=" + ::testing::TempDir() + "/token",
            "--object-cache-setting=ca-file=" + server_->Authority(),
            "--object-cache-budget=20000"};
  }

  static ::testing::Matcher<std::string> CompiledNothing() {
    return AllOf(ContainsRegex("functions compiled +0 "),
                 HasSubstr("compiler made for   nothing\n"), Not(HasSubstr("warning")));
  }

  std::unique_ptr<NginxServer> server_;
};

TEST_F(SharedCacheTest, FirstStartOnASecondMachineIsTwoRequestsAndCompilesNothing) {
  for (const char* machine : {"1", "2"}) std::filesystem::remove_all(Home(machine));
  const testing::ProcessResult first = RunOn("1", Shared());
  EXPECT_THAT(first.errors, Not(HasSubstr("warning")));
  EXPECT_THAT(first.output, EndsWith("done\n"));
  server_->TakeRequests();

  const testing::ProcessResult second = RunOn("2", Shared());
  EXPECT_EQ(second.exit_status, first.exit_status);
  EXPECT_THAT(second.errors, CompiledNothing());
  EXPECT_THAT(second.output, AllOf(EndsWith("done\n"), HasSubstr("libcurl"),
                                   Not(HasSubstr("libfirstcall_compiler"))));
  if (has_two_programs) {
    EXPECT_THAT(second.output, Not(HasSubstr("LLVM")));
  }
  EXPECT_THAT(server_->TakeRequests(),
              ::testing::ElementsAre(MatchesRegex("GET /cache/ac/[0-9a-f]+ 200"),
                                     MatchesRegex("GET /cache/cas/[0-9a-f]+ 200")));

  // A start that finds all in its home loads nothing for the server, and does not ask it.
  const testing::ProcessResult third = RunOn("2", Shared());
  EXPECT_THAT(third.errors, CompiledNothing());
  EXPECT_THAT(third.output, AllOf(EndsWith("done\n"), Not(HasSubstr("libcurl"))));
  EXPECT_THAT(server_->TakeRequests(), SizeIs(0));
}

TEST_F(SharedCacheTest, ModulesOfAProgramAreFetchedTogether) {
  for (const char* machine : {"8", "9"}) std::filesystem::remove_all(Home(machine));
  std::vector<std::string> options = Shared();
  for (const std::string& module : further_modules) options.push_back("--extra-module=" + module);
  const size_t modules = further_modules.size() + 1;
  const testing::ProcessResult first = RunOn("8", options);
  EXPECT_THAT(first.errors, Not(HasSubstr("warning")));
  EXPECT_THAT(first.output,
              AllOf(HasSubstr("module 1\n"), HasSubstr("module 4\n"), EndsWith("done\n")));
  server_->TakeRequests();
  const int earlier_connections = server_->ConnectionCount();

  const testing::ProcessResult second = RunOn("9", options);
  EXPECT_THAT(second.errors, CompiledNothing());
  EXPECT_THAT(second.output, AllOf(HasSubstr("module 1\n"), HasSubstr("module 4\n"),
                                   EndsWith("done\n"), Not(HasSubstr("libfirstcall_compiler"))));
  if (has_two_programs) {
    EXPECT_THAT(second.output, Not(HasSubstr("LLVM")));
  }
  // All lists come before the first pack: there are two batches, on one connection (HTTP/2).
  const std::vector<std::string> requests = server_->TakeRequests();
  ASSERT_THAT(requests, SizeIs(2 * modules));
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_THAT(requests[i], MatchesRegex(i < modules ? "GET /cache/ac/[0-9a-f]+ 200"
                                                      : "GET /cache/cas/[0-9a-f]+ 200"));
  }
  EXPECT_EQ(server_->ConnectionCount() - earlier_connections, 1);

  // A module that the home has is not asked for.
  options.pop_back();
  std::filesystem::remove_all(Home("9"));
  EXPECT_THAT(RunOn("9", options).errors, CompiledNothing());
  server_->TakeRequests();
  options.push_back("--extra-module=" + further_modules.back());
  EXPECT_THAT(RunOn("9", options).errors, CompiledNothing());
  EXPECT_THAT(server_->TakeRequests(), SizeIs(2));
}

TEST_F(SharedCacheTest, ServerThatFailsIsAWarningAndTheProgramRuns) {
  std::filesystem::remove_all(Home("3"));
  std::vector<std::string> options = Shared();
  options[2] = "--object-cache-setting=read-only=yes";
  const testing::ProcessResult refused = RunOn("3", options);
  EXPECT_THAT(refused.output, EndsWith("done\n"));
  EXPECT_THAT(refused.errors,
              AllOf(HasSubstr("firstcall: warning: object cache 'https://localhost:"),
                    HasSubstr("is not used: HTTP status 403")));
}

TEST_F(SharedCacheTest, WhatADirectoryHasCanBePushed) {
  for (const char* machine : {"4", "5"}) std::filesystem::remove_all(Home(machine));
  RunOn("4", {});
  std::vector<std::string> push = Shared();
  push.pop_back();  // Another option has the budget here.
  push.insert(push.begin(), {command_path, "cache", "push", "--object-cache-dir=" + Home("4")});
  const testing::ProcessResult pushed = testing::RunProcess(push);
  EXPECT_EQ(pushed.exit_status, 0);
  EXPECT_EQ(pushed.errors, "");
  EXPECT_THAT(pushed.output, HasSubstr(".pack was sent\n"));
  EXPECT_THAT(RunOn("5", Shared()).errors, CompiledNothing());

  const std::vector<std::string> nowhere = {command_path, "cache", "push",
                                            "--object-cache-dir=" + Home("4")};
  EXPECT_EQ(testing::RunProcess(nowhere).errors,
            "firstcall: push where? Give --object-cache=URL\n");
  server_->Kill();
  const testing::ProcessResult failed = testing::RunProcess(push);
  EXPECT_EQ(failed.exit_status, 1);
  EXPECT_THAT(failed.errors,
              AllOf(HasSubstr("object cache 'https://localhost:"), HasSubstr("is not used: ")));
}

TEST_F(SharedCacheTest, WhatAServerHasForAProgramIsListedVerifiedAndPulled) {
  for (const char* machine : {"6", "7"}) std::filesystem::remove_all(Home(machine));
  RunOn("6", Shared());
  const auto ask = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {command_path, "cache"});
    for (const std::string& option : Shared()) {
      if (!absl::StartsWith(option, "--object-cache-budget")) arguments.push_back(option);
    }
    arguments.push_back("--object-cache-dir=" + Home("7"));
    arguments.push_back(program);
    return testing::RunProcess(arguments);
  };
  const testing::ProcessResult listed = ask({"list"});
  EXPECT_EQ(listed.errors, "");
  EXPECT_THAT(listed.output,
              ContainsRegex("^ac/[0-9a-f]+ +[0-9]+ entries, [0-9]+ optimized +[0-9]+ bytes  "));
  EXPECT_FALSE(std::filesystem::exists(Home("7")));
  EXPECT_THAT(ask({"verify"}).output, ContainsRegex("^ac/[0-9a-f]+ is sound: [0-9]+ entries\n$"));
  const testing::ProcessResult pulled = ask({"pull"});
  EXPECT_EQ(pulled.exit_status, 0);
  EXPECT_EQ(pulled.errors, "");
  EXPECT_THAT(pulled.output, ContainsRegex("^[0-9]+ entries came for "));
  // The home has all that a run needs, and the server is not asked.
  EXPECT_THAT(RunOn("7", {}).errors, CompiledNothing());

  const testing::ProcessResult other = ask({"list", "--object-cache-key=name=other"});
  EXPECT_EQ(other.exit_status, 1);
  EXPECT_THAT(other.errors, HasSubstr("has nothing for"));
  for (const std::string& file : server_->Files()) {
    if (!absl::StrContains(file, "/cas/")) continue;
    // The last byte is in an entry.
    std::fstream pack(file, std::ios::in | std::ios::out | std::ios::ate);
    const auto last = static_cast<std::streamoff>(pack.tellg()) - 1;
    pack.seekg(last);
    const auto byte = static_cast<char>(pack.get() ^ 1);
    pack.seekp(last);
    pack.put(byte);
  }
  const testing::ProcessResult damaged = ask({"verify"});
  EXPECT_EQ(damaged.exit_status, 1);
  EXPECT_THAT(damaged.errors, HasSubstr("is damaged, or could not be fetched"));

  server_->Kill();
  for (const char* verb : {"list", "verify", "pull"}) {
    const testing::ProcessResult unreachable = ask({verb});
    EXPECT_EQ(unreachable.exit_status, 1);
    EXPECT_EQ(unreachable.output, "");
    // The reason, and nothing else.
    EXPECT_THAT(unreachable.errors,
                MatchesRegex("firstcall: object cache '[^']*' is not used: [^\n]*\n"));
  }

  const std::string url = "--object-cache=" + server_->Url();
  EXPECT_THAT(testing::RunProcess({command_path, "cache", "pull", program}).errors,
              HasSubstr("pull from where?"));
  EXPECT_THAT(testing::RunProcess({command_path, "cache", "verify", url}).errors,
              HasSubstr("for which program?"));
  EXPECT_THAT(testing::RunProcess({command_path, "cache", "push", url, "--mcpu=x"}).errors,
              HasSubstr("unknown option '--mcpu=x'"));
}

TEST_F(SharedCacheTest, ManyMachinesStartAtOnce) {
  constexpr int kMachines = 6;
  for (const bool is_filled : {false, true}) {
    std::vector<std::thread> machines;
    std::vector<testing::ProcessResult> results(kMachines);
    for (int i = 0; i < kMachines; ++i) {
      std::filesystem::remove_all(Home(absl::StrCat("many", i)));
      machines.emplace_back([&, i] { results[i] = RunOn(absl::StrCat("many", i), Shared()); });
    }
    for (std::thread& machine : machines) machine.join();
    for (const testing::ProcessResult& result : results) {
      EXPECT_THAT(result.output, EndsWith("done\n"));
      EXPECT_THAT(result.errors, Not(HasSubstr("warning")));
      if (is_filled) {
        EXPECT_THAT(result.errors, CompiledNothing());
      }
    }
  }
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc < 5) return 2;
  firstcall::command_path = argv[1];
  firstcall::program = argv[2];
  firstcall::has_two_programs = std::string(argv[3]) == "static";
  firstcall::further_modules.assign(argv + 4, argv + argc);
  return RUN_ALL_TESTS();
}
