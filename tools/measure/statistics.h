// The statistics that measurements are reported with. Pure functions, thread-safe.

#ifndef FIRSTCALL_TOOLS_MEASURE_STATISTICS_H_
#define FIRSTCALL_TOOLS_MEASURE_STATISTICS_H_

#include <optional>
#include <vector>

namespace firstcall::measure {

// The middle value, or the mean of the two middle ones. `values` must not be empty. Measurements
// use medians because on a shared machine a disturbed run is much too slow, but never much too
// fast.
double Median(std::vector<double> values);

// The median of `values` divided by that of `baseline`. Neither may be empty.
double MedianRatio(const std::vector<double>& values, const std::vector<double>& baseline);

// The cost of one of `count` equal parts. `total` is the cost of all parts, `total_of_one` that of
// a program with only one part, so fixed costs cancel. `count` must be larger than 1.
double CostPerPart(double total, int count, double total_of_one);

struct Interval {
  double low = 0;
  double high = 0;
  double confidence = 0;  // the probability that it contains the median, at least
};

// The narrowest interval between the k-th smallest and the k-th largest value that contains the
// median of the distribution with a probability of `confidence` or more. It assumes that the values
// are independent, and nothing about the distribution. None if there are too few values: 95 % needs
// 6, 99 % needs 8.
//
// H. A. David, H. N. Nagaraja: Order Statistics, third edition, section 7.1. T. Hoefler, R. Belli:
// Scientific Benchmarking of Parallel Computing Systems, SC 2015, section 3.1.3, recommends it for
// run times.
std::optional<Interval> MedianInterval(std::vector<double> values, double confidence = 0.95);

}  // namespace firstcall::measure

#endif  // FIRSTCALL_TOOLS_MEASURE_STATISTICS_H_
