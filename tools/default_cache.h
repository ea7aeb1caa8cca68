// Where the command keeps what it compiles if the user does not say. Tested in
// tests/command/default_cache_test.cc.

#ifndef FIRSTCALL_TOOLS_DEFAULT_CACHE_H_
#define FIRSTCALL_TOOLS_DEFAULT_CACHE_H_

#include <string>

namespace firstcall {

struct CacheChoice {
  std::string directory;  // Empty: there is no cache.
  // The user has named the directory: that it cannot be used is an error.
  bool is_chosen = false;
};

// The directory that $FIRSTCALL_CACHE names ("off": none); otherwise `firstcall` in
// $XDG_CACHE_HOME or, without that, in ~/.cache. None if there is no home, or if this process has
// the rights of another user than the one who has started it.
CacheChoice ChooseCache();

// How much the directory may take if the user does not say: 1 GiB, three quarters of the free
// space, and no packs that were not used for a week.
extern const char kDefaultCachePolicy[];

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_DEFAULT_CACHE_H_
