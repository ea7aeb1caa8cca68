#include "runtime/process/deferred_compiler.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index_builder.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Notes what it is asked.
class FakeCompiler final : public Compiler {
 public:
  explicit FakeCompiler(std::vector<std::string>& log) : log_(log), is_first_(log.size() == 1) {}

  absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder order) override {
    if (order.contents.name == "bad") return absl::InvalidArgumentError("bad");
    if (order.contents.name == "later" && is_first_) return absl::UnavailableError("not yet");
    log_.push_back("add " + order.contents.name);
    return order.index;
  }
  absl::StatusOr<CompiledFunction> CompileFunction(const FunctionOrder&) override {
    return Note<CompiledFunction>("function");
  }
  absl::StatusOr<CompiledObject> CompileData(const DataOrder&) override {
    return Note<CompiledObject>("data");
  }
  absl::StatusOr<CompiledObject> CompileWhole(const DataOrder&) override {
    return Note<CompiledObject>("whole");
  }
  absl::StatusOr<CompiledObject> Optimize(const OptimizationOrder&) override {
    return Note<CompiledObject>("optimize");
  }
  absl::StatusOr<BodyDigests> DigestBodies(ModuleId) override {
    return Note<BodyDigests>("digests");
  }
  absl::StatusOr<AssemblyLabels> ReadLabels(ModuleId) override {
    return Note<AssemblyLabels>("labels");
  }
  absl::StatusOr<EntryPoint> ReadEntryPoint(ModuleId, SymbolOrdinal) override {
    return Note<EntryPoint>("entry");
  }
  absl::StatusOr<FunctionShape> ReadShape(ModuleId, SymbolOrdinal, bool) override {
    return Note<FunctionShape>("shape");
  }
  void ReadAgain(ModuleId) override { log_.push_back("again"); }
  void ForgetFunctions(ModuleId, bool) override { log_.push_back("forget"); }
  void Remove(ModuleId) override { log_.push_back("remove"); }
  absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() override {
    return Note<std::unique_ptr<Linker>>("linker");
  }
  const void* SomewhereInLibrary() override { return nullptr; }

 private:
  template <typename T>
  absl::StatusOr<T> Note(const char* what) {
    log_.push_back(what);
    return absl::AbortedError(what);
  }

  std::vector<std::string>& log_;
  const bool is_first_;  // Of those that a test has made.
};

std::shared_ptr<const SymbolIndex> IndexOf(const std::string& text) {
  std::unique_ptr<ModuleSource> source =
      ModuleSource::FromText(llvm::MemoryBufferRef(text, "text")).value();
  const std::shared_ptr<ModuleView> view = source->OpenView().value();
  absl::MutexLock lock(&view->mutex());
  return std::make_shared<const SymbolIndex>(BuildSymbolIndex(*view).value());
}

class DeferredCompilerTest : public ::testing::Test {
 protected:
  DeferredCompilerTest()
      : compiler_([this](absl::string_view reason) -> absl::StatusOr<std::unique_ptr<Compiler>> {
          log_.push_back("made for " + std::string(reason));
          if (!failure_.ok()) return failure_;
          return std::make_unique<FakeCompiler>(log_);
        }) {}

  ModuleOrder Known(uint32_t id, const std::string& name) {
    return {ModuleId{id}, {name, ModuleContents::Form::kBitcode, nullptr}, index_};
  }
  absl::Status CompileData(uint32_t id) {
    const auto is_replaced = [](SymbolOrdinal) { return false; };
    return compiler_.CompileData({ModuleId{id}, is_replaced}).status();
  }

  const std::shared_ptr<const SymbolIndex> index_ = IndexOf("define void @f() { ret void }");
  std::vector<std::string> log_;
  absl::Status failure_;
  DeferredCompiler compiler_;
};

TEST_F(DeferredCompilerTest, KnownModulesNeedNoCompiler) {
  ASSERT_OK_AND_ASSIGN(auto index, compiler_.Add(Known(1, "one")));
  EXPECT_EQ(index, index_);
  compiler_.ReadAgain(ModuleId{1});
  compiler_.ForgetFunctions(ModuleId{1}, true);
  compiler_.Remove(ModuleId{1});
  EXPECT_EQ(compiler_.SomewhereInLibrary(), nullptr);
  EXPECT_THAT(log_, IsEmpty());
  EXPECT_EQ(compiler_.compiler(), nullptr);
  EXPECT_EQ(compiler_.reason(), "");
}

TEST_F(DeferredCompilerTest, TheFirstRequestMakesItAndHandsTheModulesOver) {
  ASSERT_THAT(compiler_.Add(Known(2, "two")), IsOk());
  ASSERT_THAT(compiler_.Add(Known(1, "one")), IsOk());
  ASSERT_THAT(compiler_.Add(Known(3, "three")), IsOk());
  compiler_.Remove(ModuleId{3});
  EXPECT_THAT(CompileData(1), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(CompileData(2), StatusIs(absl::StatusCode::kAborted));
  compiler_.Remove(ModuleId{2});
  ASSERT_THAT(compiler_.Add(Known(4, "four")), IsOk());
  EXPECT_THAT(log_, ElementsAre("made for compiling the data of 'one'", "add one", "add two",
                                "data", "data", "remove", "add four"));
  EXPECT_EQ(compiler_.reason(), "compiling the data of 'one'");
}

TEST_F(DeferredCompilerTest, ReadingAModuleAndLinkingNeedIt) {
  ModuleOrder unknown = Known(1, "one");
  unknown.index = nullptr;
  ASSERT_THAT(compiler_.Add(std::move(unknown)), IsOk());
  EXPECT_THAT(compiler_.MakeLinker(), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(log_, ElementsAre("made for reading 'one'", "add one", "linker"));
}

TEST_F(DeferredCompilerTest, AFailureIsKept) {
  failure_ = absl::InvalidArgumentError("no such target");
  ASSERT_THAT(compiler_.Add(Known(1, "one")), IsOk());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(CompileData(1), StatusIs(absl::StatusCode::kInvalidArgument, "no such target"));
  }
  EXPECT_EQ(log_.size(), 1u);
}

TEST_F(DeferredCompilerTest, WhatMayPassIsNotKept) {
  ASSERT_THAT(compiler_.Add(Known(1, "one")), IsOk());
  for (const absl::Status& failure :
       {absl::ResourceExhaustedError("workers are busy"), absl::DeadlineExceededError("no answer"),
        absl::UnavailableError("loading: too many open files")}) {
    failure_ = failure;
    EXPECT_EQ(CompileData(1), failure);
  }
  failure_ = absl::OkStatus();
  EXPECT_THAT(CompileData(1), StatusIs(absl::StatusCode::kAborted));
}

TEST_F(DeferredCompilerTest, NorIsItIfAModuleCannotBeReadForNow) {
  ASSERT_THAT(compiler_.Add(Known(1, "one")), IsOk());
  ASSERT_THAT(compiler_.Add(Known(2, "later")), IsOk());
  EXPECT_THAT(CompileData(1), StatusIs(absl::StatusCode::kUnavailable, "not yet"));
  EXPECT_THAT(CompileData(1), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(log_,
              ElementsAre("made for compiling the data of 'one'", "add one",
                          "made for compiling the data of 'one'", "add one", "add later", "data"));
}

TEST_F(DeferredCompilerTest, SoIsThatOfAModuleThatItCannotRead) {
  ASSERT_THAT(compiler_.Add(Known(1, "one")), IsOk());
  ASSERT_THAT(compiler_.Add(Known(2, "bad")), IsOk());
  EXPECT_THAT(CompileData(1), StatusIs(absl::StatusCode::kInvalidArgument, "bad"));
  EXPECT_THAT(CompileData(1), StatusIs(absl::StatusCode::kInvalidArgument, "bad"));
}

TEST_F(DeferredCompilerTest, ManyThreadsMakeOne) {
  ASSERT_THAT(compiler_.Add(Known(1, "one")), IsOk());
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this] { EXPECT_THAT(compiler_.Make("a test"), IsOk()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(log_, ElementsAre("made for a test", "add one"));
}

}  // namespace
}  // namespace firstcall
