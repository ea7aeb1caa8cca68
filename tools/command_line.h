// The command's options. Options that LLVM's lli has, too, have its spelling and meaning. Tested in
// tests/command/command_test.cc.

#ifndef FIRSTCALL_TOOLS_COMMAND_LINE_H_
#define FIRSTCALL_TOOLS_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/options.h"
#include "tools/dump.h"
#include "tools/observation.h"

namespace firstcall {

struct CommandLine {
  EngineOptions engine;
  std::vector<LibraryFile> modules;  // The program's main module comes first.
  std::vector<std::string> objects;
  std::vector<LibraryFile> archives;
  bool prepares_all = false;  // Compile all functions before anything runs.
  std::string entry_function;
  std::vector<std::string> thread_entries;  // Functions to run on other threads at the same time.
  bool interpret = false;
  Dump dump = Dump::kNothing;
  std::vector<std::string> arguments;  // The program's argv.
  bool print_stats = false;
  ObservationOptions observation;
  std::string functions_file;  // Names the functions to precompile; empty: all functions.
  bool precompile_optimized = false;
  std::string hot_functions_file;  // Gets the names of functions that were hot; empty: none.
};

// Parses the command line with LLVM's parser. If an option does not exist, has a bad value or is
// refused by firstcall, prints a line to standard error and exits with status 1. To be called once,
// from main.
CommandLine ParseCommandLine(int argc, char** argv);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_COMMAND_LINE_H_
