#include "backend/baseline/baseline_compiler.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "backend/baseline/analysis.h"
#include "backend/baseline/architecture.h"
#include "backend/baseline/constant_expansion.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/intrinsic_expansion.h"
#include "backend/baseline/lane_expansion.h"
#include "backend/baseline/lowering.h"
#include "backend/baseline/lowering_aarch64.h"
#include "backend/baseline/lowering_x86_64.h"
#include "backend/baseline/mask_expansion.h"
#include "backend/baseline/passing_expansion.h"
#include "backend/baseline/small_float_expansion.h"
#include "backend/baseline/strict_floats.h"
#include "backend/baseline/thread_local_reuse.h"
#include "backend/baseline/triple.h"
#include "object/machine.h"

namespace firstcall::baseline {

struct BaselineCompiler::Parts {
  explicit Parts(const Architecture& architecture)
      : architecture(architecture), analysis(architecture) {}

  // Turns what the code generator has refused into what it supports. Returns whether `function` has
  // changed; then `map` follows the numbers of the values.
  bool Expand(Refusal refusal, ir::Function& function, CodeMap* map);

  const Architecture& architecture;
  LoweringOptions options;
  Analysis analysis;
  ConstantExpansion constants;
  SmallFloatExpansion small_floats;
  LaneExpansion lanes;
  IntrinsicExpansion intrinsics;
  MaskExpansion masks;
  PassingExpansion passing;
  std::unique_ptr<Lowering> lowering;
};

bool BaselineCompiler::Parts::Expand(Refusal refusal, ir::Function& function, CodeMap* map) {
  const auto follow = [&](const auto& expansion) {
    if (map == nullptr) return;
    for (uint32_t& value : map->live) value = expansion.NewNumberOf(value);
  };
  if ((refusal == Refusal::kIntrinsic || refusal == Refusal::kType ||
       refusal == Refusal::kVector) &&
      MakeStrict(function)) {
    return true;
  }
  if (refusal == Refusal::kConstant && constants.Expand(function)) {
    follow(constants);
    return true;
  }
  if (refusal == Refusal::kType && small_floats.Expand(function, options.coverage.flushes_bfloat)) {
    follow(small_floats);
    return true;
  }
  if (refusal == Refusal::kVector || refusal == Refusal::kIntrinsic) {
    if (lanes.Expand(function, architecture, options.coverage)) {
      follow(lanes);
      return true;
    }
    if (intrinsics.Expand(function)) {
      follow(intrinsics);
      return true;
    }
  }
  if (refusal == Refusal::kType && masks.Expand(function)) {
    follow(masks);
    return true;
  }
  if ((refusal == Refusal::kType || refusal == Refusal::kArgumentPassing) &&
      passing.Expand(function, architecture, options.coverage)) {
    follow(passing);
    return true;
  }
  return false;
}

absl::Span<const char* const> BaselineCompiler::Features(absl::string_view triple) {
  static constexpr const char* kX86_64[] = {"sse4.1", "popcnt", "fma",        "fma4",        "f16c",
                                            "cx16",   "avx",    "avx512bf16", "avxneconvert"};
  static constexpr const char* kAArch64[] = {"lse"};
  switch (MachineOf(triple)) {
    case Machine::kX86_64:
      return kX86_64;
    case Machine::kAArch64:
      return kAArch64;
    case Machine::kOther:
      break;
  }
  return {};
}

absl::StatusOr<std::unique_ptr<BaselineCompiler>> BaselineCompiler::Create(
    absl::string_view triple, const BaselineOptions& options) {
  const auto has = [&](const char* feature) {
    return absl::c_linear_search(options.features, feature);
  };
  CoverageOptions coverage;
  coverage.has_few_registers = options.has_few_registers;
  coverage.has_stack_guard = IsLinux(triple);
  coverage.emulates_thread_locals = options.emulates_thread_locals;
  coverage.refuses_thread_locals = options.is_for_any_linker && !options.emulates_thread_locals;
  coverage.ignores_debug_information = options.ignores_debug_information;
  coverage.has_assembler = options.text_assembler != nullptr;
  std::unique_ptr<Parts> parts;
  // What LLVM writes as Mach-O is read into the form that this compiler's code has, so both fit
  // together.
  const Machine machine = HasElfOrMacho(triple) ? MachineOf(triple) : Machine::kOther;
  if (machine == Machine::kX86_64) {
    parts = std::make_unique<Parts>(ArchitectureX86_64());
    parts->lowering = std::make_unique<x86_64::LoweringX86_64>(parts->analysis.facts());
    coverage.has_rounding = has("sse4.1");
    coverage.has_popcnt = has("popcnt");
    coverage.has_fusion = has("fma") || has("fma4");
    coverage.has_avx = has("avx");
    coverage.has_half_conversions = has("f16c");
    // Processors with AVX load and store 16 aligned bytes at once.
    coverage.has_wide_exchange = has("cx16");
    coverage.has_wide_accesses = has("cx16") && has("avx");
    coverage.flushes_bfloat = has("avx512bf16") || has("avxneconvert");
  } else if (machine == Machine::kAArch64) {
    parts = std::make_unique<Parts>(ArchitectureAArch64());
    parts->lowering = std::make_unique<aarch64::LoweringAArch64>(parts->analysis.facts());
    coverage.has_rounding = coverage.has_popcnt = true;
    coverage.has_atomic_updates = has("lse");
    coverage.has_wide_exchange = true;
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("create baseline compiler: not for '", triple, "'"));
  }
  parts->options.coverage = coverage;
  parts->options.text_assembler = options.text_assembler;
  parts->options.is_for_any_linker = options.is_for_any_linker;
  return std::unique_ptr<BaselineCompiler>(new BaselineCompiler(std::move(parts)));
}

BaselineCompiler::BaselineCompiler(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
BaselineCompiler::~BaselineCompiler() = default;

Refusal BaselineCompiler::Compile(ir::Function& function, bool is_near, CompiledCode& code,
                                  CodeMap* map) {
  LoweringOptions& lowering_options = parts_->options;
  lowering_options.is_near = is_near;
  for (bool is_large : {false, true}) {
    lowering_options.is_large = is_large;
    Refusal refusal = parts_->analysis.Run(function, lowering_options.coverage);
    while (parts_->Expand(refusal, function, map)) {
      refusal = parts_->analysis.Run(function, lowering_options.coverage);
    }
    if (refusal == Refusal::kNone && parts_->analysis.facts().thread_local_addresses > 1 &&
        ReuseThreadLocals(function)) {
      refusal = parts_->analysis.Run(function, lowering_options.coverage);
    }
    if (refusal == Refusal::kNone) {
      refusal = parts_->lowering->Run(function, lowering_options, code, map);
    }
    if (refusal != Refusal::kReach) return refusal;
  }
  return Refusal::kReach;
}

}  // namespace firstcall::baseline
