// The arguments of an ifunc's resolver, as the C library passes them: on AArch64 the capabilities
// of the CPU (sys/ifunc.h). On x86-64 the C library passes none, and these do no harm.
//
// Thread-safe. Tested in tests/programs/ir/ifuncs.ll.

#ifndef FIRSTCALL_RUNTIME_LINK_IFUNC_ARGUMENT_H_
#define FIRSTCALL_RUNTIME_LINK_IFUNC_ARGUMENT_H_

#include <sys/auxv.h>

#include <cstdint>

namespace firstcall {

struct IFuncArgument {
  uint64_t size;
  uint64_t hwcap;
  uint64_t hwcap2;
};

// Calls `function` with a resolver's arguments.
template <typename Result>
Result CallWithIFuncArguments(Result (*function)(uint64_t, const IFuncArgument*)) {
  constexpr uint64_t kHasArgument = uint64_t{1} << 62;
  static const IFuncArgument argument = {sizeof(IFuncArgument), getauxval(AT_HWCAP),
                                         getauxval(AT_HWCAP2)};
  return function(argument.hwcap | kHasArgument, &argument);
}

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_IFUNC_ARGUMENT_H_
