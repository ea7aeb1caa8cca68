// What an ifunc's resolver is called with, as the C library does it: on AArch64 the capabilities of
// the CPU (sys/ifunc.h), on x86-64 nothing, so that what is passed does no harm.
//
// Immutable after the first call.

#ifndef FIRSTCALL_ENGINE_IFUNC_ARGUMENT_H_
#define FIRSTCALL_ENGINE_IFUNC_ARGUMENT_H_

#include <sys/auxv.h>

#include <cstdint>

namespace firstcall {

struct IFuncArgument {
  uint64_t size;
  uint64_t hwcap;
  uint64_t hwcap2;
};

// Calls `function` as a resolver is called.
template <typename Result>
Result CallWithIFuncArguments(Result (*function)(uint64_t, const IFuncArgument*)) {
  constexpr uint64_t kHasArgument = uint64_t{1} << 62;
  static const IFuncArgument argument = {sizeof(IFuncArgument), getauxval(AT_HWCAP),
                                         getauxval(AT_HWCAP2)};
  return function(argument.hwcap | kHasArgument, &argument);
}

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_IFUNC_ARGUMENT_H_
