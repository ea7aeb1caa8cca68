#include "tests/bitcode/read_and_compile.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backend/baseline/triple.h"
#include "backend/baseline/variables.h"
#include "bitcode/function_reader.h"
#include "ir/global.h"
#include "ir/module.h"
#include "object/elf_writer.h"

namespace firstcall::testing {
namespace {

using baseline::BaselineCompiler;
using baseline::Refusal;

// The only two failures that a reader may report.
void CheckFailure(const absl::Status& status) {
  if (status.ok()) return;
  const bool is_expected = absl::IsUnimplemented(status) || absl::IsInvalidArgument(status);
  if (is_expected && !status.message().empty()) return;
  std::fprintf(stderr, "a reader must not fail with '%s'\n", status.ToString().c_str());
  std::abort();
}

}  // namespace

ReadAndCompile::ReadAndCompile() {
  for (SampleTarget target : {SampleTarget::kX86_64, SampleTarget::kAArch64}) {
    const absl::string_view triple = TripleOf(target);
    baseline::BaselineOptions options;
    const absl::Span<const char* const> features = BaselineCompiler::Features(triple);
    options.features.assign(features.begin(), features.end());
    absl::StatusOr<std::unique_ptr<BaselineCompiler>> compiler =
        BaselineCompiler::Create(triple, options);
    if (!compiler.ok()) std::abort();
    targets_.push_back({target, baseline::MachineOf(triple), *std::move(compiler)});
  }
}

const ReadAndCompile::Target* ReadAndCompile::TargetOf(const bitcode::BitcodeModule& module) const {
  for (const Target& target : targets_) {
    if (module.layout_text() == LayoutOf(target.target)) return &target;
  }
  return nullptr;
}

void ReadAndCompile::ReadBodies(const bitcode::BitcodeModule& source, const Target* target,
                                Outcome& outcome) {
  const ir::Module& module = source.module();
  bitcode::FunctionReader reader(source);
  for (uint32_t number = 0; number < module.globals().size(); ++number) {
    const ir::Global& global = module.globals()[number];
    if (!global.IsFunction() || global.is_declaration()) continue;
    const absl::Status status = reader.Read(number, body_);
    CheckFailure(status);
    outcome.first_failure.Update(status);
    if (!status.ok()) {
      ++(absl::IsUnimplemented(status) ? outcome.unknown : outcome.invalid);
      continue;
    }
    ++outcome.read;
    const bool is_near = number % 2 == 0;
    if (target != nullptr && target->compiler->Compile(body_, is_near, code_) == Refusal::kNone) {
      ++outcome.compiled;
    }
  }
}

ReadAndCompile::Outcome ReadAndCompile::Run(absl::string_view bitcode) {
  Outcome outcome;
  const absl::StatusOr<std::unique_ptr<bitcode::BitcodeModule>> module =
      bitcode::BitcodeModule::Read(
          absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bitcode.data()), bitcode.size()));
  outcome.module = module.status();
  CheckFailure(outcome.module);
  if (!module.ok()) return outcome;
  const Target* const target = TargetOf(**module);
  ReadBodies(**module, target, outcome);
  for (bool emulates_thread_locals : {false, true}) {
    if (target == nullptr) break;
    if (baseline::WriteVariables((*module)->module(), emulates_thread_locals, code_) ==
        Refusal::kNone) {
      (void)WriteElfObject(absl::MakeConstSpan(&code_, 1), target->machine, "");
    }
  }
  outcome.objects = directly_.Run(bitcode);
  return outcome;
}

}  // namespace firstcall::testing
