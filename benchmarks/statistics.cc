#include "benchmarks/statistics.h"

#include <algorithm>
#include <utility>

namespace firstcall::benchmarks {

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

}  // namespace firstcall::benchmarks
