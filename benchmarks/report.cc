#include "benchmarks/report.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/contestant.h"
#include "tools/measure/statistics.h"

namespace firstcall::benchmarks {
namespace {

// "2.41", or empty if there is nothing to compare.
std::string RatioToFirstcall(const Result& result, const Result* firstcall) {
  if (firstcall == nullptr || !firstcall->Measured() || !firstcall->Fault().empty()) return "";
  if (!result.Fault().empty()) return "";
  return absl::StrFormat("%.2f", measure::MedianRatio(result.Figures(&Sample::wall_ms),
                                                      firstcall->Figures(&Sample::wall_ms)));
}

std::string FormatRow(const Result& result, const Result* firstcall) {
  if (!result.Measured()) return absl::StrFormat("  %-32s %s\n", result.contestant, result.skipped);
  std::string row = absl::StrFormat("  %-32s %9.1f %9.1f %7.1f %8s  n=%-3d", result.contestant,
                                    measure::Median(result.Figures(&Sample::wall_ms)),
                                    measure::Median(result.Figures(&Sample::cpu_ms)),
                                    measure::Median(result.Figures(&Sample::peak_mib)),
                                    RatioToFirstcall(result, firstcall), result.samples.size());
  const std::string fault = result.Fault();
  if (!fault.empty()) return absl::StrCat(row, " ", absl::AsciiStrToUpper(fault), "\n");
  absl::StripTrailingAsciiWhitespace(&row);
  return absl::StrCat(row, "\n");
}

// `text` as a JSON string, quotes included.
std::string Quote(absl::string_view text) {
  std::string quoted = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', static_cast<char>(c)};
    } else if (c < 0x20) {
      absl::StrAppendFormat(&quoted, "\\u%04x", c);
    } else {
      quoted += static_cast<char>(c);
    }
  }
  return quoted + "\"";
}

// The elements in brackets, one on each line.
template <typename T, typename Format>
std::string JsonArray(const std::vector<T>& elements, absl::string_view indent, Format format) {
  std::string text = "[";
  for (const T& element : elements) {
    absl::StrAppend(&text, text.size() > 1 ? "," : "", "\n", indent, "  ", format(element));
  }
  return elements.empty() ? "[]" : absl::StrCat(text, "\n", indent, "]");
}

std::string JsonSample(const Sample& sample) {
  return absl::StrFormat(R"({"wall_ms": %.3f, "cpu_ms": %.3f, "peak_mib": %.2f, "fault": %s})",
                         sample.wall_ms, sample.cpu_ms, sample.peak_mib, Quote(sample.fault));
}

std::string JsonResult(const Result& result) {
  return absl::StrCat(R"({"workload": )", Quote(result.workload), R"(, "contestant": )",
                      Quote(result.contestant), R"(, "skipped": )", Quote(result.skipped),
                      ",\n     \"command\": ", JsonArray(result.command, "     ", Quote),
                      ",\n     \"samples\": ", JsonArray(result.samples, "     ", JsonSample), "}");
}

std::string JsonBar(const Bar& bar) {
  return absl::StrFormat(R"({"claim": %s, "verdict": "%s", "measured": %.3f, "numbers": %s})",
                         Quote(bar.claim), Name(bar.verdict), bar.measured, Quote(bar.numbers));
}

std::string JsonSetting(const Setting& setting) {
  return absl::StrFormat(
      R"({"cpu": %s, "cores": %d, "kernel": %s, "load": %.2f, "firstcall": %s, "lli": %s})",
      Quote(setting.machine.cpu), setting.machine.cores, Quote(setting.machine.kernel),
      setting.machine.load, Quote(setting.firstcall), Quote(setting.lli));
}

}  // namespace

std::string FormatSetting(const Setting& setting) {
  const measure::Machine& machine = setting.machine;
  return absl::StrFormat("machine    %s, %d cores, %s, load %.2f\nfirstcall  %s\nlli        %s\n",
                         machine.cpu, machine.cores, machine.kernel, machine.load,
                         setting.firstcall, setting.lli);
}

std::string FormatWorkload(const std::vector<Result>& results) {
  const std::string& workload = results.front().workload;
  const Result* firstcall = Find(results, workload, kFirstcall);
  std::string text =
      absl::StrFormat("%-34s %9s %9s %7s %8s\n", workload, "wall ms", "CPU ms", "MiB", "ratio");
  for (const Result& result : results) text += FormatRow(result, firstcall);
  return text;
}

std::string FormatBars(const std::vector<Bar>& bars) {
  std::string text = "bars\n";
  for (const Bar& bar : bars) {
    const std::string measured = bar.verdict == Bar::Verdict::kUnknown || bar.measured == 0
                                     ? "-"
                                     : absl::StrFormat("%.2f", bar.measured);
    absl::StrAppendFormat(&text, "  %-7s %6s  %s (%s)\n", Name(bar.verdict), measured, bar.claim,
                          bar.numbers);
  }
  return text;
}

std::string FormatJson(const Setting& setting, const std::vector<Result>& results,
                       const std::vector<Bar>& bars) {
  return absl::StrCat("{\"benchmark\": \"startup\",\n \"setting\": ", JsonSetting(setting),
                      ",\n \"bars\": ", JsonArray(bars, " ", JsonBar),
                      ",\n \"results\": ", JsonArray(results, " ", JsonResult), "}\n");
}

}  // namespace firstcall::benchmarks
