#include "clients/mcjit/install.h"

#include "clients/mcjit/constructor.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"

namespace firstcall {
namespace {

// The constructor is a protected member.
struct Access : llvm::ExecutionEngine {
  static McjitConstructor& Constructor() { return MCJITCtor; }
};

}  // namespace

bool InstallAsMcjit() {
  McjitConstructor& constructor = Access::Constructor();
  if (constructor == nullptr) return false;
  if (constructor == &ConstructEngine) return true;
  SetMcjitsOwn(constructor);
  constructor = &ConstructEngine;
  return true;
}

}  // namespace firstcall
