#include "tests/backend/baseline/coverage_count.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/refusal.h"
#include "base/status.h"
#include "bitcode/function_reader.h"
#include "bitcode/module.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/module.h"
#include "object/compiled_code.h"

namespace firstcall::baseline {
namespace {

double Percent(int64_t part, int64_t all) {
  return all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

absl::StatusOr<CoverageCount> CountCoverage(absl::string_view bitcode) {
  FIRSTCALL_ASSIGN_OR_RETURN(
      std::unique_ptr<bitcode::BitcodeModule> source,
      bitcode::BitcodeModule::Read(
          absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bitcode.data()), bitcode.size())));
  const ir::Module& module = source->module();
  BaselineOptions options;
  options.features = {"sse4.1", "popcnt", "lse"};
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<BaselineCompiler> compiler,
                             BaselineCompiler::Create(module.triple(), options));
  bitcode::FunctionReader reader(*source);
  ir::Function body;
  CompiledCode code;
  CoverageCount count;
  for (uint32_t number = 0; number < module.globals().size(); ++number) {
    const ir::Global& global = module.globals()[number];
    if (!global.IsFunction() || global.is_declaration()) continue;
    ++count.all.functions;
    if (const absl::Status status = reader.Read(number, body); !status.ok()) {
      ++count.refused[absl::StrCat("not read: ", status.message())].functions;
      continue;
    }
    body.has_debug_information = false;
    const auto instructions = static_cast<int64_t>(body.instructions.size());
    count.all.instructions += instructions;
    const Refusal refusal = compiler->Compile(body, /*is_near=*/true, code);
    if (refusal == Refusal::kNone) continue;
    CoverageCount::Part& refused = count.refused[std::string(RefusalName(refusal))];
    ++refused.functions;
    refused.instructions += instructions;
  }
  return count;
}

std::string TextOf(const CoverageCount& count) {
  CoverageCount::Part refused;
  std::vector<std::pair<std::string, CoverageCount::Part>> reasons(count.refused.begin(),
                                                                   count.refused.end());
  for (const auto& [reason, part] : reasons) {
    refused.functions += part.functions;
    refused.instructions += part.instructions;
  }
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
    return a.second.instructions > b.second.instructions;
  });
  const CoverageCount::Part& all = count.all;
  std::string text = absl::StrFormat(
      "%d functions, %d instructions; covered: %.2f %% of functions, %.2f %% of instructions\n",
      all.functions, all.instructions, Percent(all.functions - refused.functions, all.functions),
      Percent(all.instructions - refused.instructions, all.instructions));
  for (const auto& [reason, part] : reasons) {
    absl::StrAppendFormat(&text, "  %d functions, %d instructions: %s\n", part.functions,
                          part.instructions, reason);
  }
  return text;
}

}  // namespace firstcall::baseline
