#include "tests/bitcode/compile_directly.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file_contents.h"
#include "base/ids.h"
#include "base/module_contents.h"
#include "seam/compiler.h"
#include "seam/compiler_settings.h"
#include "seam/symbol_index.h"

namespace firstcall::testing {
namespace {

constexpr ModuleId kModule{1};

// Returns whether there is no failure.
bool Check(const absl::Status& status) {
  if (status.ok()) return true;
  const bool is_expected = absl::IsUnimplemented(status) || absl::IsInvalidArgument(status);
  if (is_expected && !status.message().empty()) return false;
  std::fprintf(stderr, "the compiler must not fail with '%s'\n", status.ToString().c_str());
  std::abort();
}

// Compiles the first body of `function`: far from the process and without polls, or with polls and
// all the functions that may join it.
bool CompileBody(Compiler& compiler, SymbolOrdinal function, bool is_plain) {
  std::set<SymbolOrdinal> joined = {function};
  const auto may_join = [&](SymbolOrdinal other) {
    return !is_plain && joined.size() < 4 && joined.insert(other).second;
  };
  const auto is_replaced = [](SymbolOrdinal) { return false; };
  FunctionOrder order{kModule, function, is_replaced, may_join};
  order.is_far = is_plain;
  order.lists_callees = true;
  if (!is_plain) {
    order.polls = {/*asks_when_called=*/function.value % 2 == 0, /*allowance=*/1000};
    order.companions = 2;
    order.callees_along = 2;
  }
  return Check(compiler.CompileFunction(order).status());
}

}  // namespace

CompileDirectly::CompileDirectly() {
  CompilerSettings settings;
  settings.promotes = true;
  compiler_ = direct::DirectCompiler::Create(settings);
  if (compiler_ == nullptr) std::abort();
}

int CompileDirectly::Run(absl::string_view bitcode) {
  const absl::StatusOr<std::shared_ptr<const SymbolIndex>> index = compiler_->Add(
      {kModule, {"m", ModuleContents::Form::kBitcode, FileContents::Copy(bitcode)}, nullptr});
  if (!Check(index.status())) return 0;
  int made = 0;
  const auto is_replaced = [](SymbolOrdinal) { return false; };
  for (uint32_t i = 0; i < (*index)->size(); ++i) {
    const SymbolOrdinal ordinal{i};
    const Symbol symbol = (*index)->at(ordinal);
    if (symbol.kind != SymbolKind::kFunction || !symbol.is_definition) continue;
    for (bool is_plain : {true, false}) made += CompileBody(*compiler_, ordinal, is_plain) ? 1 : 0;
    Check(compiler_->ReadEntryPoint(kModule, ordinal).status());
    Check(compiler_->ReadShape(kModule, ordinal, /*is_last_use=*/false).status());
  }
  made += Check(compiler_->CompileData({kModule, is_replaced}).status()) ? 1 : 0;
  Check(compiler_->DigestBodies(kModule).status());
  Check(compiler_->ReadLabels(kModule).status());
  compiler_->Remove(kModule);
  return made;
}

}  // namespace firstcall::testing
