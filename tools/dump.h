// What the command prints of the code that it compiles (-orc-lazy-debug).

#ifndef FIRSTCALL_TOOLS_DUMP_H_
#define FIRSTCALL_TOOLS_DUMP_H_

namespace firstcall {

enum class Dump {
  kNothing,
  kFunctions,        // "[ f g ]" for each compiled module, on standard output.
  kModules,          // The IR of each compiled module, on standard output.
  kModuleFiles,      // The IR of each, in a file named after the module in the working directory.
  kDebugDescriptor,  // The address of each entry in the debugger's list, on standard error.
  kDebugObjects,     // The object of each entry, on standard output.
};

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_DUMP_H_
