#include "runtime/process_symbols.h"

#include <dlfcn.h>

#include <cstdlib>

namespace firstcall {

ExecutorAddress FindInProcess(const std::string& name) {
  if (void* address = dlsym(RTLD_DEFAULT, name.c_str())) return ExecutorAddress::Of(address);
  // Part of libc_nonshared.a.
  if (name == "atexit") return ExecutorAddress::Of(reinterpret_cast<const void*>(&std::atexit));
  return ExecutorAddress();
}

}  // namespace firstcall
