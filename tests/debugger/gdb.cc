#include "tests/debugger/gdb.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

constexpr char kGdb[] = "/usr/bin/gdb";

}  // namespace

std::string RunGdb(const std::vector<std::string>& commands,
                   const std::vector<std::string>& arguments) {
  const std::string script = ::testing::TempDir() + "/commands.gdb";
  std::ofstream file(script);
  for (const char* setting : {"set breakpoint pending on", "set width 0", "set confirm off",
                              "set debuginfod enabled off"}) {
    file << setting << "\n";
  }
  for (const std::string& command : commands) file << command << "\n";
  file.close();
  std::vector<std::string> command = {kGdb, "-q", "-nx", "-batch", "-x", script};
  if (!arguments.empty()) command.push_back("--args");
  command.insert(command.end(), arguments.begin(), arguments.end());
  const testing::ProcessResult result = testing::RunProcess(command);
  return result.output + result.errors;
}

std::string WhyNoGdb() {
  if (IsEmulated()) return "an emulated process cannot be debugged from inside the emulator";
  if (access(kGdb, X_OK) != 0) return "there is no gdb";
  const std::string output = RunGdb({"run"}, {"/bin/true"});
  return output.find("exited normally") == std::string::npos
             ? "gdb cannot debug here (ptrace): " + output
             : "";
}

std::string WhyNoCalls() {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string output = RunGdb({"break main", "run", "print (int)toupper(97)"}, {program});
  return output.find("$1 = 65") == std::string::npos
             ? "gdb cannot call functions of any program here: " + output
             : "";
}

}  // namespace firstcall
