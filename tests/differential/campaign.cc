#include "tests/differential/campaign.h"

#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/status.h"

namespace firstcall::testing {
namespace {

// Hands out seeds and adds up what comes back. Thread-safe.
class Tally {
 public:
  Tally(Source source, uint32_t first, int count, std::ostream& log)
      : source_(source), first_(first), count_(count), log_(log) {}

  bool Next(uint32_t* seed) {
    absl::MutexLock lock(&mutex_);
    if (handed_out_ == count_) return false;
    *seed = first_ + handed_out_++;
    return true;
  }

  void Add(uint32_t seed, const absl::StatusOr<Comparison>& comparison) {
    absl::MutexLock lock(&mutex_);
    ++totals_.seeds;
    if (!comparison.ok()) {
      ++totals_.not_made;
      log_ << SourceName(source_) << " seed " << seed << ": " << comparison.status() << std::endl;
    } else {
      totals_.runs += comparison->runs;
      totals_.end_only_runs +=
          comparison->kind == Comparison::Kind::kEndOnly ? comparison->runs : 0;
      totals_.too_slow += comparison->kind == Comparison::Kind::kTooSlow;
      totals_.mismatches += comparison->mismatches.size();
      for (const Mismatch& mismatch : comparison->mismatches) {
        log_ << "MISMATCH " << SourceName(source_) << " seed " << seed << ": "
             << mismatch.description << "\n  repeat: bash " << mismatch.script << std::endl;
      }
    }
    if (totals_.seeds % 100 == 0 && totals_.seeds < count_) {
      log_ << "... " << SourceName(source_) << ": " << totals_ << std::endl;
    }
  }

  Totals totals() {
    absl::MutexLock lock(&mutex_);
    return totals_;
  }

 private:
  const Source source_;
  const uint32_t first_;
  const int count_;
  absl::Mutex mutex_;
  std::ostream& log_ ABSL_GUARDED_BY(mutex_);
  int handed_out_ ABSL_GUARDED_BY(mutex_) = 0;
  Totals totals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Totals& totals) {
  stream << totals.seeds << " seeds, " << totals.runs << " runs compared";
  if (totals.end_only_runs > 0) {
    stream << " (" << totals.end_only_runs << " only by how they end: no defined result)";
  }
  stream << ", " << totals.too_slow << " skipped (native time limit)";
  if (totals.not_made > 0) stream << ", " << totals.not_made << " not made";
  return stream << ", " << totals.mismatches << " mismatches";
}

absl::StatusOr<Comparison> CheckSeed(const CampaignOptions& options, Source source, uint32_t seed) {
  const std::string directory = absl::StrCat(options.keep, "/", SourceName(source), "-", seed);
  std::error_code error;
  std::filesystem::remove_all(directory, error);
  if (!std::filesystem::create_directory(directory, error)) {
    return absl::InternalError(absl::StrCat("create ", directory, ": ", error.message()));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(const Program program,
                             MakeProgram(options.tools, source, seed, options.form, directory));
  FIRSTCALL_ASSIGN_OR_RETURN(Comparison comparison,
                             Compare(program, options.tools.firstcall, options.native_limit));
  if (comparison.mismatches.empty()) std::filesystem::remove_all(directory, error);
  return comparison;
}

Totals CheckSeeds(const CampaignOptions& options, Source source, uint32_t first, int count,
                  std::ostream& log) {
  Tally tally(source, first, count, log);
  std::vector<std::thread> threads;
  for (int i = 0; i < options.jobs; ++i) {
    threads.emplace_back([&] {
      for (uint32_t seed; tally.Next(&seed);) tally.Add(seed, CheckSeed(options, source, seed));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return tally.totals();
}

}  // namespace firstcall::testing
