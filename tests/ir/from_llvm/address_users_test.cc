#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/function.h"
#include "ir/module.h"
#include "tests/ir/from_llvm/reading.h"

namespace firstcall::ir {
namespace {

constexpr char kFunctions[] = R"(
    define void @f(ptr %p) {
      %label = load ptr, ptr %p
      indirectbr ptr %label, [label %a, label %b]
    a:
      ret void
    b:
      ret void
    }
    define ptr @g() {
      ret ptr null
    }
)";

// Of @table, an array of addresses of blocks of @f, in a module with kFunctions and `text`.
uint32_t UserOfTable(const std::string& text, const char* constant = "constant") {
  Reading reading(absl::StrCat("@table = internal ", constant,
                               " [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]\n",
                               kFunctions, text));
  const Module& module = reading.module();
  const uint32_t user = module.OnlyUserOf(module.NumberOf(reading.GlobalNamed("table")));
  return user >= module.globals().size() ? user : user - module.NumberOf(reading.GlobalNamed("f"));
}

TEST(AddressUsersTest, ATableHasAnOnlyUserOrNone) {
  EXPECT_EQ(UserOfTable(""), Module::kNobody);
  EXPECT_EQ(UserOfTable("define ptr @u() { ret ptr @table }"), 2u);
  EXPECT_EQ(UserOfTable(R"(define ptr @u(ptr %p) {
      store ptr @table, ptr %p
      ret ptr getelementptr (i8, ptr @table, i64 ptrtoint (ptr @table to i64)) })"),
            2u);
}

TEST(AddressUsersTest, SeveralUsersAndDataAreNotOne) {
  EXPECT_EQ(UserOfTable("define ptr @u() { ret ptr @table } define ptr @v() { ret ptr @table }"),
            kNone);
  EXPECT_EQ(UserOfTable("@data = global ptr @table define ptr @u() { ret ptr @table }"), kNone);
  EXPECT_EQ(UserOfTable("define ptr @u() { ret ptr @table }", "global"), kNone);
}

TEST(AddressUsersTest, ListsAddressesOfBlocksInData) {
  Reading reading(absl::StrCat("@data = global ptr blockaddress(@f, %a)", kFunctions));
  const Module& module = reading.module();
  ASSERT_EQ(module.block_addresses().size(), 1u);
  EXPECT_EQ(module.constants()[module.block_addresses()[0]].block(), 1u);
}

TEST(AddressUsersTest, BlocksOfWhichOtherFunctionsKnowAreShared) {
  const std::string function = R"(define ptr @h() { br label %a
    a: ret ptr blockaddress(@h, %a) })";
  Reading alone(absl::StrCat(kFunctions, function));
  EXPECT_FALSE(alone.Body("h").has_shared_blocks());
  EXPECT_TRUE(alone.Body("h").blocks[1].has_address_taken);
  EXPECT_FALSE(alone.Body("g").has_shared_blocks());
  for (const char* user : {"define ptr @u() { ret ptr blockaddress(@h, %a) }",
                           "define void @u(ptr %p) { store i64 ptrtoint (ptr blockaddress(@h, %a) "
                           "to i64), ptr %p ret void }"}) {
    Reading shared(absl::StrCat(kFunctions, function, user));
    EXPECT_TRUE(shared.Body("h").has_shared_blocks()) << user;
    EXPECT_FALSE(shared.Body("u").has_shared_blocks()) << user;
  }
  Reading in_data(absl::StrCat("@data = global ptr blockaddress(@h, %a)", kFunctions, function));
  EXPECT_FALSE(in_data.Body("h").has_shared_blocks());
}

}  // namespace
}  // namespace firstcall::ir
