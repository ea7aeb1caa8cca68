// Intrinsics of vectors of integers that the baseline code generator computes lane by lane.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"

namespace firstcall {
namespace {

struct Shape {
  const char* name;
  const char* type;
  const char* whole;  // A vector of i64 of the same size.
};
constexpr Shape kShapes[] = {{"v16i8", "<16 x i8>", "<2 x i64>"},
                             {"v8i16", "<8 x i16>", "<2 x i64>"},
                             {"v4i32", "<4 x i32>", "<2 x i64>"},
                             {"v16i32", "<16 x i32>", "<8 x i64>"}};
constexpr Shape kLargeLanes = {"v2i64", "<2 x i64>", "<2 x i64>"};

void ExpectSameLanes(const Shape& shape, const std::string& intrinsic,
                     const std::string& parameters, const std::string& arguments) {
  ExpectSame(
      absl::StrReplaceAll(absl::StrCat("declare TYPE @llvm.", intrinsic, ".NAME(", parameters, R"()
define i64 @f(i64 %i, i64 %j) {
  %m = xor i64 %i, -3819410105351357762
  %x0 = insertelement WHOLE zeroinitializer, i64 %m, i32 0
  %x = insertelement WHOLE %x0, i64 %j, i32 1
  %y0 = insertelement WHOLE zeroinitializer, i64 %j, i32 0
  %y = insertelement WHOLE %y0, i64 %m, i32 1
  %a = bitcast WHOLE %x to TYPE
  %b = bitcast WHOLE %y to TYPE
  %r = call TYPE @llvm.)",
                                       intrinsic, ".NAME(", arguments, R"()
  %w = bitcast TYPE %r to WHOLE
  %p = extractelement WHOLE %w, i32 0
  %q = extractelement WHOLE %w, i32 1
  %s = mul i64 %q, 3
  %t = xor i64 %p, %s
  ret i64 %t
}
)"),
                          {{"NAME", shape.name}, {"TYPE", shape.type}, {"WHOLE", shape.whole}}));
}

TEST(VectorIntrinsicsTest, ChangeEachLane) {
  for (const Shape& shape : kShapes) {
    ExpectSameLanes(shape, "abs", "TYPE, i1", "TYPE %a, i1 false");
    if (std::string(shape.name) != "v16i8") ExpectSameLanes(shape, "bswap", "TYPE", "TYPE %a");
  }
  ExpectSameLanes(kLargeLanes, "abs", "TYPE, i1", "TYPE %a, i1 false");
  ExpectSameLanes(kLargeLanes, "bswap", "TYPE", "TYPE %a");
}

TEST(VectorIntrinsicsTest, StayWithinTheBoundsOfLanes) {
  for (const Shape& shape : kShapes) {
    for (const char* name : {"sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"}) {
      ExpectSameLanes(shape, name, "TYPE, TYPE", "TYPE %a, TYPE %b");
      ExpectSameLanes(shape, name, "TYPE, TYPE", "TYPE %b, TYPE %a");
    }
  }
}

TEST(VectorIntrinsicsTest, MemoryMayBeMarkedAsUnchanging) {
  ExpectSame(R"(
declare ptr @llvm.invariant.start.p0(i64, ptr)
declare void @llvm.invariant.end.p0(ptr, i64, ptr)
define i64 @f(i64 %i, i64 %j) {
  %p = alloca i64
  store i64 %i, ptr %p
  %mark = call ptr @llvm.invariant.start.p0(i64 8, ptr %p)
  %unused = call ptr @llvm.invariant.start.p0(i64 8, ptr %p)
  %x = load i64, ptr %p
  call void @llvm.invariant.end.p0(ptr %mark, i64 8, ptr %p)
  ret i64 %x
}
)");
}

}  // namespace
}  // namespace firstcall
