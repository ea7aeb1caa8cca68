#include "direct/compile_context.h"

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backend/baseline/baseline_compiler.h"
#include "base/file_contents.h"
#include "base/ids.h"
#include "base/module_contents.h"
#include "direct/host_target.h"
#include "direct/source_module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/function.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

baseline::BaselineOptions HostOptions() {
  baseline::BaselineOptions options;
  options.features = HostFeatures();
  return options;
}

std::unique_ptr<CompileContext> MakeContext() {
  return CompileContext::Create(HostOptions(), CompileSettings()).value();
}

std::unique_ptr<SourceModule> MakeSource() {
  constexpr absl::string_view kText = "define void @f() { ret void }";
  return std::make_unique<SourceModule>(ModuleId{1},
                                        ModuleContents{"m", ModuleContents::Form::kBitcode,
                                                       FileContents::Copy(ParseToBitcode(kText))},
                                        /*index=*/nullptr);
}

TEST(CompileContextTest, BodiesStayWhereTheyAreWhenThereAreMore) {
  const std::unique_ptr<CompileContext> context = MakeContext();
  ir::Function* const first = &context->Body(0);
  for (size_t i = 1; i < 100; ++i) context->Body(i);
  EXPECT_EQ(&context->Body(0), first);
}

TEST(CompileContextTest, ADroppedBodyIsEmptyAndTheOthersStay) {
  const std::unique_ptr<SourceModule> source = MakeSource();
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const ReadModule> module, source->Read());
  const std::unique_ptr<CompileContext> context = MakeContext();
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_THAT(context->ReaderOf(module).Read(0, context->Body(i)), IsOk());
  }
  context->DropBody(1);
  EXPECT_THAT(context->Body(0).instructions, SizeIs(1));
  EXPECT_THAT(context->Body(1).instructions, IsEmpty());
  EXPECT_EQ(context->Body(1).instructions.capacity(), 0u);
  EXPECT_THAT(context->Body(2).instructions, SizeIs(1));
}

TEST(CompileContextTest, KnowsAModuleUntilTheModuleIsForgotten) {
  const std::unique_ptr<SourceModule> source = MakeSource();
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const ReadModule> module, source->Read());
  const std::unique_ptr<CompileContext> context = MakeContext();
  context->SizesOf(module).Set(0, 7);
  context->DropForgotten();
  ASSERT_TRUE(context->SizesOf(module).Has(0));
  EXPECT_EQ(context->SizesOf(module)[0], 7u);
  source->Forget();
  context->DropForgotten();
  EXPECT_FALSE(context->SizesOf(module).Has(0));
}

TEST(ContextPoolTest, AContextIsUsedAgainOnceItWasReturned) {
  ContextPool pool(HostOptions(), CompileSettings());
  const CompileContext* first = nullptr;
  {
    ASSERT_OK_AND_ASSIGN(const ContextPool::Lease lease, pool.Take());
    ASSERT_OK_AND_ASSIGN(const ContextPool::Lease other, pool.Take());
    EXPECT_NE(&*lease, &*other);
    first = &*lease;
  }
  ASSERT_OK_AND_ASSIGN(const ContextPool::Lease lease, pool.Take());
  EXPECT_EQ(&*lease, first);
}

}  // namespace
}  // namespace firstcall::direct
