// Compares the programs of many seeds, on several threads.

#ifndef FIRSTCALL_TESTS_DIFFERENTIAL_CAMPAIGN_H_
#define FIRSTCALL_TESTS_DIFFERENTIAL_CAMPAIGN_H_

#include <cstdint>
#include <ostream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/differential/comparison.h"
#include "tests/differential/generator.h"

namespace firstcall::testing {

struct CampaignOptions {
  Tools tools;
  int jobs = 2;
  ProgramForm form;
  absl::Duration native_limit = absl::Seconds(2);
  // Existing directory. Each program is made in one of its own there, which stays if there is a
  // mismatch.
  std::string keep;
};

struct Totals {
  int seeds = 0;
  int runs = 0;  // of firstcall
  int end_only_runs = 0;
  int too_slow = 0;  // programs
  int not_made = 0;
  int mismatches = 0;
};

// In one line.
std::ostream& operator<<(std::ostream& stream, const Totals& totals);

// Makes, runs and removes the program of one seed. Thread-safe.
absl::StatusOr<Comparison> CheckSeed(const CampaignOptions& options, Source source, uint32_t seed);

// Checks `count` seeds from `first` on. Writes each mismatch to `log` when it is found, with a
// command that repeats it.
Totals CheckSeeds(const CampaignOptions& options, Source source, uint32_t first, int count,
                  std::ostream& log);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_DIFFERENTIAL_CAMPAIGN_H_
