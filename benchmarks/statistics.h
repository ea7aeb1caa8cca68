// The few statistics the start-up benchmark reports. Pure functions, thread-safe.

#ifndef FIRSTCALL_BENCHMARKS_STATISTICS_H_
#define FIRSTCALL_BENCHMARKS_STATISTICS_H_

#include <vector>

namespace firstcall::benchmarks {

// The middle value, or the mean of the two middle ones. `values` must not be empty. Medians,
// because on a shared machine a disturbed run is much too slow and never much too fast.
double Median(std::vector<double> values);

// How many times as large the median of `values` is as that of `baseline`. Neither may be empty.
double MedianRatio(const std::vector<double>& values, const std::vector<double>& baseline);

// What one of `count` equal parts costs: `total` is the cost of all, `total_of_one` that of the
// same with one part only, so that fixed costs cancel. `count` must be larger than 1.
double CostPerPart(double total, int count, double total_of_one);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_STATISTICS_H_
