// What any process that links LLVM takes to start and to end.

#include "llvm-c/Core.h"

int main() {
  unsigned major = 0;
  LLVMGetVersion(&major, nullptr, nullptr);
  return major == 0 ? 1 : 0;
}
