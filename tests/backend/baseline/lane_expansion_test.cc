// Operations on vectors that become operations on their lanes, accesses of some lanes, and
// reductions. The baseline code generator and LLVM must compute the same.

#include "backend/baseline/lane_expansion.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"

namespace firstcall {
namespace {

// `body` in a function of two vectors of integers, %x and %y, and of two of numbers, %a and %b,
// with COUNT lanes of type WORD and NUMBER. Its result is %r, a vector of words.
std::string Program(const std::string& body, const std::string& declarations, int count,
                    bool is_wide) {
  return absl::StrReplaceAll(
      absl::StrCat(declarations, R"(
define i64 @f(i64 %i, i64 %j) {
  %i2 = mul i64 %i, 2654435761
  %j2 = mul i64 %j, 2246822519
  %w0 = insertelement VOFQ zeroinitializer, i64 %i, i32 0
  %w1 = insertelement VOFQ %w0, i64 %j, i32 1
  %u0 = insertelement VOFQ zeroinitializer, i64 %j2, i32 0
  %u1 = insertelement VOFQ %u0, i64 %i2, i32 1
  %x = bitcast VOFQ %w1 to VWORD
  %y = bitcast VOFQ %u1 to VWORD
  %small = and VWORD %x, splat (WORD 31)
  %c = sitofp VWORD %small to VNUM
  %low = and VWORD %y, splat (WORD 7)
  %d = uitofp VWORD %low to VNUM
  %a = fdiv VNUM %c, splat (NUM 4.0)
  %b = fsub VNUM %d, splat (NUM 3.5)
)",
                   body, R"(
  %out = bitcast VWORD %r to VOFQ
  %o0 = extractelement VOFQ %out, i32 0
  %o1 = extractelement VOFQ %out, i32 1
  %m = mul i64 %o1, 31
  %s = xor i64 %o0, %m
  ret i64 %s
}
)"),
      {{"VOFQ", absl::StrCat("<", is_wide ? count : count / 2, " x i64>")},
       {"VWORD", absl::StrCat("<", count, " x ", is_wide ? "i64" : "i32", ">")},
       {"VNUM", absl::StrCat("<", count, " x ", is_wide ? "double" : "float", ">")},
       {"WORD", is_wide ? "i64" : "i32"},
       {"NUM", is_wide ? "double" : "float"},
       {"WNAME", absl::StrCat("v", count, is_wide ? "i64" : "i32")},
       {"FNAME", absl::StrCat("v", count, is_wide ? "f64" : "f32")},
       {"COUNT", absl::StrCat(count)}});
}

// Without instructions that round, and with those of this machine.
void ExpectSameLanes(const std::string& body, const std::string& declarations = "") {
  for (int count : {2, 4, 8}) {
    for (bool is_wide : {false, true}) {
      if (count == 2 && !is_wide) continue;
      const std::string program = Program(body, declarations, count, is_wide);
      ExpectSame(program);
#ifdef __x86_64__
      ExpectSame(program, "+popcnt");
#endif
    }
  }
}

TEST(LaneExpansionTest, ComputesFunctionsOfNumbers) {
  for (const char* name : {"round", "floor", "ceil", "trunc", "rint", "nearbyint", "sin", "exp"}) {
    ExpectSameLanes(absl::StrCat("  %n = call VNUM @llvm.", name,
                                 ".FNAME(VNUM %a)\n  %r = bitcast VNUM %n to VWORD"),
                    absl::StrCat("declare VNUM @llvm.", name, ".FNAME(VNUM)"));
  }
  for (const char* name : {"minnum", "maxnum", "pow"}) {
    // Not the sign of zero.
    ExpectSameLanes(absl::StrCat("  %m0 = call VNUM @llvm.", name, R"(.FNAME(VNUM %a, VNUM %b)
  %n = fadd VNUM %m0, zeroinitializer
  ; What is no number may have other bits.
  %is = fcmp uno VNUM %n, %n
  %k = bitcast VNUM %n to VWORD
  %r = select <COUNT x i1> %is, VWORD zeroinitializer, VWORD %k)"),
                    absl::StrCat("declare VNUM @llvm.", name, ".FNAME(VNUM, VNUM)"));
  }
  ExpectSameLanes(R"(
  %n = call VNUM @llvm.fma.FNAME(VNUM %a, VNUM %b, VNUM %a)
  %r = bitcast VNUM %n to VWORD)",
                  "declare VNUM @llvm.fma.FNAME(VNUM, VNUM, VNUM)");
}

TEST(LaneExpansionTest, ComputesRemaindersAndConversions) {
  ExpectSameLanes(R"(
  %e = fadd VNUM %b, splat (NUM 10.25)
  %n = frem VNUM %a, %e
  %r = bitcast VNUM %n to VWORD)");
  ExpectSameLanes(R"(
  %n = uitofp VWORD %y to VNUM
  %r = bitcast VNUM %n to VWORD)");
  ExpectSameLanes(R"(
  %e = fadd VNUM %b, splat (NUM 10.25)
  %r = fptoui VNUM %e to VWORD)");
}

TEST(LaneExpansionTest, CountsBitsAndSaturates) {
  ExpectSameLanes("  %r = call VWORD @llvm.ctpop.WNAME(VWORD %y)",
                  "declare VWORD @llvm.ctpop.WNAME(VWORD)");
  for (const char* name : {"ctlz", "cttz"}) {
    ExpectSameLanes(absl::StrCat("  %r = call VWORD @llvm.", name, ".WNAME(VWORD %y, i1 false)"),
                    absl::StrCat("declare VWORD @llvm.", name, ".WNAME(VWORD, i1)"));
  }
  for (const char* name : {"sadd.sat", "ssub.sat", "uadd.sat", "usub.sat"}) {
    ExpectSameLanes(absl::StrCat("  %r = call VWORD @llvm.", name, ".WNAME(VWORD %x, VWORD %y)"),
                    absl::StrCat("declare VWORD @llvm.", name, ".WNAME(VWORD, VWORD)"));
  }
  for (const char* name : {"fshl", "fshr"}) {
    ExpectSameLanes(
        absl::StrCat("  %r = call VWORD @llvm.", name, ".WNAME(VWORD %x, VWORD %y, VWORD %low)"),
        absl::StrCat("declare VWORD @llvm.", name, ".WNAME(VWORD, VWORD, VWORD)"));
  }
}

TEST(LaneExpansionTest, ReducesByProductsAndSumsOfNumbers) {
  ExpectSameLanes(R"(
  %odd = or VWORD %x, splat (WORD 1)
  %p = call WORD @llvm.vector.reduce.mul.WNAME(VWORD %odd)
  %r = insertelement VWORD %y, WORD %p, i32 0)",
                  "declare WORD @llvm.vector.reduce.mul.WNAME(VWORD)");
  for (const char* name : {"fadd", "fmul"}) {
    ExpectSameLanes(absl::StrCat("  %one = extractelement VNUM %b, i32 1\n  %p = call NUM "
                                 "@llvm.vector.reduce.",
                                 name, R"(.FNAME(NUM %one, VNUM %a)
  %n = insertelement VNUM %b, NUM %p, i32 0
  %r = bitcast VNUM %n to VWORD)"),
                    absl::StrCat("declare NUM @llvm.vector.reduce.", name, ".FNAME(NUM, VNUM)"));
  }
}

TEST(LaneExpansionTest, LoadsAndStoresSomeLanes) {
  const std::string declarations = R"(
declare VWORD @llvm.masked.load.WNAME.p0(ptr, i32, <COUNT x i1>, VWORD)
declare void @llvm.masked.store.WNAME.p0(VWORD, ptr, i32, <COUNT x i1>)
)";
  ExpectSameLanes(R"(
  %p = alloca VWORD
  store VWORD %x, ptr %p
  %is = icmp slt VWORD %y, %x
  %q = call VWORD @llvm.masked.load.WNAME.p0(ptr %p, i32 1, <COUNT x i1> %is, VWORD %y)
  %z = call VWORD @llvm.masked.load.WNAME.p0(ptr %p, i32 8, <COUNT x i1> %is, VWORD zeroinitializer)
  %odd = icmp eq VWORD %low, splat (WORD 1)
  %sum = add VWORD %q, %z
  call void @llvm.masked.store.WNAME.p0(VWORD %sum, ptr %p, i32 4, <COUNT x i1> %odd)
  %t = load VWORD, ptr %p
  %r = add VWORD %t, %q)",
                  declarations);
  // Nothing is loaded, or stored, where the mask says no.
  ExpectSameLanes(R"(
  %never = call VWORD @llvm.masked.load.WNAME.p0(ptr null, i32 1, <COUNT x i1> zeroinitializer, VWORD %y)
  call void @llvm.masked.store.WNAME.p0(VWORD %x, ptr null, i32 1, <COUNT x i1> zeroinitializer)
  %r = add VWORD %never, %x)",
                  declarations);
}

TEST(LaneExpansionTest, GathersAndScatters) {
  const std::string declarations = R"(
declare VWORD @llvm.masked.gather.WNAME.vCOUNTp0(<COUNT x ptr>, i32, <COUNT x i1>, VWORD)
declare void @llvm.masked.scatter.WNAME.vCOUNTp0(VWORD, <COUNT x ptr>, i32, <COUNT x i1>)
)";
  ExpectSameLanes(R"(
  %p = alloca VWORD
  store VWORD %x, ptr %p
  %k = urem VWORD %low, splat (WORD COUNT)
  %is = icmp slt VWORD %y, %x
  %at = getelementptr WORD, ptr %p, VWORD %k
  %q = call VWORD @llvm.masked.gather.WNAME.vCOUNTp0(<COUNT x ptr> %at, i32 1, <COUNT x i1> %is, VWORD %y)
  %odd = icmp eq VWORD %k, splat (WORD 1)
  %sum = add VWORD %q, %k
  call void @llvm.masked.scatter.WNAME.vCOUNTp0(VWORD %sum, <COUNT x ptr> %at, i32 4, <COUNT x i1> %odd)
  %t = load VWORD, ptr %p
  %never = call VWORD @llvm.masked.gather.WNAME.vCOUNTp0(<COUNT x ptr> zeroinitializer, i32 1, <COUNT x i1> zeroinitializer, VWORD %x)
  call void @llvm.masked.scatter.WNAME.vCOUNTp0(VWORD %sum, <COUNT x ptr> zeroinitializer, i32 4, <COUNT x i1> zeroinitializer)
  %u = add VWORD %t, %q
  %r = xor VWORD %u, %never)",
                  declarations);
}

TEST(LaneExpansionTest, ExpandsAndCompresses) {
  ExpectSameLanes(R"(
  %p = alloca VWORD
  store VWORD %x, ptr %p
  %is = icmp slt VWORD %y, %x
  %q = call VWORD @llvm.masked.expandload.WNAME(ptr %p, <COUNT x i1> %is, VWORD %y)
  %not = xor <COUNT x i1> %is, splat (i1 true)
  %sum = add VWORD %q, %y
  call void @llvm.masked.compressstore.WNAME(VWORD %sum, ptr %p, <COUNT x i1> %not)
  %t = load VWORD, ptr %p
  %r = add VWORD %t, %q)",
                  R"(
declare VWORD @llvm.masked.expandload.WNAME(ptr, <COUNT x i1>, VWORD)
declare void @llvm.masked.compressstore.WNAME(VWORD, ptr, <COUNT x i1>)
)");
}

}  // namespace
}  // namespace firstcall
