#include "tests/differential/comparison.h"

#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "engine/options.h"
#include "tests/testing/host.h"
#include "tools/measure/process_run.h"

namespace firstcall::testing {
namespace {

using measure::ProcessRun;
using measure::RunProcess;

bool IsSame(const ProcessRun& a, const ProcessRun& b) {
  return a.end == b.end && a.code == b.code && a.output == b.output;
}

// Whether firstcall's run of a program without a defined result is as good as `native`'s: not ended
// by a failure of firstcall, of which 1 is the status before the program has started.
bool EndsAsWell(const ProcessRun& run, const ProcessRun& native) {
  if (run.end == native.end && run.code == native.code) return true;
  return run.end == ProcessRun::End::kExited && run.code != 1 &&
         run.code != kFirstCallFailedExitStatus;
}

std::string Describe(const ProcessRun& run) {
  switch (run.end) {
    case ProcessRun::End::kExited:
      return absl::StrCat("exit status ", run.code);
    case ProcessRun::End::kSignaled:
      return absl::StrCat("signal ", run.code);
    case ProcessRun::End::kTimedOut:
      return "no end";
  }
  return "";
}

std::string Quote(const std::string& word) {
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

std::string QuoteAll(const std::vector<std::string>& words) {
  return absl::StrJoin(words, " ", [](std::string* text, const std::string& word) {
    absl::StrAppend(text, Quote(word));
  });
}

std::vector<std::string> Words(const Variant& variant) {
  std::vector<std::string> words = variant.options;
  words.push_back(variant.module);
  return words;
}

// The environment may name another firstcall, module and executable, as tests/differential/reduce
// does, and what starts them.
std::string Script(const Program& program, const Mismatch& mismatch, const std::string& firstcall) {
  const Variant& variant = mismatch.variant;
  return absl::StrCat(
      "#!/bin/bash\n# ", mismatch.description,
      "\ncd \"$(dirname \"$0\")\"\nmodule=", variant.module,
      "\nnative=", program.natives[variant.native], "\ntarget=", ClangTargetOption(),
      "\nfirstcall=", Quote(firstcall), "\noptions=(", QuoteAll(variant.options), ")\narguments=(",
      QuoteAll(program.arguments),
      ")\n\nmodule=\"${MODULE-$module}\"\nnative=\"${NATIVE-./$native}\"\n"
      "firstcall=\"${FIRSTCALL-$firstcall}\"\n"
      "show() { timeout 60 ${FIRSTCALL_EMULATE-} \"$@\" \"${arguments[@]}\" 2>/dev/null; echo "
      "\"exit status $?\"; }\n"
      "diff <(show \"$native\") <(show \"$firstcall\" \"${options[@]}\" \"$module\")\n");
}

absl::Status WriteScript(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return file.good() ? absl::OkStatus() : absl::InternalError(absl::StrCat("write ", path));
}

std::vector<std::string> NativeCommand(const Program& program, size_t native) {
  std::vector<std::string> command = {
      absl::StrCat(program.directory, "/", program.natives[native])};
  command.insert(command.end(), program.arguments.begin(), program.arguments.end());
  return OnThisMachine(std::move(command));
}

std::vector<std::string> FirstcallCommand(const Program& program, const Variant& variant,
                                          const std::string& firstcall) {
  std::vector<std::string> command = {firstcall};
  command.insert(command.end(), variant.options.begin(), variant.options.end());
  command.push_back(absl::StrCat(program.directory, "/", variant.module));
  command.insert(command.end(), program.arguments.begin(), program.arguments.end());
  return OnThisMachine(std::move(command));
}

}  // namespace

absl::StatusOr<Comparison> Compare(const Program& program, const std::string& firstcall,
                                   absl::Duration native_limit) {
  Comparison comparison;
  std::vector<ProcessRun> natives;
  for (size_t i = 0; i < program.natives.size(); ++i) {
    FIRSTCALL_ASSIGN_OR_RETURN(ProcessRun run, RunProcess(NativeCommand(program, i), native_limit));
    if (run.end == ProcessRun::End::kTimedOut) {
      comparison.kind = Comparison::Kind::kTooSlow;
      return comparison;
    }
    natives.push_back(std::move(run));
  }
  const bool is_defined = IsSame(natives[0], natives[1]);
  if (!is_defined) comparison.kind = Comparison::Kind::kEndOnly;

  // Unoptimized code may be ten times slower than optimized, and compiling takes its time.
  const absl::Duration limit = 20 * native_limit + absl::Seconds(60);
  for (const Variant& variant : program.variants) {
    FIRSTCALL_ASSIGN_OR_RETURN(const ProcessRun run,
                               RunProcess(FirstcallCommand(program, variant, firstcall), limit));
    ++comparison.runs;
    const ProcessRun& native = natives[variant.native];
    if (is_defined ? IsSame(run, native)
                   : EndsAsWell(run, natives[0]) || EndsAsWell(run, natives[1])) {
      continue;
    }
    Mismatch mismatch;
    mismatch.variant = variant;
    mismatch.description = absl::StrCat(
        absl::StrJoin(Words(variant), " "), ": native ", Describe(native), ", firstcall ",
        Describe(run), run.output == native.output ? ", same output" : ", other output");
    mismatch.script =
        absl::StrCat(program.directory, "/mismatch-", comparison.mismatches.size() + 1, ".sh");
    FIRSTCALL_RETURN_IF_ERROR(WriteScript(mismatch.script, Script(program, mismatch, firstcall)));
    comparison.mismatches.push_back(std::move(mismatch));
  }
  return comparison;
}

}  // namespace firstcall::testing
