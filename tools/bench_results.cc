#include "tools/bench_results.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/json.h"
#include "tools/measure/statistics.h"

namespace firstcall {
namespace {

using measure::Interval;
using measure::Median;
using measure::MedianInterval;
using measure::Result;
using measure::Sample;

constexpr double kConfidence = 0.95;

constexpr char kMethod[] =
    "Medians of whole processes. The interval contains the median with a probability of at least "
    "95 %: it lies between two order statistics, and assumes nothing about the distribution but "
    "independent runs (David and Nagaraja, Order Statistics, section 7.1). It needs 6 runs.";

// "12.5": without trailing zeros, so that it is the text that JavaScript makes of the number, too.
std::string Number(double value) {
  std::string text = absl::StrFormat("%.3f", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

// How many times as long as firstcall's first start; none if a run of either was faulty.
std::optional<double> RatioToFirstStart(const Result& result, const BenchResults& results) {
  for (const Result& first : results.contestants) {
    if (first.contestant != kFirstStart) continue;
    if (!first.Measured() || !first.Fault().empty()) return std::nullopt;
    if (!result.Measured() || !result.Fault().empty()) return std::nullopt;
    return measure::MedianRatio(result.Figures(&Sample::wall_ms), first.Figures(&Sample::wall_ms));
  }
  return std::nullopt;
}

// The standard error of the first faulty run.
std::string Message(const Result& result) {
  for (const Sample& sample : result.samples) {
    if (!sample.message.empty()) return sample.message;
  }
  return "";
}

std::string Row(const Result& result, const BenchResults& results) {
  if (!result.Measured()) return absl::StrFormat("%-26s %s\n", result.contestant, result.skipped);
  const std::vector<double> wall = result.Figures(&Sample::wall_ms);
  const std::optional<Interval> interval = MedianInterval(wall, kConfidence);
  const std::optional<double> ratio = RatioToFirstStart(result, results);
  std::string row = absl::StrFormat(
      "%-26s %9.1f %19s %9.1f %8.1f %7s %5d", result.contestant, Median(wall),
      interval ? absl::StrFormat("%.1f to %.1f", interval->low, interval->high) : "-",
      Median(result.Figures(&Sample::cpu_ms)), Median(result.Figures(&Sample::peak_mib)),
      ratio ? absl::StrFormat("%.2f", *ratio) : "-", result.samples.size());
  const std::string fault = result.Fault();
  if (!fault.empty()) {
    absl::StrAppend(&row, "  ", fault);
    if (const std::string message = Message(result); !message.empty()) {
      absl::StrAppend(&row, ": ", message);
    }
  }
  return row + "\n";
}

std::string Strings(const std::vector<std::string>& strings) {
  return absl::StrCat("[",
                      absl::StrJoin(strings, ",",
                                    [](std::string* out, const std::string& s) {
                                      absl::StrAppend(out, JsonString(s));
                                    }),
                      "]");
}

// Null if it was not measured.
std::string FigureJson(const Result& result, double Sample::*figure) {
  if (!result.Measured()) return "null";
  const std::vector<double> values = result.Figures(figure);
  const std::optional<Interval> interval = MedianInterval(values, kConfidence);
  return absl::StrFormat("{\"median\":%s,\"low\":%s,\"high\":%s,\"confidence\":%s}",
                         Number(Median(values)), interval ? Number(interval->low) : "null",
                         interval ? Number(interval->high) : "null",
                         interval ? Number(interval->confidence) : "null");
}

std::string SampleJson(const Sample& sample) {
  return absl::StrFormat("{\"wall_ms\":%s,\"cpu_ms\":%s,\"peak_mib\":%s,\"fault\":%s}",
                         Number(sample.wall_ms), Number(sample.cpu_ms), Number(sample.peak_mib),
                         JsonString(sample.fault));
}

std::string ResultJson(const Result& result, const BenchResults& results) {
  const std::optional<double> ratio = RatioToFirstStart(result, results);
  return absl::StrCat(
      "{\"name\":", JsonString(result.contestant), ",\"command\":", Strings(result.command),
      ",\"skipped\":", JsonString(result.skipped), ",\"fault\":", JsonString(result.Fault()),
      ",\"message\":", JsonString(Message(result)),
      ",\n \"wall_ms\":", FigureJson(result, &Sample::wall_ms),
      ",\n \"cpu_ms\":", FigureJson(result, &Sample::cpu_ms),
      ",\n \"peak_mib\":", FigureJson(result, &Sample::peak_mib),
      ",\n \"ratio\":", ratio ? Number(*ratio) : "null", ",\"runs\":", result.samples.size(),
      ",\n \"samples\":[",
      absl::StrJoin(
          result.samples, ",\n  ",
          [](std::string* out, const Sample& sample) { absl::StrAppend(out, SampleJson(sample)); }),
      "]}");
}

}  // namespace

std::string FormatBenchTable(const BenchResults& results) {
  const measure::Machine& machine = results.machine;
  std::vector<std::string> words = results.options.arguments;
  words.insert(words.begin(), results.options.program);
  std::string text = absl::StrFormat(
      "program    %s\nmachine    %s, %d cores, %s, load %.2f\nfirstcall  %s\nlli        %s\n",
      absl::StrJoin(words, " "), machine.cpu, machine.cores, machine.kernel, machine.load,
      results.firstcall, results.lli.empty() ? "none" : results.lli);
  if (results.exit_status != 0) absl::StrAppend(&text, "exit status ", results.exit_status, "\n");
  absl::StrAppendFormat(&text, "\n%-26s %9s %19s %9s %8s %7s %5s\n", "", "wall ms",
                        "95 % confidence", "CPU ms", "peak MiB", "ratio", "runs");
  for (const Result& result : results.contestants) text += Row(result, results);
  absl::StrAppendFormat(&text,
                        "\nMedians. ratio: wall time, over that of the first start. A peak of %.1f "
                        "MiB or less cannot be told\nfrom that of the measuring process.\n",
                        results.least_peak_mib);
  return text;
}

std::string FormatBenchJson(const BenchResults& results) {
  const BenchOptions& options = results.options;
  const measure::Machine& machine = results.machine;
  return absl::StrCat(
      "{\"program\":", JsonString(options.program), ",\"arguments\":", Strings(options.arguments),
      ",\"input\":", JsonString(options.input), ",\n\"firstcall\":", JsonString(results.firstcall),
      ",\"lli\":", JsonString(results.lli), ",\n\"machine\":{\"cpu\":", JsonString(machine.cpu),
      ",\"cores\":", machine.cores, ",\"kernel\":", JsonString(machine.kernel),
      ",\"load\":", Number(machine.load), "}",
      ",\n\"least_peak_mib\":", Number(results.least_peak_mib),
      ",\"exit_status\":", results.exit_status, ",\n\"method\":", JsonString(kMethod),
      ",\n\"contestants\":[",
      absl::StrJoin(results.contestants, ",\n",
                    [&](std::string* out, const Result& result) {
                      absl::StrAppend(out, ResultJson(result, results));
                    }),
      "]}\n");
}

}  // namespace firstcall
