// Processes do not exclude each other. The one that prunes first touches the timestamp, so others
// rarely prune at the same time; if they do, a file that another process has removed counts as
// removed.

#include "cache/pruning.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/numeric/int128.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/status.h"

namespace firstcall {
namespace {

absl::StatusOr<uint64_t> ParseNumber(absl::string_view text) {
  uint64_t number = 0;
  // SimpleAtoi alone would allow blanks and a sign.
  if (!std::all_of(text.begin(), text.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(text, &number)) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is no number, or too large"));
  }
  return number;
}

absl::StatusOr<absl::Duration> ParseDuration(absl::string_view text) {
  absl::Duration unit;
  switch (text.empty() ? '\0' : text.back()) {
    case 's':
      unit = absl::Seconds(1);
      break;
    case 'm':
      unit = absl::Minutes(1);
      break;
    case 'h':
      unit = absl::Hours(1);
      break;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("'", text, "' is not a time, a number with the unit s, m or h"));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t number, ParseNumber(text.substr(0, text.size() - 1)));
  // Durations saturate, so a very large number means forever.
  return unit *
         static_cast<int64_t>(std::min<uint64_t>(number, std::numeric_limits<int64_t>::max()));
}

absl::StatusOr<unsigned> ParsePercentage(absl::string_view text) {
  if (!absl::EndsWith(text, "%")) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not a percentage"));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t number, ParseNumber(text.substr(0, text.size() - 1)));
  if (number > 100) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is more than 100%"));
  }
  return static_cast<unsigned>(number);
}

absl::StatusOr<uint64_t> ParseBytes(absl::string_view text) {
  int shift = 0;
  switch (text.empty() ? '\0' : absl::ascii_tolower(text.back())) {
    case 'k':
      shift = 10;
      break;
    case 'm':
      shift = 20;
      break;
    case 'g':
      shift = 30;
      break;
  }
  FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t number,
                             ParseNumber(text.substr(0, text.size() - (shift == 0 ? 0 : 1))));
  if (number > std::numeric_limits<uint64_t>::max() >> shift) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is too large"));
  }
  return number << shift;
}

absl::Status Set(PruningPolicy& policy, absl::string_view key, absl::string_view value) {
  const auto assign = [](auto& field, const auto& parsed) {
    if (parsed.ok()) field = *parsed;
    return parsed.status();
  };
  if (key == "prune_interval") return assign(policy.interval, ParseDuration(value));
  if (key == "prune_after") return assign(policy.expiration, ParseDuration(value));
  if (key == "cache_size") return assign(policy.most_percent, ParsePercentage(value));
  if (key == "cache_size_bytes") return assign(policy.most_bytes, ParseBytes(value));
  if (key == "cache_size_files") return assign(policy.most_files, ParseNumber(value));
  return absl::InvalidArgumentError("there is no such setting");
}

absl::Status SystemError(absl::string_view operation) {
  return absl::UnavailableError(absl::StrCat(operation, ": ", std::strerror(errno)));
}

// Whether to prune now; if so, others are told that it has been done.
absl::StatusOr<bool> IsDue(int directory, absl::Duration interval, absl::Time now) {
  struct stat status = {};
  if (fstatat(directory, kPruningTimestampName, &status, AT_SYMLINK_NOFOLLOW) == 0) {
    const absl::Time last = absl::TimeFromTimespec(status.st_mtim);
    if (interval != absl::ZeroDuration() && now - last <= interval) return false;
  } else if (errno != ENOENT) {
    return SystemError(kPruningTimestampName);
  }
  // If it cannot be written, pruning happens more often than it has to.
  const int file =
      openat(directory, kPruningTimestampName,
             O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR);
  if (file >= 0) {
    futimens(file, nullptr);
    close(file);
  }
  return true;
}

struct File {
  absl::Time last_use;
  uint64_t size = 0;
  std::string name;
};

// The files that may be removed, in no order.
absl::StatusOr<std::vector<File>> ListFiles(int directory) {
  // A second descriptor, because reading moves the position of the descriptor.
  const int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return SystemError("listing");
  DIR* stream = fdopendir(own);
  if (stream == nullptr) {
    const absl::Status status = SystemError("listing");
    close(own);
    return status;
  }
  absl::Cleanup close_stream = [stream] { closedir(stream); };
  std::vector<File> files;
  while (true) {
    errno = 0;
    const dirent* entry = readdir(stream);
    if (entry == nullptr && errno != 0) return SystemError("listing");
    if (entry == nullptr) return files;
    if (!absl::StartsWith(entry->d_name, kPrunedPrefix)) continue;
    struct stat status = {};
    if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode)) continue;
    files.push_back({absl::TimeFromTimespec(status.st_atim), static_cast<uint64_t>(status.st_size),
                     entry->d_name});
  }
}

// Whether the file does not exist any more.
bool Remove(int directory, const File& file) {
  return unlinkat(directory, file.name.c_str(), 0) == 0 || errno == ENOENT;
}

// How many bytes files that have `total` bytes now may have.
absl::StatusOr<uint64_t> MostBytes(int directory, const PruningPolicy& policy, uint64_t total) {
  uint64_t most = std::numeric_limits<uint64_t>::max();
  if (policy.most_bytes != 0) most = policy.most_bytes;
  if (policy.most_percent == 0) return most;
  struct statvfs status = {};
  if (fstatvfs(directory, &status) != 0) return SystemError("free space");
  const absl::uint128 available = absl::uint128(status.f_bfree) * status.f_frsize + total;
  const absl::uint128 part = available * std::min(policy.most_percent, 100u) / 100;
  return static_cast<uint64_t>(std::min<absl::uint128>(part, most));
}

}  // namespace

absl::StatusOr<PruningPolicy> PruningPolicy::Parse(absl::string_view text) {
  PruningPolicy policy;
  for (absl::string_view setting : absl::StrSplit(text, ':', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(setting, absl::MaxSplits('=', 1));
    FIRSTCALL_RETURN_IF_ERROR(Annotate(Set(policy, parts.first, parts.second), setting));
  }
  return policy;
}

absl::Status Prune(int directory, const PruningPolicy& policy) {
  if (policy.expiration == absl::ZeroDuration() && policy.most_percent == 0 &&
      policy.most_bytes == 0 && policy.most_files == 0) {
    return absl::OkStatus();
  }
  const absl::Time now = absl::Now();
  FIRSTCALL_ASSIGN_OR_RETURN(const bool is_due, IsDue(directory, policy.interval, now));
  if (!is_due) return absl::OkStatus();
  FIRSTCALL_ASSIGN_OR_RETURN(std::vector<File> files, ListFiles(directory));
  if (policy.expiration != absl::ZeroDuration()) {
    const auto is_removed = [&](const File& file) {
      return now - file.last_use > policy.expiration && Remove(directory, file);
    };
    files.erase(std::remove_if(files.begin(), files.end(), is_removed), files.end());
  }
  // Of files that were last used at the same instant, the larger goes first.
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
    return std::tie(a.last_use, b.size, a.name) < std::tie(b.last_use, a.size, b.name);
  });
  uint64_t count = files.size(), total = 0;
  for (const File& file : files) total += file.size;
  const uint64_t most_files =
      policy.most_files == 0 ? std::numeric_limits<uint64_t>::max() : policy.most_files;
  FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t most_bytes, MostBytes(directory, policy, total));
  for (const File& file : files) {
    if (count <= most_files && total <= most_bytes) break;
    if (!Remove(directory, file)) continue;
    --count;
    total -= file.size;
  }
  return absl::OkStatus();
}

}  // namespace firstcall
