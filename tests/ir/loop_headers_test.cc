// Loops are known by their numbers to the code that replaces a function's first body, so the search
// must find the same headers, in the same order, as splitter/osr.

#include "ir/loop_headers.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/from_llvm/llvm_reader.h"
#include "ir/function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "splitter/osr/block_graph.h"
#include "splitter/osr/block_search.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LoopHeadersTest : public ::testing::Test {
 protected:
  // The headers in @f, whose blocks are `blocks`. Fails if splitter/osr finds others.
  std::vector<uint32_t> HeadersIn(absl::string_view blocks) {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = ParseModule(
        absl::StrCat("define void @f(i1 %c, i32 %n, ptr %p) {\n", blocks, "}"), context);
    if (module == nullptr) return {};
    LlvmReader reader;
    Function function;
    EXPECT_THAT(reader.Begin(*module), IsOk());
    EXPECT_THAT(reader.Read(*module->getFunction("f"), function), IsOk());
    const absl::Span<const uint32_t> headers = headers_.Find(function);
    std::vector<uint32_t> found(headers.begin(), headers.end());
    const BlockGraph graph(*module->getFunction("f"));
    BlockSearch search(graph);
    const std::vector<unsigned>& expected = search.loop_headers();
    EXPECT_EQ(found, std::vector<uint32_t>(expected.begin(), expected.end())) << blocks;
    return found;
  }

  LoopHeaders headers_;
};

TEST_F(LoopHeadersTest, EdgesThatAConstantRulesOutAreOmitted) {
  EXPECT_THAT(HeadersIn(R"(
    b0:
      br i1 true, label %b1, label %b2
    b1:
      br i1 false, label %b1, label %b2
    b2:
      br i1 undef, label %b3, label %b2
    b3:
      ret void)"),
              ElementsAre(2));
}

TEST_F(LoopHeadersTest, AnEdgeBackIsNotAlwaysALoop) {
  EXPECT_THAT(HeadersIn(R"(
    b0:
      br label %b2
    b1:
      ret void
    b2:
      br label %b1)"),
              IsEmpty());
}

TEST_F(LoopHeadersTest, HeadersComeOnceEachInTheOrderInWhichTheyAreFound) {
  EXPECT_THAT(HeadersIn(R"(
    b0:
      br label %b1
    b1:
      switch i32 %n, label %b2 [ i32 1, label %b1
                                 i32 2, label %b1 ]
    b2:
      br label %b3
    b3:
      switch i32 %n, label %b4 [ i32 1, label %b2
                                 i32 2, label %b1 ]
    b4:
      ret void)"),
              ElementsAre(2, 1));
}

TEST_F(LoopHeadersTest, ASearchForgetsTheFormerFunction) {
  EXPECT_THAT(
      HeadersIn("b0:\n br label %b1\nb1:\n br i1 %c, label %b1, label %b2\nb2:\n ret void\n"),
      ElementsAre(1));
  EXPECT_THAT(HeadersIn("b0:\n ret void\n"), IsEmpty());
}

TEST_F(LoopHeadersTest, RandomGraphsHaveTheHeadersThatTheSplitterFinds) {
  std::mt19937 random(1);
  size_t found = 0;
  for (int round = 0; round < 300; ++round) {
    const uint32_t count = 2 + random() % 14;
    const auto target = [&] { return absl::StrCat("label %b", 1 + random() % (count - 1)); };
    std::string blocks;
    for (uint32_t i = 0; i < count; ++i) {
      absl::StrAppend(&blocks, "b", i, ":\n");
      switch (random() % 6) {
        case 0:
          absl::StrAppend(&blocks, "ret void\n");
          break;
        case 1:
          absl::StrAppend(&blocks, "br ", target(), "\n");
          break;
        case 2:
          absl::StrAppend(&blocks, "br i1 ", random() % 2 == 0 ? "true" : "false", ", ", target(),
                          ", ", target(), "\n");
          break;
        case 3:
          absl::StrAppend(&blocks, "switch i32 %n, ", target(), " [ i32 1, ", target(), " i32 2, ",
                          target(), " ]\n");
          break;
        default:
          absl::StrAppend(&blocks, "br i1 %c, ", target(), ", ", target(), "\n");
      }
    }
    found += HeadersIn(blocks).size();
    if (HasFailure()) return;
  }
  EXPECT_GT(found, 200u);
}

}  // namespace
}  // namespace firstcall::ir
