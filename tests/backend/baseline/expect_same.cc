#include "tests/backend/baseline/expect_same.h"

#include <map>
#include <tuple>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "tests/splitter/osr/reference_jit.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {

std::unique_ptr<llvm::Module> Parse(const std::string& text, llvm::LLVMContext& context) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssembly(llvm::MemoryBufferRef(text, "test"), diagnostic, context);
  if (module == nullptr) {
    ADD_FAILURE() << diagnostic.getMessage().str() << " in line " << diagnostic.getLineNo();
    return nullptr;
  }
  module->setDataLayout(ReferenceDataLayout());
  return module;
}

Engine& StrictEngine(bool is_near, const std::string& features, bool is_strict) {
  static auto* const engines =
      new std::map<std::tuple<bool, std::string, bool>, std::unique_ptr<Engine>>();
  std::unique_ptr<Engine>& engine = (*engines)[{is_near, features, is_strict}];
  if (engine == nullptr) {
    EngineOptions options;
    options.baseline = is_strict ? Baseline::kStrict : Baseline::kOn;
    options.tier = Tier::kZero;
    options.features = features;
    // With a client's memory manager, modules are compiled to lie anywhere.
    if (!is_near) options.memory_manager = [](std::shared_ptr<MemoryManager> own) { return own; };
    engine = Engine::Create(options).value();
  }
  return *engine;
}

void ExpectSame(const std::string& text, const std::string& features,
                const std::string& reference) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> original = Parse(reference.empty() ? text : reference, context);
  if (original == nullptr) return;
  ReferenceJit jit(std::move(original), /*optimize=*/false, {});
  auto* expected = jit.Address<int64_t(int64_t, int64_t)>("f");
  ASSERT_NE(expected, nullptr);
  for (bool is_near : {true, false}) {
    Engine& engine =
        StrictEngine(is_near, features, /*is_strict=*/!absl::StrContains(text, "alignstack"));
    ASSERT_OK_AND_ASSIGN(const ModuleId program, engine.AddAssembly(text, "test"));
    const absl::Cleanup remove = [&] { EXPECT_THAT(engine.Remove(program), IsOk()); };
    ASSERT_OK_AND_ASSIGN(auto* actual, (engine.Lookup<int64_t(int64_t, int64_t)>("f")));
    for (int64_t a : kInputs) {
      for (int64_t b : kInputs) {
        ASSERT_EQ(actual(a, b), expected(a, b)) << "f(" << a << ", " << b << ") of\n" << text;
      }
    }
  }
}

}  // namespace firstcall
