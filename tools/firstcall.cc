// The command: options in, an engine run, an exit status out. No logic of its own.

#include "tools/command_line.h"
#include "tools/run_program.h"

int main(int argc, char** argv) {
  return firstcall::RunProgram(firstcall::ParseCommandLine(argc, argv));
}
