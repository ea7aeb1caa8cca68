#include <cerrno>
#include <mutex>  // std::call_once

#include "stubs/reentry.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

extern "C" {

// Called by the reentry's assembly. What the program's thread has in errno, and between the two
// halves of a std::call_once in libstdc++'s two thread-local variables, belongs to the program,
// which has called a function and not a compiler; compiling uses both.
__attribute__((visibility("hidden"))) uint64_t firstcall_reentry_resolve(
    firstcall::ReentryContext* context, uint64_t index) {
  const int saved_errno = errno;
#if defined(_GLIBCXX_HAVE_TLS)
  void* const saved_callable = std::__once_callable;
  void (*const saved_call)() = std::__once_call;
#endif
  const firstcall::ExecutorAddress target = context->resolve(*context, index);
#if defined(_GLIBCXX_HAVE_TLS)
  std::__once_callable = saved_callable;
  std::__once_call = saved_call;
#endif
  errno = saved_errno;
  return target.value();
}

#if defined(__x86_64__)
// Read by reentry_x86_64.S. Constant after InitializeReentry.
__attribute__((visibility("hidden"))) uint64_t firstcall_reentry_save_size = 512;  // FXSAVE's.
__attribute__((visibility("hidden"))) uint32_t firstcall_reentry_save_mask = 0;
// All exceptions masked, round to nearest (psABI 3.2.1).
__attribute__((visibility("hidden"))) uint32_t firstcall_reentry_default_mxcsr = 0x1f80;
#endif

}  // extern "C"

namespace firstcall {
namespace {

#if defined(__x86_64__)
// State components of XSAVE (Intel SDM volume 1, 13.1) that can hold an argument: x87, SSE, AVX,
// the three of AVX-512, APX. Not MPX, PKRU or the AMX tiles, which no calling convention uses.
constexpr uint32_t kArgumentComponents =
    1u << 0 | 1u << 1 | 1u << 2 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 19;
constexpr uint64_t kLegacyAndHeaderSize = 512 + 64;

uint32_t EnabledComponents() {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

// The standard (not compacted) layout: each component has a fixed place (SDM volume 1, 13.4.3).
void MeasureSaveArea() {
  uint32_t eax, ebx, ecx, edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & bit_OSXSAVE) == 0) return;
  const uint32_t mask = EnabledComponents() & kArgumentComponents;
  uint64_t size = kLegacyAndHeaderSize;
  for (uint32_t component = 2; component < 32; ++component) {
    if ((mask & (1u << component)) == 0) continue;
    __cpuid_count(0xd, component, eax, ebx, ecx, edx);
    const uint64_t end = uint64_t{ebx} + eax;  // Its offset and its size.
    if (end > size) size = end;
  }
  firstcall_reentry_save_size = size;
  firstcall_reentry_save_mask = mask;
}
#else
void MeasureSaveArea() {}
#endif

}  // namespace

void InitializeReentry() {
  static const bool measured = [] {
    MeasureSaveArea();
    return true;
  }();
  (void)measured;
}

}  // namespace firstcall
