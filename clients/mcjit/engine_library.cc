#include "clients/mcjit/engine_library.h"

#include "clients/mcjit/constructor.h"

extern "C" __attribute__((visibility("default"))) firstcall::ErasedConstructor
firstcall_mcjit_engine(firstcall::ErasedConstructor mcjits_own) {
  firstcall::SetMcjitsOwn(reinterpret_cast<firstcall::McjitConstructor>(mcjits_own));
  return reinterpret_cast<firstcall::ErasedConstructor>(&firstcall::ConstructEngine);
}
