// The command's options. Usage and spelling are those of LLVM's lli for every option both have.

#ifndef FIRSTCALL_TOOLS_COMMAND_LINE_H_
#define FIRSTCALL_TOOLS_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/options.h"

namespace firstcall {

struct CommandLine {
  EngineOptions engine;
  std::vector<LibraryFile> modules;  // The program first.
  std::vector<std::string> objects;
  std::vector<LibraryFile> archives;
  std::vector<std::string> libraries;  // To load into the process before anything runs.
  std::string entry_function;
  std::vector<std::string> thread_entries;  // Functions to run on threads of their own meanwhile.
  bool interpret = false;
  std::vector<std::string> arguments;  // The program's argv.
  bool print_stats = false;
  std::string functions_file;  // For precompiling: names what to compile; empty for everything.
};

// Parses the command line with LLVM's own parser. Prints a line to standard error and exits with
// status 1 for an option that does not exist, that has a bad value, or that firstcall refuses. To
// be called once, from main.
CommandLine ParseCommandLine(int argc, char** argv);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_COMMAND_LINE_H_
