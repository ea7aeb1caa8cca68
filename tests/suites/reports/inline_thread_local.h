// A thread-local variable that two files define: https://github.com/llvm/llvm-project/pull/207161
#pragma once

struct Depth {
  static inline thread_local int value = 21;
};

inline int* DepthAddress() { return &Depth::value; }

int* OtherDepthAddress();
