// Functions as bytes, for memory that no compiler is behind.

#ifndef FIRSTCALL_TESTS_MEMORY_MACHINE_CODE_H_
#define FIRSTCALL_TESTS_MEMORY_MACHINE_CODE_H_

#include <string>

namespace firstcall {

// The body of `int f(const int* until)`. All can be put anywhere, at a multiple of four.
#if defined(__x86_64__)
// mov eax, 42; ret
inline const std::string kReturns42("\xb8\x2a\0\0\0\xc3", 6);
// mov eax, 43; ret
inline const std::string kReturns43("\xb8\x2b\0\0\0\xc3", 6);
// 0: cmp dword ptr [rdi], 0; je 0; mov eax, 7; ret
inline const std::string kWaitsAndReturns7("\x83\x3f\0\x74\xfb\xb8\x07\0\0\0\xc3", 11);
#elif defined(__aarch64__)
// mov w0, 42; ret
inline const std::string kReturns42("\x40\x05\x80\x52\xc0\x03\x5f\xd6", 8);
// mov w0, 43; ret
inline const std::string kReturns43("\x60\x05\x80\x52\xc0\x03\x5f\xd6", 8);
// 0: ldar w1, [x0]; cbz w1, 0; mov w0, 7; ret
inline const std::string kWaitsAndReturns7(
    "\x01\xfc\xdf\x88\xe1\xff\xff\x34\xe0\0\x80\x52\xc0\x03\x5f\xd6", 16);
#else
#error "no machine code for this processor"
#endif

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_MEMORY_MACHINE_CODE_H_
