// Contestants run in turns (tools/measure/rounds.h). The first start gets an empty directory as its
// cache. Before each second start, what the last first start has left there is copied, so that
// every second start is a second one, and not a third.

#include "tools/bench_command.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "third_party/llvm/version/version.h"
#include "tools/bench_options.h"
#include "tools/bench_page.h"
#include "tools/bench_results.h"
#include "tools/measure/machine.h"
#include "tools/measure/process_run.h"
#include "tools/measure/rounds.h"
#include "tools/measure/temporary_directory.h"

namespace firstcall {
namespace {

using measure::ProcessRun;

// Where the caches of both starts are.
class CacheDirectories {
 public:
  static absl::StatusOr<CacheDirectories> Make() {
    FIRSTCALL_ASSIGN_OR_RETURN(measure::TemporaryDirectory parent,
                               measure::TemporaryDirectory::Make("firstcall-bench"));
    return CacheDirectories(std::move(parent));
  }

  std::string OfFirstStart() const { return parent_.path() + "/first"; }
  std::string OfSecondStart() const { return parent_.path() + "/second"; }

  absl::Status Empty() const {
    std::error_code error;
    std::filesystem::remove_all(OfFirstStart(), error);
    return ToStatus(error);
  }

  // Gives the second start what the first one has left, which may be nothing.
  absl::Status Copy() const {
    std::error_code error;
    std::filesystem::remove_all(OfSecondStart(), error);
    if (!error && std::filesystem::exists(OfFirstStart(), error)) {
      std::filesystem::copy(OfFirstStart(), OfSecondStart(),
                            std::filesystem::copy_options::recursive, error);
    }
    return ToStatus(error);
  }

 private:
  explicit CacheDirectories(measure::TemporaryDirectory parent) : parent_(std::move(parent)) {}

  absl::Status ToStatus(const std::error_code& error) const {
    if (!error) return absl::OkStatus();
    return absl::UnavailableError(
        absl::StrCat("object cache in '", parent_.path(), "': ", error.message()));
  }

  measure::TemporaryDirectory parent_;
};

absl::Status CheckFile(const std::string& path, int access_mode) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || access(path.c_str(), access_mode) != 0) {
    return absl::NotFoundError(absl::StrCat("cannot ", access_mode == X_OK ? "run" : "read", " '",
                                            path, "': ", std::strerror(errno)));
  }
  if (!S_ISDIR(status.st_mode)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("'", path, "' is a directory"));
}

// Before anything is measured: the runs may take minutes.
absl::Status CheckWritable(const std::string& path) {
  if (path.empty() || std::ofstream(path, std::ios::app)) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write '", path, "': ", std::strerror(errno)));
}

absl::Status Write(const std::string& path, const std::string& text) {
  if (path.empty()) return absl::OkStatus();
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("writing '", path, "': ", std::strerror(errno)));
}

// The path of a program that is searched in PATH; empty if there is none.
std::string Find(absl::string_view program) {
  const char* const path = std::getenv("PATH");
  for (absl::string_view directory : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    std::string candidate = absl::StrCat(directory, "/", program);
    if (!directory.empty() && CheckFile(candidate, X_OK).ok()) return candidate;
  }
  return "";
}

// The lli to be measured; empty if there is none.
absl::StatusOr<std::string> ChooseLli(const BenchOptions& options) {
  if (options.lli.has_value()) {
    if (!options.lli->empty()) FIRSTCALL_RETURN_IF_ERROR(CheckFile(*options.lli, X_OK));
    return *options.lli;
  }
  std::string found = Find(llvm_version::kLli);
  return found.empty() ? Find("lli") : found;
}

// A signal that ends this process by default, as something to be polled: the run of a program can
// be ended, and files can be removed.
class EndingSignals {
 public:
  EndingSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
    file_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;
  // A signal that has arrived now ends this process.
  ~EndingSignals() {
    if (file_ >= 0) close(file_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  int file() const { return file_; }

 private:
  sigset_t before_;
  int file_ = -1;
};

class Bench {
 public:
  Bench(BenchOptions options, CacheDirectories directories) : directories_(std::move(directories)) {
    results_.options = std::move(options);
  }

  absl::StatusOr<BenchResults> Run() {
    FIRSTCALL_RETURN_IF_ERROR(AddContestants());
    measure::Schedule schedule;
    schedule.rounds = results_.options.runs;
    schedule.time_limit = results_.options.time_limit;
    schedule.allowance = results_.options.allowance;
    schedule.brief_factor = 1;
    measure::Rounds rounds(
        schedule, [this](size_t i) { return RunContestant(results_.contestants[i]); },
        &results_.contestants);
    for (int round = 1; !rounds.Over(); ++round) {
      ShowProgress(round);
      FIRSTCALL_RETURN_IF_ERROR(rounds.RunOne());
    }
    ShowProgress(0);
    if (rounds.reference().has_value()) results_.exit_status = rounds.reference()->code;
    FIRSTCALL_ASSIGN_OR_RETURN(const int64_t least, measure::LeastPeakRssKib());
    results_.least_peak_mib = least / 1024.0;
    return std::move(results_);
  }

 private:
  // Also describes the programs, which loads them into the page cache.
  absl::Status AddContestants() {
    const BenchOptions& options = results_.options;
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
    if (length <= 0) return absl::InternalError("cannot find this program");
    const std::string firstcall(self, length);
    FIRSTCALL_ASSIGN_OR_RETURN(const std::string lli, ChooseLli(options));
    results_.machine = measure::DescribeMachine();
    FIRSTCALL_ASSIGN_OR_RETURN(results_.firstcall, measure::DescribeProgram(firstcall));
    if (!lli.empty()) {
      FIRSTCALL_ASSIGN_OR_RETURN(results_.lli, measure::DescribeProgram(lli));
      absl::StrAppend(&results_.lli, " (", lli, ")");
    }
    if (!options.native.empty()) {
      // A name without a directory is a file, too, and not searched in PATH.
      const bool is_path = absl::StrContains(options.native, '/');
      Add("executable", {is_path ? options.native : "./" + options.native}, "");
    }
    std::vector<std::string> command = options.engine_options;
    command.insert(command.begin(), firstcall);
    command.push_back("--object-cache-dir=" + directories_.OfFirstStart());
    Add(kFirstStart, command, options.program);
    command.back() = "--object-cache-dir=" + directories_.OfSecondStart();
    Add(kSecondStart, command, options.program);
    Add("lli mcjit", {lli, "--jit-kind=mcjit"}, options.program);
    Add("lli mcjit -O0", {lli, "--jit-kind=mcjit", "-O0"}, options.program);
    Add("lli orc-lazy", {lli, "--jit-kind=orc-lazy"}, options.program);
    return absl::OkStatus();
  }

  void Add(absl::string_view name, std::vector<std::string> command, const std::string& program) {
    measure::Result result;
    result.workload = results_.options.program;
    result.contestant = std::string(name);
    if (command.front().empty()) {
      result.skipped = results_.options.lli.has_value() ? "left out" : "not installed";
    }
    if (!program.empty()) command.push_back(program);
    command.insert(command.end(), results_.options.arguments.begin(),
                   results_.options.arguments.end());
    result.command = std::move(command);
    results_.contestants.push_back(std::move(result));
  }

  absl::StatusOr<ProcessRun> RunContestant(const measure::Result& contestant) {
    const bool is_first_start = contestant.contestant == kFirstStart;
    if (is_first_start) FIRSTCALL_RETURN_IF_ERROR(directories_.Empty());
    if (contestant.contestant == kSecondStart) FIRSTCALL_RETURN_IF_ERROR(directories_.Copy());
    measure::ProcessOptions process_options;
    if (!results_.options.input.empty()) process_options.input = results_.options.input;
    process_options.stop = signals_.file();
    FIRSTCALL_ASSIGN_OR_RETURN(
        ProcessRun run,
        measure::RunProcess(contestant.command, results_.options.time_limit, process_options));
    if (is_first_start && !contestant.Measured()) FIRSTCALL_RETURN_IF_ERROR(CheckStart(run));
    return run;
  }

  // The error if firstcall has refused the program or an option: then there is nothing to measure.
  static absl::Status CheckStart(const ProcessRun& run) {
    const bool is_refused = run.end == ProcessRun::End::kExited && run.code == 1 &&
                            run.output.empty() && absl::StartsWith(run.errors, "firstcall: ");
    if (!is_refused) return absl::OkStatus();
    const absl::string_view line = absl::string_view(run.errors).substr(0, run.errors.find('\n'));
    return absl::InvalidArgumentError(line.substr(line.find(' ') + 1));
  }

  // A line on a terminal, which the next one overwrites. Round 0: all are over.
  void ShowProgress(int round) const {
    if (isatty(STDERR_FILENO) == 0) return;
    if (round == 0) {
      std::fprintf(stderr, "\r\033[K");
    } else {
      std::fprintf(stderr, "\rround %d of %d", round, results_.options.runs);
    }
  }

  // Destroyed last: then the directories are removed when a signal ends this process.
  const EndingSignals signals_;
  const CacheDirectories directories_;
  BenchResults results_;
};

absl::StatusOr<BenchResults> Measure(const BenchOptions& options) {
  FIRSTCALL_RETURN_IF_ERROR(CheckFile(options.program, R_OK));
  if (!options.input.empty()) FIRSTCALL_RETURN_IF_ERROR(CheckFile(options.input, R_OK));
  if (!options.native.empty()) FIRSTCALL_RETURN_IF_ERROR(CheckFile(options.native, X_OK));
  FIRSTCALL_RETURN_IF_ERROR(CheckWritable(options.json));
  FIRSTCALL_RETURN_IF_ERROR(CheckWritable(options.html));
  FIRSTCALL_ASSIGN_OR_RETURN(CacheDirectories directories, CacheDirectories::Make());
  measure::KeepCrashesShort();
  return Bench(options, std::move(directories)).Run();
}

int Report(const absl::Status& status) {
  std::fprintf(stderr, "firstcall: %s\n", std::string(status.message()).c_str());
  return 1;
}

bool IsFirstcallRight(const BenchResults& results) {
  for (const measure::Result& result : results.contestants) {
    const bool is_own = result.contestant == kFirstStart || result.contestant == kSecondStart;
    if (is_own && !result.Fault().empty()) return false;
  }
  return true;
}

}  // namespace

int RunBenchCommand(const std::vector<std::string>& arguments) {
  const absl::StatusOr<BenchOptions> options = ParseBenchOptions(arguments);
  if (!options.ok()) return Report(options.status());
  if (options->help) {
    std::fputs(kBenchUsage, stdout);
    return 0;
  }
  const absl::StatusOr<BenchResults> results = Measure(*options);
  if (!results.ok()) return Report(results.status());
  std::fputs(FormatBenchTable(*results).c_str(), stdout);
  const std::string json = FormatBenchJson(*results);
  absl::Status status = Write(options->json, json);
  if (status.ok() && !options->html.empty()) status = Write(options->html, BenchPage(json));
  if (!status.ok()) return Report(status);
  return IsFirstcallRight(*results) ? 0 : 1;
}

}  // namespace firstcall
