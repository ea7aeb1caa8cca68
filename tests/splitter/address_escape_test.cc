#include "splitter/address_escape.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kModule[] = R"(
  @a = private unnamed_addr constant [4 x i8] c"abc\00"
  @b = private unnamed_addr constant [4 x i8] c"bcd\00"
  @table = private unnamed_addr constant [2 x ptr] [ptr @b, ptr @f]
  @variable = global ptr null
  declare void @unknown(ptr)
  declare void @forgets(ptr nocapture)
  declare i32 @printf(ptr, ...)
  declare ptr @strchr(ptr, i32)
  declare i64 @strlen(ptr)
  declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
  define ptr @f(i1 %condition, i64 %i, ptr %p) {
  )";

// The names of the constants that get out of a function with this body.
std::vector<std::string> Escaping(absl::string_view body) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(absl::StrCat(kModule, body, "\n}"), context);
  if (module == nullptr) return {"the module is wrong"};
  Variables escaping;
  AddressEscape().Find(
      *module->getFunction("f"),
      [](const llvm::GlobalVariable& variable) { return variable.hasPrivateLinkage(); }, escaping);
  std::vector<std::string> names;
  for (const llvm::GlobalVariable& variable : module->globals()) {
    if (escaping.contains(&variable)) names.push_back(variable.getName().str());
  }
  return names;
}

TEST(AddressEscapeTest, ReadingIsNoEscape) {
  EXPECT_THAT(Escaping("%c = load i8, ptr @a  ret ptr null"), IsEmpty());
  EXPECT_THAT(Escaping("%c = load i8, ptr getelementptr (i8, ptr @a, i64 1)  ret ptr null"),
              IsEmpty());
  EXPECT_THAT(Escaping(R"(
    %at = getelementptr i8, ptr @a, i64 %i
    %either = select i1 %condition, ptr %at, ptr @b
    %c = load i8, ptr %either
    ret ptr null)"),
              IsEmpty());
  EXPECT_THAT(Escaping("call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @a, i64 4, i1 false)"
                       "  ret ptr null"),
              IsEmpty());
}

TEST(AddressEscapeTest, WhatIsReturnedStoredComparedOrConvertedEscapes) {
  EXPECT_THAT(Escaping("ret ptr @a"), ElementsAre("a"));
  EXPECT_THAT(Escaping("ret ptr getelementptr (i8, ptr @a, i64 1)"), ElementsAre("a"));
  EXPECT_THAT(Escaping("store ptr @a, ptr @variable  ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping("%is = icmp eq ptr @a, %p  ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping("%n = ptrtoint ptr @a to i64  ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping("store i64 ptrtoint (ptr @a to i64), ptr %p  ret ptr null"),
              ElementsAre("a"));
  EXPECT_THAT(Escaping("%pair = insertvalue { ptr, ptr } undef, ptr @a, 1  ret ptr null"),
              ElementsAre("a"));
}

TEST(AddressEscapeTest, AddressesOfBlocksAreNobodys) {
  EXPECT_THAT(Escaping("br label %l\nl:\n  ret ptr blockaddress(@f, %l)"), IsEmpty());
}

TEST(AddressEscapeTest, WhatIsMadeOfAnAddressIsFollowed) {
  EXPECT_THAT(Escaping("%at = getelementptr i8, ptr @a, i64 %i  ret ptr %at"), ElementsAre("a"));
  EXPECT_THAT(Escaping("%x = select i1 %condition, ptr @a, ptr @b  ret ptr %x"),
              ElementsAre("a", "b"));
  EXPECT_THAT(Escaping(R"(
    br i1 %condition, label %then, label %end
  then:
    br label %end
  end:
    %x = phi ptr [ @a, %0 ], [ @b, %then ]
    call void @unknown(ptr %x)
    ret ptr null)"),
              ElementsAre("a", "b"));
}

TEST(AddressEscapeTest, ItDependsOnTheFunctionThatIsCalled) {
  EXPECT_THAT(Escaping("call void @unknown(ptr @a)  ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping("call void @forgets(ptr @a)  ret ptr null"), IsEmpty());
  EXPECT_THAT(Escaping("call void %p(ptr @a)  ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping("call i32 (ptr, ...) @printf(ptr @a)  ret ptr null"), IsEmpty());
  EXPECT_THAT(Escaping("call i64 @strlen(ptr @a)  ret ptr null"), IsEmpty());
  EXPECT_THAT(Escaping("%x = call ptr @strchr(ptr @a, i32 98)  ret ptr %x"), ElementsAre("a"));
  EXPECT_THAT(Escaping("call i64 @strlen(ptr @a) nobuiltin  ret ptr null"), ElementsAre("a"));
}

TEST(AddressEscapeTest, WhatIsReadFromAConstantEscapes) {
  EXPECT_THAT(Escaping("%x = load ptr, ptr @table  ret ptr null"), ElementsAre("b"));
}

}  // namespace
}  // namespace firstcall
