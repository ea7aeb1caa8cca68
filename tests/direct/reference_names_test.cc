#include "direct/reference_names.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "direct/symbol_index_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "seam/symbol_index.h"
#include "tests/direct/read_both_ways.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

constexpr char kModule[] = R"(
  @variable = global [4 x i32] zeroinitializer
  @weak = weak global i32 1
  @outside = external global i32
  @large = global i32 1, code_model "large"
  @text = private unnamed_addr constant [4 x i8] c"abc\00"
  @local = internal global i32 1
  @third = alias i32, getelementptr (i8, ptr @variable, i64 8)
  @keeper = alias i32, ptr @weak
  @called = alias void (), ptr @f
  @chosen = ifunc void (), ptr @resolver
  define void @f() unnamed_addr { ret void }
  define internal void @g() { ret void }
  declare void @h()
  define ptr @resolver() { ret ptr null }
)";

class ReferenceNamesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(read_.ok());
    absl::StatusOr<SymbolIndex> index = ReadSymbolIndex(read_.module());
    ASSERT_THAT(index, IsOk());
    index_.emplace(*std::move(index));
  }

  static std::string TextOf(const Reference& reference) {
    if (reference.base == ir::kNone) return "none";
    if (reference.is_copied) return "copied";
    return absl::StrCat(reference.is_near ? "near " : "", reference.name,
                        reference.offset == 0 ? "" : absl::StrCat("+", reference.offset));
  }
  std::string Address(absl::string_view name, IsReplaced is_replaced = Never, bool is_far = false) {
    return TextOf(SymbolReferences(read_.module(), *index_, is_replaced, is_far)
                      .OfAddress(read_.NumberOf(name)));
  }
  std::string Call(absl::string_view name) {
    return TextOf(
        SymbolReferences(read_.module(), *index_, Never, false).OfCall(read_.NumberOf(name)));
  }
  std::string Entry(absl::string_view name) {
    return TextOf(
        SymbolReferences(read_.module(), *index_, Never, false).OfTableEntry(read_.NumberOf(name)));
  }
  static bool Never(SymbolOrdinal) { return false; }
  static bool Always(SymbolOrdinal) { return true; }

  ReadBothWays read_{kModule};
  std::optional<SymbolIndex> index_;
};

TEST_F(ReferenceNamesTest, NamesAddresses) {
  EXPECT_EQ(Address("variable"), "near variable");
  EXPECT_EQ(Address("weak"), "weak");
  EXPECT_EQ(Address("outside"), "outside");
  EXPECT_EQ(Address("large"), "large");
  EXPECT_EQ(Address("local"), "near local$5");
  EXPECT_EQ(Address("f"), "near f$fc.stub");
  EXPECT_EQ(Address("h"), "h");
  EXPECT_EQ(Address("chosen"), "near chosen$fc.stub");
}

TEST_F(ReferenceNamesTest, AliasesAreWhatTheyStandFor) {
  EXPECT_EQ(Address("third"), "near variable+8");
  EXPECT_EQ(Address("called"), "near f$fc.stub");
  EXPECT_EQ(Address("keeper"), "weak");
  EXPECT_EQ(Address("keeper", Always), "keeper");
  EXPECT_EQ(Call("called"), "near f$fc.call");
  EXPECT_EQ(Entry("called"), "near f$fc.table");
}

TEST_F(ReferenceNamesTest, CallsAndEntriesHaveNamesOfTheirOwn) {
  EXPECT_EQ(Call("f"), "near f$fc.call");
  EXPECT_EQ(Call("h"), "none");
  EXPECT_EQ(Call("chosen"), "near chosen$fc.call");
  EXPECT_EQ(Entry("f"), "near f$fc.table");
  EXPECT_EQ(Entry("g"), "none");
  EXPECT_EQ(Entry("h"), "none");
  EXPECT_EQ(Entry("variable"), "none");
}

TEST_F(ReferenceNamesTest, NothingIsNearWhatIsFar) {
  EXPECT_EQ(Address("variable", Never, /*is_far=*/true), "variable");
  EXPECT_EQ(Address("f", Never, /*is_far=*/true), "f$fc.stub");
}

TEST_F(ReferenceNamesTest, ConstantsAreCopiedUnlessShared) {
  EXPECT_EQ(Address("text"), "copied");
  SymbolReferences references(read_.module(), *index_, Never, false);
  const Variables shared = {read_.NumberOf("text")};
  references.Share(shared);
  EXPECT_EQ(TextOf(references.OfAddress(read_.NumberOf("text"))), "near text$4");
}

}  // namespace
}  // namespace firstcall::direct
