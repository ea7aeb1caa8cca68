// Two files define the same thread-local variable that is not zero, as an inline variable of C++:
// https://github.com/llvm/llvm-project/pull/207161
//
// flags: -std=c++17
// also: inline_thread_local_other.cc
#include "inline_thread_local.h"

#include <cstdio>
#include <thread>

int main() {
  ++*OtherDepthAddress();
  std::thread([] {
    *DepthAddress() += 5;
    std::printf("%d %d\n", *DepthAddress(), *OtherDepthAddress());
  }).join();
  std::printf("%d %d\n", *DepthAddress(), DepthAddress() == OtherDepthAddress());
  return 0;
}
