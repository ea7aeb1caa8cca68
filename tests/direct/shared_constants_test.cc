#include "direct/shared_constants.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "splitter/address_escape.h"
#include "tests/direct/read_both_ways.h"
#include "third_party/llvm/version/captures.h"

namespace firstcall::direct {
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
  declare i64 @strnlen(ptr, i32)
  declare void @llvm.memcpy.p0.p0.i64(ptr nocapture, ptr nocapture, i64, i1)
  define ptr @f(i1 %condition, i64 %i, ptr %p) {
  )";

// The names of the constants that get out of a function with this body.
std::vector<std::string> Escaping(absl::string_view body) {
  ReadBothWays read(absl::StrCat(kModule, body, "\n}"));
  if (!read.ok()) return {"not read"};
  firstcall::Variables expected;
  AddressEscape().Find(
      read.LlvmBody("f"),
      [](const llvm::GlobalVariable& variable) { return variable.hasPrivateLinkage(); }, expected);
  Variables escaping;
  SharedConstants().Find(
      read.Body("f"),
      [&](uint32_t variable) {
        return read.module().globals()[variable].linkage() == ir::Linkage::kPrivate;
      },
      escaping);
  std::vector<std::string> names;
  for (const llvm::GlobalVariable& variable : read.view().module().globals()) {
    const std::string name = variable.getName().str();
    const bool escapes = escaping.contains(read.NumberOf(name));
    // Without LLVM, more comparisons with null count.
    if (escapes && !llvm_version::kNullComparisonsMayCapture) {
      EXPECT_TRUE(expected.contains(&variable) || absl::StrContains(body, ", null"))
          << name << body;
    } else {
      EXPECT_EQ(escapes, expected.contains(&variable)) << name << body;
    }
    if (escapes) names.push_back(name);
  }
  return names;
}

TEST(SharedConstantsTest, ReadingIsNoEscape) {
  EXPECT_THAT(Escaping("%c = load i8, ptr @a  ret ptr null"), IsEmpty());
  EXPECT_THAT(Escaping("%c = load i8, ptr getelementptr (i8, ptr @a, i64 1)  ret ptr null"),
              IsEmpty());
  EXPECT_THAT(Escaping(R"(
    %at = getelementptr i8, ptr @a, i64 %i
    %either = select i1 %condition, ptr %at, ptr @b
    %c = load i8, ptr %either
    ret ptr null)"),
              IsEmpty());
  EXPECT_THAT(Escaping(R"(
    call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @a, i64 4, i1 false)
    ret ptr null)"),
              IsEmpty());
  EXPECT_THAT(Escaping(R"(
    %at = getelementptr inbounds i8, ptr @a, i64 0
    %is_null = icmp eq ptr %at, null
    ret ptr null)"),
              IsEmpty());
}

TEST(SharedConstantsTest, LibraryFunctionsForgetArguments) {
  EXPECT_THAT(Escaping("%n = call i32 (ptr, ...) @printf(ptr @a, ptr @b)  ret ptr null"),
              ElementsAre("b"));
  EXPECT_THAT(Escaping("%n = call i64 @strlen(ptr @a)  ret ptr null"), IsEmpty());
  EXPECT_THAT(Escaping("%n = call i64 @strlen(ptr @a) nobuiltin  ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping("%n = call i64 @strnlen(ptr @a, i32 1)  ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping("%at = call ptr @strchr(ptr @a, i32 98)  ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping("call void @forgets(ptr @a) ret ptr null"), IsEmpty());
  EXPECT_THAT(Escaping("call void @unknown(ptr nocapture @a) ret ptr null"), IsEmpty());
}

TEST(SharedConstantsTest, AddressesEscape) {
  EXPECT_THAT(Escaping("ret ptr @a"), ElementsAre("a"));
  EXPECT_THAT(Escaping("store ptr @a, ptr @variable ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping("call void @unknown(ptr @a) ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping("%same = icmp eq ptr @a, %p  ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping("%at = getelementptr i8, ptr @a, i64 %i  ret ptr %at"), ElementsAre("a"));
  EXPECT_THAT(Escaping("%n = ptrtoint ptr @a to i64  ret ptr null"), ElementsAre("a"));
  EXPECT_THAT(Escaping(R"(
    %at = getelementptr inbounds i8, ptr @a, i64 %i
    %is_null = icmp eq ptr %at, null
    ret ptr null)"),
              ElementsAre("a"));
  EXPECT_THAT(Escaping("%c = load volatile i8, ptr @a  ret ptr null"), IsEmpty());
  EXPECT_THAT(Escaping(R"(
    %at = getelementptr i8, ptr @a, i64 %i
    %c = load volatile i8, ptr %at
    ret ptr null)"),
              ElementsAre("a"));
  EXPECT_THAT(Escaping("store { ptr, ptr } { ptr @a, ptr @b }, ptr %p  ret ptr null"),
              ElementsAre("a", "b"));
}

TEST(SharedConstantsTest, WhatIsReadFromATableEscapes) {
  EXPECT_THAT(Escaping(R"(
    %at = getelementptr ptr, ptr @table, i64 %i
    %b = load ptr, ptr %at
    ret ptr null)"),
              ElementsAre("b"));
}

}  // namespace
}  // namespace firstcall::direct
