// Also tests block_graph.

#include "direct/osr/block_search.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "direct/osr/block_graph.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/direct/osr/comparing.h"

namespace firstcall::direct {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class BlockSearchTest : public ::testing::Test {
 protected:
  // Searches @f, whose blocks have numbers from 0 to 9 as names.
  void Search(absl::string_view blocks) {
    function_ = std::make_unique<ComparedFunction>(
        absl::StrCat("define void @f(i1 %c, i32 %n, ptr %p) {\n", blocks, "}"));
    ASSERT_TRUE(function_->is_valid());
    graph_.Build(function_->body());
    search_.Run(graph_);
  }

  std::unique_ptr<ComparedFunction> function_;
  BlockGraph graph_;
  BlockSearch search_;
};

TEST_F(BlockSearchTest, EdgesAreInTheOrderOfTheTargets) {
  Search(R"(
    b0:
      switch i32 %n, label %b2 [ i32 1, label %b1
                                 i32 2, label %b2 ]
    b1:
      br i1 %c, label %b2, label %b1
    b2:
      ret void)");
  EXPECT_EQ(graph_.size(), 3u);
  EXPECT_THAT(graph_.Successors(0), ElementsAre(2, 1, 2));
  EXPECT_THAT(graph_.Successors(1), ElementsAre(2, 1));
  EXPECT_THAT(graph_.Successors(2), IsEmpty());
  EXPECT_THAT(graph_.Predecessors(0), IsEmpty());
  EXPECT_THAT(graph_.Predecessors(1), ElementsAre(0, 1));
  EXPECT_THAT(graph_.Predecessors(2), ElementsAre(0, 0, 1));
}

TEST_F(BlockSearchTest, EdgesThatAConstantRulesOutAreOmitted) {
  Search(R"(
    b0:
      br i1 true, label %b1, label %b2
    b1:
      br i1 false, label %b1, label %b2
    b2:
      br i1 undef, label %b3, label %b4
    b3:
      ret void
    b4:
      ret void)");
  EXPECT_THAT(graph_.Successors(0), ElementsAre(1));
  EXPECT_THAT(graph_.Successors(1), ElementsAre(2));
  EXPECT_THAT(graph_.Successors(2), ElementsAre(3, 4));
  EXPECT_FALSE(graph_.has_backward_edge());
}

TEST_F(BlockSearchTest, AnEdgeBackIsNotAlwaysALoop) {
  Search(R"(
    b0:
      br label %b2
    b1:
      ret void
    b2:
      br label %b1)");
  EXPECT_TRUE(graph_.has_backward_edge());
  EXPECT_THAT(search_.loop_headers(), IsEmpty());
}

TEST_F(BlockSearchTest, HeadersComeOnceEachInTheOrderInWhichTheyAreFound) {
  Search(R"(
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
      ret void)");
  EXPECT_THAT(search_.loop_headers(), ElementsAre(2, 1));
}

TEST_F(BlockSearchTest, DominatorsAreThoseOnEveryWay) {
  Search(R"(
    b0:
      br i1 %c, label %b1, label %b2
    b1:
      br label %b3
    b2:
      br label %b3
    b3:
      br i1 %c, label %b4, label %b3
    b4:
      br i1 %c, label %b3, label %b5
    b5:
      ret void
    b6:
      br label %b3)");
  EXPECT_THAT(search_.Dominators(0), IsEmpty());
  EXPECT_THAT(search_.Dominators(3), ElementsAre(0));
  EXPECT_THAT(search_.Dominators(5), ElementsAre(0, 3, 4));
}

TEST_F(BlockSearchTest, ASearchForgetsTheFormerGraph) {
  Search("b0:\n br label %b1\nb1:\n br i1 %c, label %b1, label %b2\nb2:\n ret void\n");
  EXPECT_THAT(search_.Dominators(1), ElementsAre(0));
  Search("b0:\n br label %b1\nb1:\n br label %b2\nb2:\n br i1 %c, label %b1, label %b2\n");
  EXPECT_THAT(search_.loop_headers(), ElementsAre(1, 2));
  EXPECT_THAT(search_.Dominators(2), ElementsAre(0, 1));
  EXPECT_THAT(graph_.Predecessors(2), ElementsAre(1, 2));
}

}  // namespace
}  // namespace firstcall::direct
