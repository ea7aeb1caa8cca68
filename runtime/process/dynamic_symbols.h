// `dlsym` and `dlvsym` as compiled code calls them. With RTLD_DEFAULT, and with what dlopen returns
// for the program itself, `dlsym` finds the program's own functions and variables first, as in a
// program that was linked with -rdynamic. RTLD_NEXT finds what comes behind them. Everything else
// is the C library's.
//
// Thread-safe. Tested in tests/programs/single/dynamic_symbols.c.

#ifndef FIRSTCALL_RUNTIME_PROCESS_DYNAMIC_SYMBOLS_H_
#define FIRSTCALL_RUNTIME_PROCESS_DYNAMIC_SYMBOLS_H_

#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "memory/executor_address.h"

namespace firstcall {

inline constexpr absl::string_view kDlsym = "dlsym";
inline constexpr absl::string_view kDlvsym = "dlvsym";

// The symbols of one engine's program.
class DynamicSymbols {
 public:
  enum class Where { kEverywhere, kBehindProgram };

  // What code of `library` means by `name`, hidden definitions left out. `is_thread_local`: the
  // address is that of the variable's descriptor. Null if nothing defines it.
  // Compiles no function, except together with a variable that cannot be separated from it.
  struct Found {
    ExecutorAddress address;
    bool is_thread_local = false;

    // The address in this process; of a thread-local variable, in the calling thread.
    void* InThisThread() const;
  };
  virtual Found FindDynamic(absl::string_view name, LibraryId library, Where where) = 0;

  // The third argument is the DsoHandle of the caller (ExitHandlers::MakeForwarder).
  static void* Dlsym(void* file, const char* name, void* dso_handle);
  static void* Dlvsym(void* file, const char* name, const char* version);

  // Whether `address` is the C library's function of that name (kDlsym or kDlvsym), and not that of
  // a library that wraps it.
  static bool IsOfCLibrary(ExecutorAddress address);

 protected:
  ~DynamicSymbols() = default;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_DYNAMIC_SYMBOLS_H_
