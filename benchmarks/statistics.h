// The statistics that benchmarks report. Pure functions, thread-safe.

#ifndef FIRSTCALL_BENCHMARKS_STATISTICS_H_
#define FIRSTCALL_BENCHMARKS_STATISTICS_H_

#include <vector>

namespace firstcall::benchmarks {

// The middle value, or the mean of the two middle ones. `values` must not be empty. Benchmarks use
// medians because on a shared machine a disturbed run is much too slow, but never much too fast.
double Median(std::vector<double> values);

// The median of `values` divided by that of `baseline`. Neither may be empty.
double MedianRatio(const std::vector<double>& values, const std::vector<double>& baseline);

// The cost of one of `count` equal parts. `total` is the cost of all parts, `total_of_one` that of
// a program with only one part, so fixed costs cancel. `count` must be larger than 1.
double CostPerPart(double total, int count, double total_of_one);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_STATISTICS_H_
