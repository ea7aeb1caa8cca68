#include "base/processors.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"

namespace firstcall {
namespace {

constexpr size_t kMostBytes = 64 << 10;

// The first bytes of a file; empty if the file cannot be read. Files of the system have no size
// that could be asked for. Those of interest are short.
std::string ContentsOf(const std::string& path) {
  std::string contents;
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return contents;
  char bytes[4096];
  while (contents.size() < kMostBytes) {
    const ssize_t count = read(file.number(), bytes, sizeof(bytes));
    if (count <= 0) break;
    contents.append(bytes, static_cast<size_t>(count));
  }
  return contents;
}

// Nullopt without a quota, which is "max" or negative.
std::optional<double> Quotient(absl::string_view quota, absl::string_view period) {
  double quota_us = 0;
  double period_us = 0;
  if (!absl::SimpleAtod(quota, &quota_us) || !absl::SimpleAtod(period, &period_us) ||
      quota_us <= 0 || period_us <= 0) {
    return std::nullopt;
  }
  return quota_us / period_us;
}

std::optional<double> QuotaOfVersion1(const std::string& directory) {
  return Quotient(ContentsOf(absl::StrCat(directory, "/cpu.cfs_quota_us")),
                  ContentsOf(absl::StrCat(directory, "/cpu.cfs_period_us")));
}

// The file says "100000 100000" or "max 100000".
std::optional<double> QuotaOfVersion2(const std::string& directory) {
  const std::string contents = ContentsOf(absl::StrCat(directory, "/cpu.max"));
  const std::vector<absl::string_view> words =
      absl::StrSplit(contents, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  return words.size() == 2 ? Quotient(words[0], words[1]) : std::nullopt;
}

std::optional<double> Least(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// The smallest quota of the group `path` below `root` and of the groups around it. In a container
// the path may be that of another view of the groups, of which only the outermost is mounted.
template <typename QuotaOf>
std::optional<double> LeastQuota(const std::string& root, absl::string_view path,
                                 QuotaOf quota_of) {
  std::optional<double> least = quota_of(root);
  std::string directory = root;
  for (absl::string_view name : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    absl::StrAppend(&directory, "/", name);
    least = Least(least, quota_of(directory));
  }
  return least;
}

double ProcessorsOfThread() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  // More processors than the set has room for.
  return static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

// A line is "0::/a/b" for version 2, and "4:cpu,cpuacct:/a/b" for version 1, where the directory of
// a group of controllers has their names, or a link for each.
std::optional<double> ProcessorsOfControlGroups(absl::string_view membership,
                                                const std::string& root) {
  std::optional<double> least;
  for (absl::string_view line : absl::StrSplit(membership, '\n', absl::SkipEmpty())) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    if (fields[0] == "0" && fields[1].empty()) {
      least = Least(least, LeastQuota(root, fields[2], QuotaOfVersion2));
      continue;
    }
    const std::vector<absl::string_view> controllers = absl::StrSplit(fields[1], ',');
    if (std::find(controllers.begin(), controllers.end(), "cpu") == controllers.end()) continue;
    for (const std::string& name : {std::string("cpu"), std::string(fields[1])}) {
      least = Least(least, LeastQuota(absl::StrCat(root, "/", name), fields[2], QuotaOfVersion1));
    }
  }
  return least;
}

double UsableProcessors() {
  const double processors = ProcessorsOfThread();
  const std::optional<double> allowed =
      ProcessorsOfControlGroups(ContentsOf("/proc/self/cgroup"), "/sys/fs/cgroup");
  return allowed ? std::min(processors, *allowed) : processors;
}

}  // namespace firstcall
