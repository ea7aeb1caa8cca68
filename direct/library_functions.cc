#include "direct/library_functions.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "ir/type.h"

namespace firstcall::direct {
namespace {

struct LibraryFunction {
  absl::string_view name;
  // A letter for the result, one for each parameter, and a dot if there may be further arguments:
  //   v void, p a pointer, i i32, l i64, L an integer of 32 bits or more, x an integer,
  //   f float, d double, F a floating-point number
  absl::string_view type;
  uint32_t forgotten;  // A bit for each parameter.
};

// Ordered by name. What LLVM 19 knows of the C library of Linux, on x86-64 and on AArch64.
constexpr LibraryFunction kFunctions[] = {
    {"_IO_getc", "ip", 1},
    {"_IO_putc", "iip", 2},
    {"__isoc99_scanf", "ip.", 1},
    {"__isoc99_sscanf", "ipp.", 3},
    {"__memcpy_chk", "pppll", 2},
    {"__strdup", "pp", 1},
    {"__strndup", "ppl", 1},
    {"__strtok_r", "pppp", 2},
    {"access", "ipi", 1},
    {"atof", "dp", 1},
    {"atoi", "ip", 1},
    {"atol", "Lp", 1},
    {"atoll", "lp", 1},
    {"bcmp", "ippl", 3},
    {"bcopy", "vppl", 3},
    {"bzero", "vpl", 1},
    {"chmod", "ipx", 1},
    {"chown", "ipxx", 1},
    {"clearerr", "vp", 1},
    {"closedir", "ip", 1},
    {"ctermid", "pp", 1},
    {"fclose", "ip", 1},
    {"fdopen", "pip", 2},
    {"feof", "ip", 1},
    {"ferror", "ip", 1},
    {"fflush", "ip", 1},
    {"fgetc", "ip", 1},
    {"fgetc_unlocked", "ip", 1},
    {"fgetpos", "ipp", 3},
    {"fgets", "ppip", 4},
    {"fgets_unlocked", "ppip", 4},
    {"fileno", "ip", 1},
    {"flockfile", "vp", 1},
    {"fopen", "ppp", 3},
    {"fopen64", "ppp", 3},
    {"fprintf", "ipp.", 3},
    {"fputc", "iip", 2},
    {"fputc_unlocked", "iip", 2},
    {"fputs", "ipp", 3},
    {"fputs_unlocked", "ipp", 3},
    {"fread", "lpllp", 9},
    {"fread_unlocked", "lpllp", 9},
    {"free", "vp", 1},
    {"frexp", "ddp", 2},
    {"frexpf", "ffp", 2},
    {"frexpl", "FFp", 2},
    {"fscanf", "ipp.", 3},
    {"fseek", "ipLi", 1},
    {"fseeko", "ipxi", 1},
    {"fseeko64", "ipli", 1},
    {"fsetpos", "ipp", 1},
    {"fstat", "iip", 2},
    {"fstat64", "iip", 2},
    {"fstatvfs", "iip", 2},
    {"fstatvfs64", "iip", 2},
    {"ftell", "Lp", 1},
    {"ftello", "Lp", 1},
    {"ftello64", "lp", 1},
    {"ftrylockfile", "ip", 1},
    {"funlockfile", "vp", 1},
    {"fwrite", "lpllp", 9},
    {"fwrite_unlocked", "lpllp", 9},
    {"getc", "ip", 1},
    {"getc_unlocked", "ip", 1},
    {"getenv", "pp", 1},
    {"getitimer", "iip", 2},
    {"getlogin_r", "ipl", 1},
    {"getpwnam", "pp", 1},
    {"gettimeofday", "ipp", 3},
    {"lchown", "ipxx", 1},
    {"lstat", "ipp", 3},
    {"lstat64", "ipp", 3},
    {"memccpy", "pppil", 2},
    {"memcmp", "ippl", 3},
    {"memcpy", "pppl", 2},
    {"memmove", "pppl", 2},
    {"mempcpy", "pppl", 2},
    {"mkdir", "ipx", 1},
    {"mktime", "Lp", 1},
    {"modf", "ddp", 2},
    {"modff", "ffp", 2},
    {"modfl", "FFp", 2},
    {"open", "ipi.", 1},
    {"open64", "ipi.", 1},
    {"opendir", "pp", 1},
    {"pclose", "ip", 1},
    {"perror", "vp", 1},
    {"popen", "ppp", 3},
    {"pread", "liplL", 2},
    {"printf", "ip.", 1},
    {"putc", "iip", 2},
    {"putc_unlocked", "iip", 2},
    {"puts", "ip", 1},
    {"pwrite", "liplL", 2},
    {"qsort", "vpllp", 8},
    {"read", "lipl", 2},
    {"readlink", "lppl", 3},
    {"realloc", "ppl", 1},
    {"reallocf", "ppl", 1},
    {"realpath", "ppp", 1},
    {"remove", "ip", 1},
    {"remquo", "dddp", 4},
    {"remquof", "fffp", 4},
    {"remquol", "FFFp", 4},
    {"rename", "ipp", 3},
    {"rewind", "vp", 1},
    {"rmdir", "ip", 1},
    {"scanf", "ip.", 1},
    {"setbuf", "vpp", 1},
    {"setitimer", "iipp", 6},
    {"setvbuf", "ippil", 1},
    {"snprintf", "iplp.", 5},
    {"sprintf", "ipp.", 3},
    {"sscanf", "ipp.", 3},
    {"stat", "ipp", 3},
    {"stat64", "ipp", 3},
    {"statvfs", "ipp", 3},
    {"statvfs64", "ipp", 3},
    {"stpcpy", "ppp", 2},
    {"stpncpy", "pppl", 2},
    {"strcasecmp", "ipp", 3},
    {"strcat", "ppp", 2},
    {"strcmp", "ipp", 3},
    {"strcoll", "ipp", 3},
    {"strcpy", "ppp", 2},
    {"strcspn", "lpp", 3},
    {"strdup", "pp", 1},
    {"strlen", "lp", 1},
    {"strncasecmp", "ippl", 3},
    {"strncat", "pppl", 2},
    {"strncmp", "ippl", 3},
    {"strncpy", "pppl", 2},
    {"strndup", "ppl", 1},
    {"strnlen", "lpl", 1},
    {"strpbrk", "ppp", 2},
    {"strspn", "lpp", 3},
    {"strstr", "ppp", 2},
    {"strtod", "dpp", 2},
    {"strtof", "fpp", 2},
    {"strtok", "ppp", 2},
    {"strtok_r", "pppp", 2},
    {"strtol", "Lppi", 2},
    {"strtold", "Fpp", 2},
    {"strtoll", "lppi", 2},
    {"strtoul", "Lppi", 2},
    {"strtoull", "lppi", 2},
    {"strxfrm", "lppl", 3},
    {"system", "ip", 1},
    {"times", "Lp", 1},
    {"uname", "ip", 1},
    {"ungetc", "iip", 2},
    {"unlink", "ip", 1},
    {"unsetenv", "ip", 1},
    {"utime", "ipp", 3},
    {"utimes", "ipp", 3},
    {"vfprintf", "ippp", 3},
    {"vfscanf", "ippp", 3},
    {"vprintf", "ipp", 1},
    {"vscanf", "ipp", 1},
    {"vsnprintf", "iplpp", 5},
    {"vsprintf", "ippp", 3},
    {"vsscanf", "ippp", 3},
    {"wcslen", "lp", 1},
    {"write", "lipl", 2},
};

bool Matches(const ir::Type& type, char letter) {
  switch (letter) {
    case 'v':
      return type.IsVoid();
    case 'p':
      return type.IsPointer();
    case 'i':
      return type.IsInteger(32);
    case 'l':
      return type.IsInteger(64);
    case 'L':
      return type.IsInteger() && type.number >= 32;
    case 'x':
      return type.IsInteger();
    case 'f':
      return type.IsFloat();
    case 'd':
      return type.IsDouble();
    default:
      return type.IsFloatingPoint();
  }
}

bool HasType(const ir::Type& function, absl::string_view type) {
  if (function.is_variadic != absl::ConsumeSuffix(&type, ".")) return false;
  const absl::Span<const ir::Type* const> types = function.contained;
  if (types.size() != type.size()) return false;
  for (size_t i = 0; i < types.size(); ++i) {
    if (!Matches(*types[i], type[i])) return false;
  }
  return true;
}

}  // namespace

uint32_t ForgottenParameters(const ir::Global& function) {
  if (!function.is_declaration()) return 0;
  absl::string_view name = function.name;
  absl::ConsumePrefix(&name, "\1");
  const auto* const found = std::lower_bound(
      std::begin(kFunctions), std::end(kFunctions), name,
      [](const LibraryFunction& known, absl::string_view wanted) { return known.name < wanted; });
  if (found == std::end(kFunctions) || found->name != name) return 0;
  return HasType(*function.value_type(), found->type) ? found->forgotten : 0;
}

}  // namespace firstcall::direct
