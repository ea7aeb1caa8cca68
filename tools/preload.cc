// The environment of the second start is that of the first one, and in addition
//
//   LD_PRELOAD=...                 what it was, and the libraries
//   FIRSTCALL_LD_PRELOAD=...       what it was, if there was one
//   FIRSTCALL_PRELOADED_IN=N       this process, so that nobody else takes the rest for theirs
//   FIRSTCALL_ARGUMENT=...         once for each argument of the command
//
// LD_PRELOAD is put right before the constructors of the libraries run, which may start other
// processes. The rest is removed in main: until then the vector keeps its length, because what is
// behind it in memory is found by its end.

#include "tools/preload.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tools/variant.h"

#if defined(__clang__)
#define FIRSTCALL_NOT_INSTRUMENTED __attribute__((disable_sanitizer_instrumentation))
#else
#define FIRSTCALL_NOT_INSTRUMENTED
#endif

namespace firstcall {
namespace {

constexpr char kPreload[] = "LD_PRELOAD=";
constexpr char kOwnPrefix[] = "FIRSTCALL_";
constexpr char kPreloadBefore[] = "FIRSTCALL_LD_PRELOAD=";
constexpr char kMark[] = "FIRSTCALL_PRELOADED_IN=";
constexpr char kArgument[] = "FIRSTCALL_ARGUMENT=";

bool has_preloaded = false;
CommandArguments taken;

// These four run before the constructors of anything, sanitizers included.
FIRSTCALL_NOT_INSTRUMENTED bool Begins(const char* text, const char* prefix) {
  while (*prefix != '\0' && *text == *prefix) ++text, ++prefix;
  return *prefix == '\0';
}

FIRSTCALL_NOT_INSTRUMENTED char** Find(char** environment, const char* prefix) {
  while (*environment != nullptr && !Begins(*environment, prefix)) ++environment;
  return *environment == nullptr ? nullptr : environment;
}

FIRSTCALL_NOT_INSTRUMENTED bool IsForThisProcess(const char* mark) {
  pid_t process = 0;
  for (mark += sizeof(kMark) - 1; *mark >= '0' && *mark <= '9'; ++mark) {
    process = 10 * process + (*mark - '0');
  }
  return process == getpid();
}

FIRSTCALL_NOT_INSTRUMENTED void HidePreload(int, char**, char** environment) {
  char** const preload = Find(environment, kPreload);
  char** const mark = Find(environment, kMark);
  if (preload == nullptr || mark == nullptr || !IsForThisProcess(*mark)) return;
  char** const before = Find(environment, kPreloadBefore);
  *preload = before == nullptr ? *mark : *before + (sizeof(kOwnPrefix) - 1);
}

// Run by the dynamic linker in front of all constructors (System V ABI, "Initialization and
// Termination Functions").
__attribute__((section(".preinit_array"), used)) void (*const hide_preload)(int, char**,
                                                                            char**) = &HidePreload;

// LD_PRELOAD has no way to write such names. A file that is not there is reported by who loads it.
bool CanBePreloaded(const std::string& library) {
  if (library.empty() || library.find_first_of(": \t\n") != std::string::npos) return false;
  return !absl::StrContains(library, '/') || access(library.c_str(), R_OK) == 0;
}

std::vector<char*> PointersTo(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> EnvironmentWith(absl::Span<const std::string> libraries) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    // The user's own entries of that name would be taken for arguments.
    if (absl::StartsWith(*entry, kPreload) || absl::StartsWith(*entry, kArgument)) continue;
    environment.emplace_back(*entry);
  }
  std::string preload = absl::StrJoin(libraries, ":");
  if (const char* const before = std::getenv("LD_PRELOAD")) {
    environment.push_back(absl::StrCat(kPreloadBefore, before));
    preload = absl::StrCat(before, ":", preload);
  }
  environment.push_back(absl::StrCat(kPreload, preload));
  environment.push_back(absl::StrCat(kMark, getpid()));
  for (int i = 0; i < taken.count; ++i) {
    environment.push_back(absl::StrCat(kArgument, taken.values[i]));
  }
  return environment;
}

}  // namespace

CommandArguments TakeCommandArguments(int argc, char** argv) {
  taken = {argc, argv};
  char** const mark = Find(environ, kMark);
  if (mark == nullptr) return taken;
  has_preloaded = IsForThisProcess(*mark);
  auto* const own = new std::vector<char*>;  // As long as the process.
  char** kept = environ;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (absl::StartsWith(*entry, kArgument)) {
      own->push_back(*entry + std::strlen(kArgument));
    } else if (!absl::StartsWith(*entry, kMark) && !absl::StartsWith(*entry, kPreloadBefore)) {
      *kept++ = *entry;
    }
  }
  *kept = nullptr;
  if (!has_preloaded) return taken;
  taken.count = static_cast<int>(own->size());
  own->push_back(nullptr);
  taken.values = own->data();
  return taken;
}

bool HasPreloaded() { return has_preloaded; }

void Preload(absl::string_view reason, absl::Span<const std::string> libraries,
             absl::Span<const std::string> program) {
  if (has_preloaded || libraries.empty()) return;
  for (const std::string& library : libraries) {
    if (!CanBePreloaded(library)) return;
  }
  std::vector<std::string> arguments(program.begin(), program.end());
  MarkForLlvm(reason);
  std::vector<std::string> environment = EnvironmentWith(libraries);
  execve(PathOfProgramWithLlvm().c_str(), PointersTo(arguments).data(),
         PointersTo(environment).data());
  RemoveMarks();
}

}  // namespace firstcall
