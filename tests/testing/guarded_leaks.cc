// For tests of fatal errors inside LLVM: what an error leaves half done is abandoned, which the
// leak checker must know. It sees who allocated only where stack frames can be told apart, which
// LLVM's cannot; strings are what its reasons are made of. To be linked in whole.

extern "C" const char* __lsan_default_suppressions() {
  return "leak:firstcall::RunGuarded\nleak:libLLVM\nleak:_M_mutate\n";
}
