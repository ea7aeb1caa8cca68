// `firstcall bench ...`: measures how long a program of the user takes, and how much memory, and
// compares that with lli and with an executable.

#ifndef FIRSTCALL_TOOLS_BENCH_COMMAND_H_
#define FIRSTCALL_TOOLS_BENCH_COMMAND_H_

#include <string>
#include <vector>

namespace firstcall {

// Runs the command with the arguments after the word `bench`, and returns its exit status: 0, or 1
// if it failed or a run of firstcall was not as that of the reference.
int RunBenchCommand(const std::vector<std::string>& arguments);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_BENCH_COMMAND_H_
