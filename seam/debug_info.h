// Whether compiled code has debug information: lines, variables and types, for debuggers and
// profilers. Tested in tests/api/debug_info_test.cc.

#ifndef FIRSTCALL_SEAM_DEBUG_INFO_H_
#define FIRSTCALL_SEAM_DEBUG_INFO_H_

namespace firstcall {

// Which of the debug information that a module has is kept in code and data. What is dropped leaves
// no trace: the code is that of a module without debug information.
enum class DebugInfo {
  // An engine chooses when it is created: kAlways if a debugger is listening then; kLines, or
  // kAlways if there is no baseline code generator for its code, if an event listener wants code
  // (EventListener::wants_code), because events then have lines; otherwise kNever. A compiler half,
  // which nobody has told what the engine chose, drops it.
  kAuto,
  kAlways,  // All. LLVM's code generator makes the functions and the data that have any.
  kNever,   // None.
  // That of functions, where LLVM's code generator makes them, because the baseline code generator
  // does not cover them, or because they are optimized. All other code and data are as with kNever;
  // Compiler::DescribeBodies finds the lines of that code.
  kLines,
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_DEBUG_INFO_H_
