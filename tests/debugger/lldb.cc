#include "tests/debugger/lldb.h"

#include <unistd.h>

#include <fstream>

#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

// The debugger that is installed, of any version (Debian has one at a time); null if there is none.
const char* Lldb() {
  for (const char* path : {"/usr/bin/lldb-19", "/usr/bin/lldb-22"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return nullptr;
}

}  // namespace

std::string RunLldb(const std::vector<std::string>& commands,
                    const std::vector<std::string>& arguments) {
  const std::string script = ::testing::TempDir() + "/commands.lldb";
  std::ofstream file(script);
  // The command without LLVM becomes the one with LLVM, by exec.
  for (const char* setting :
       {"plugin.jit-loader.gdb.enable on", "target.process.stop-on-exec false"}) {
    file << "settings set " << setting << "\n";
  }
  for (const std::string& command : commands) file << command << "\n";
  file << "quit\n";
  file.close();
  std::vector<std::string> command = {Lldb(), "--no-lldbinit", "--batch", "--source", script, "--"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const testing::ProcessResult result = testing::RunProcess(command);
  return result.output + result.errors;
}

std::string WhyNoLldb() {
  if (IsEmulated()) return "an emulated process cannot be debugged from inside the emulator";
  if (Lldb() == nullptr) return "there is no LLDB (Debian package lldb-19)";
  const std::string output = RunLldb({"run"}, {"/bin/true"});
  return output.find("exited with status = 0") == std::string::npos
             ? "lldb cannot debug here (ptrace): " + output
             : "";
}

}  // namespace firstcall
