#include "splitter/large_variables.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "seam/near_variables.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(LargeVariablesTest, FewAreNearUpToASize) {
  EXPECT_EQ(LargestNearVariable({}), 16 * kMiB);
  EXPECT_EQ(LargestNearVariable({1, 8, 16 * kMiB}), 16 * kMiB);
  EXPECT_EQ(LargestNearVariable({4, 3000 * kMiB, 17 * kMiB}), 16 * kMiB);
}

TEST(LargeVariablesTest, OfManyTheSmallestAreNear) {
  std::vector<uint64_t> sizes(100, 10 * kMiB);
  for (int i = 0; i < 60; ++i) sizes.push_back(kMiB);
  EXPECT_EQ(LargestNearVariable(sizes), kMiB);
  for (int i = 0; i < 10; ++i) sizes.push_back(kMiB);
  EXPECT_EQ(LargestNearVariable(sizes), 0u);
  sizes.push_back(3);
  EXPECT_EQ(LargestNearVariable(sizes), 3u);
}

TEST(LargeVariablesTest, TheyGetSectionsAndAreReachedThroughTheOffsetTable) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(R"(
      @zeros = internal global [100 x i8] zeroinitializer
      @constant_zeros = hidden constant [100 x i8] zeroinitializer
      @text = private unnamed_addr constant [4 x i8] c"abc\00"
      @0 = private global [2 x i32] [i32 1, i32 2]
      @tentative = common dso_local global [5 x i8] zeroinitializer
      @named = dso_local global [5 x i8] zeroinitializer, section "mine"
      @of_thread = thread_local global [5 x i8] zeroinitializer
      @outside = external global [5 x i8]
      @unknown = external global %opaque
      @short = dso_local global [3 x i8] zeroinitializer
      %opaque = type opaque)",
                                                           context);
  PlaceLargeVariablesApart(*module, /*largest_near=*/3);
  const std::string text = PrintModule(*module);
  EXPECT_THAT(text,
              HasSubstr("@zeros = global [100 x i8] zeroinitializer, section \".bss.fc_large\""));
  EXPECT_THAT(
      text,
      HasSubstr("@constant_zeros = global [100 x i8] zeroinitializer, section \".bss.fc_large\""));
  EXPECT_THAT(text, HasSubstr("@text = unnamed_addr constant [4 x i8] c\"abc\\00\", section "
                              "\".lrodata\""));
  EXPECT_THAT(text, HasSubstr("@large = global [2 x i32] [i32 1, i32 2], section \".ldata\""));
  EXPECT_THAT(text,
              HasSubstr("@tentative = global [5 x i8] zeroinitializer, section \".bss.fc_large\""));
  EXPECT_THAT(text, HasSubstr("@named = global [5 x i8] zeroinitializer, section \"mine\""));
  EXPECT_THAT(text, HasSubstr("@of_thread = thread_local global [5 x i8] zeroinitializer\n"));
  EXPECT_THAT(text, HasSubstr("@outside = external global [5 x i8]\n"));
  EXPECT_THAT(text, HasSubstr("@short = dso_local global [3 x i8] zeroinitializer\n"));
}

TEST(LargeVariablesTest, MachOHasNoSectionsForThem) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(R"(
      target triple = "x86_64-unknown-linux-gnu-macho"
      @zeros = internal global [100 x i8] zeroinitializer)",
                                                           context);
  PlaceLargeVariablesApart(*module, /*largest_near=*/3);
  EXPECT_THAT(PrintModule(*module), HasSubstr("@zeros = internal global [100 x i8] zeroinit"));
}

TEST(LargeVariablesTest, TheSourceMaySayThatAVariableIsLarge) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(R"(
      @plain = global i8 0
      @model = global i8 0, code_model "large"
      @section = global i8 0, section ".lbss.section"
      @other = global i8 0, section ".lbssx")",
                                                           context);
  EXPECT_FALSE(IsDeclaredLarge(*module->getNamedGlobal("plain")));
  EXPECT_TRUE(IsDeclaredLarge(*module->getNamedGlobal("model")));
  EXPECT_TRUE(IsDeclaredLarge(*module->getNamedGlobal("section")));
  EXPECT_FALSE(IsDeclaredLarge(*module->getNamedGlobal("other")));
}

}  // namespace
}  // namespace firstcall
