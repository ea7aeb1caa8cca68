// How functions are compiled ahead. With clients: tests/engine/served_compiler_test.cc.

#include "services/server/compile_ahead.h"

#include <memory>
#include <utility>

#include "absl/synchronization/notification.h"
#include "compiler/in_process_compiler.h"
#include "gtest/gtest.h"
#include "seam/listener.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr char kModule[] = R"(
  declare void @other()
  define void @callee() { call void @other() ret void }
  define void @caller() { call void @callee() ret void }
)";

// Notes whether an order wants a list of callees, and carries none out.
class NotingCompiler final : public Compiler {
 public:
  absl::Notification noted;
  bool lists_callees = false;
  SymbolOrdinal function;

  absl::StatusOr<CompiledFunction> CompileFunction(const FunctionOrder& order) override {
    lists_callees = order.lists_callees;
    function = order.function;
    noted.Notify();
    return absl::UnimplementedError("not compiled");
  }
  absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder) override { return None(); }
  absl::StatusOr<CompiledObject> CompileData(const DataOrder&) override { return None(); }
  absl::StatusOr<CompiledObject> CompileWhole(const DataOrder&) override { return None(); }
  absl::StatusOr<CompiledObject> Optimize(const OptimizationOrder&) override { return None(); }
  absl::StatusOr<BodyDigests> DigestBodies(ModuleId) override { return None(); }
  absl::StatusOr<AssemblyLabels> ReadLabels(ModuleId) override { return None(); }
  absl::StatusOr<EntryPoint> ReadEntryPoint(ModuleId, SymbolOrdinal) override { return None(); }
  absl::StatusOr<FunctionShape> ReadShape(ModuleId, SymbolOrdinal, bool) override { return None(); }
  void ReadAgain(ModuleId) override {}
  void ForgetFunctions(ModuleId, bool) override {}
  void Remove(ModuleId) override {}
  absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() override { return None(); }
  const void* SomewhereInLibrary() override { return nullptr; }

 private:
  static absl::Status None() { return absl::UnimplementedError("not asked for"); }
};

TEST(CompileAheadTest, WhatIsMadeAheadIsOrderedAsItsCallerWas) {
  Listener listener;
  ASSERT_OK_AND_ASSIGN(const auto compiler, InProcessCompiler::Create({}, listener));
  ModuleOrder module;
  module.id = ModuleId{1};
  module.contents.name = "module";
  module.contents.form = ModuleContents::Form::kText;
  module.contents.bytes = FileContents::Copy(kModule);
  ASSERT_OK_AND_ASSIGN(const auto index, compiler->Add(std::move(module)));
  const auto no = [](SymbolOrdinal) { return false; };
  FunctionOrder order{ModuleId{1}, index->Find("caller").value(), no, no};
  order.others_may_join = true;
  order.lists_callees = true;
  ASSERT_OK_AND_ASSIGN(const CompiledFunction caller, compiler->CompileFunction(order));
  // The thread that compiles ahead is never stopped.
  static auto* const noting = new NotingCompiler;
  static auto* const ahead = new CompileAhead(*noting);
  ahead->NoteObject(ValuesOf(order), index, caller.object.bytes);
  noting->noted.WaitForNotification();
  EXPECT_EQ(noting->function, index->Find("callee").value());
  EXPECT_TRUE(noting->lists_callees);
}

}  // namespace
}  // namespace firstcall
