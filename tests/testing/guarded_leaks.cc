// For tests of fatal errors inside LLVM: what an error leaves half done is abandoned, which the
// leak checker must know. To be linked in whole.

extern "C" const char* __lsan_default_suppressions() {
  return "leak:firstcall::RunGuarded\nleak:firstcall::ObjectEmitter\nleak:firstcall::McjitLinker\n";
}
