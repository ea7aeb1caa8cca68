// Removes old files from the directory of a cache, by a policy that is written as LLVM's LTO writes
// its own (https://clang.llvm.org/docs/ThinLTO.html#cache-pruning).
//
// Thread-safe: pure functions. Any number of processes may prune the same directory.

#ifndef FIRSTCALL_CACHE_PRUNING_H_
#define FIRSTCALL_CACHE_PRUNING_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace firstcall {

// Only files whose names begin with this are removed. It is the prefix of LLVM's LTO caches.
inline constexpr absl::string_view kPrunedPrefix = "llvmcache-";

// The time of this file's last modification is the time of the last pruning. LLVM's pruning, which
// earlier versions used, has the same file.
inline constexpr char kPruningTimestampName[] = "llvmcache.timestamp";

// When which files are removed. The default values are LLVM's.
struct PruningPolicy {
  // The time from one pruning to the next. Zero: prune whenever asked to.
  absl::Duration interval = absl::Minutes(20);
  // Files whose time of last access is longer ago are removed. Zero: none is too old.
  absl::Duration expiration = absl::Hours(7 * 24);
  // How much all files together may take of the space that would be free without them, at most 100.
  // Zero: any part of it.
  unsigned most_percent = 75;
  // How many bytes all files together may have. Zero: any number.
  uint64_t most_bytes = 0;
  // How many files there may be. Zero: any number.
  uint64_t most_files = 1000000;

  // Reads settings KEY=VALUE, separated by colons; what is not set keeps its default value.
  //
  //   prune_interval    `interval`: a number and one of the units s, m, h
  //   prune_after       `expiration`, in the same form
  //   cache_size        `most_percent`: a number and %
  //   cache_size_bytes  `most_bytes`: a number, or a number and one of k, m, g (powers of 1024)
  //   cache_size_files  `most_files`: a number
  //
  // Numbers are decimal, without sign. The units of bytes may be capital letters, too.
  //
  // InvalidArgument, with the setting and the reason, if a setting does not have that form.
  static absl::StatusOr<PruningPolicy> Parse(absl::string_view text);
};

// Removes files of `directory` (an open file descriptor) by `policy`: first those that have
// expired, then, as long as there are too many or they are too large, the one whose last access is
// the longest ago. Does nothing if the last pruning was not yet `policy.interval` ago, or if the
// policy sets no limit. Leaves alone what is not a regular file, and what it cannot remove.
// Unavailable, with the system's reason, if the directory or its file system cannot be examined.
absl::Status Prune(int directory, const PruningPolicy& policy);

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_PRUNING_H_
