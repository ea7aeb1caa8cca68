#include "tools/measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace firstcall::measure {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

double MedianRatio(const std::vector<double>& values, const std::vector<double>& baseline) {
  return Median(values) / Median(baseline);
}

double CostPerPart(double total, int count, double total_of_one) {
  return (total - total_of_one) / (count - 1);
}

// The median lies outside if fewer than k values are smaller, or fewer than k are larger. Each
// value is smaller with a probability of one half, so their number has a binomial distribution, and
// each of the two cases the probability `tail`.
std::optional<Interval> MedianInterval(std::vector<double> values, double confidence) {
  std::sort(values.begin(), values.end());
  const size_t count = values.size();
  // The logarithm of the probability that exactly k values are smaller; of many values, that is no
  // `double` itself.
  double log_probability = static_cast<double>(count) * std::log(0.5);
  double tail = 0;
  std::optional<Interval> interval;
  for (size_t k = 0; 2 * k < count; ++k) {
    tail += std::exp(log_probability);
    if (1 - 2 * tail < confidence) break;
    interval = {values[k], values[count - 1 - k], 1 - 2 * tail};
    log_probability += std::log(static_cast<double>(count - k) / static_cast<double>(k + 1));
  }
  return interval;
}

}  // namespace firstcall::measure
