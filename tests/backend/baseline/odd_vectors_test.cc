// Vectors of unusual counts, of one lane, and of more than 128 bytes; vectors of i1 in memory. The
// baseline code generator and LLVM must compute the same.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"
#include "tests/backend/baseline/vector_buffers.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

struct Shape {
  int count;
  std::string lane;
};

const Shape kIntegers[] = {{1, "i8"},   {1, "i16"}, {1, "i32"},  {1, "i64"},  {3, "i8"},
                           {3, "i32"},  {5, "i64"}, {7, "i16"},  {6, "i32"},  {9, "i16"},
                           {17, "i8"},  {33, "i8"}, {64, "i32"}, {32, "i64"}, {100, "i16"},
                           {256, "i8"}, {15, "i8"}};
const Shape kNumbers[] = {{1, "float"}, {1, "double"}, {3, "float"},  {5, "double"},
                          {6, "float"}, {31, "float"}, {64, "float"}, {32, "double"}};

unsigned BitsOf(const std::string& lane) {
  return lane == "float" ? 32 : lane == "double" ? 64 : std::stoi(lane.substr(1));
}

// `body` computes %r from the vectors %x and %y, and from the numbers %i and %j. VEC is the
// vectors' type, LANE that of their lanes, WORDS and WORD are integers of the same size, TRUTH is a
// vector of i1, COUNT the number of lanes, and NAME the suffix of intrinsics.
void ExpectSameVectors(const Shape& shape, const std::string& body,
                       const std::string& declarations = "") {
  const unsigned bits = BitsOf(shape.lane);
  const bool is_number = shape.lane[0] != 'i';
  const std::string program =
      absl::StrReplaceAll(absl::StrCat(kVectorBuffers, declarations, R"(
define i64 @f(i64 %i, i64 %j) {
  %p = alloca [65 x i64]
  call void @fill(ptr %p, i64 %i, i64 %j)
  %p1 = getelementptr i8, ptr %p, i64 3
  %p2 = getelementptr i8, ptr %p, i64 211
  %x0 = load VEC, ptr %p1, align 1
  %y0 = load VEC, ptr %p2, align 1
  br label %begin
begin:
)",
                                       is_number ? R"(
  ; Numbers, and none that is not one.
  %xw = bitcast VEC %x0 to WORDS
  %yw = bitcast VEC %y0 to WORDS
  %xs = and WORDS %xw, splat (WORD 127)
  %ys = and WORDS %yw, splat (WORD 63)
  %xf = sitofp WORDS %xs to VEC
  %yf = sitofp WORDS %ys to VEC
  %x = fsub VEC %xf, splat (LANE 62.5)
  %y = fsub VEC %yf, splat (LANE 31.0)
)"
                                                 : R"(
  %x = freeze VEC %x0
  %y = freeze VEC %y0
)",
                                       body, R"(
  %q = getelementptr i8, ptr %p, i64 101
  store VEC %r, ptr %q, align 1
  %h = call i64 @hash(ptr %p)
  ret i64 %h
}
)"),
                          {{"VEC", absl::StrCat("<", shape.count, " x ", shape.lane, ">")},
                           {"TRUTH", absl::StrCat("<", shape.count, " x i1>")},
                           {"WORDS", absl::StrCat("<", shape.count, " x i", bits, ">")},
                           {"LANE", shape.lane},
                           {"WORD", absl::StrCat("i", bits)},
                           {"NAME", absl::StrCat("v", shape.count, is_number ? "f" : "i", bits)},
                           {"COUNT", absl::StrCat(shape.count)}});
  ExpectSame(program);
}

void ExpectSameIntegers(const std::string& body, const std::string& declarations = "") {
  for (const Shape& shape : kIntegers) ExpectSameVectors(shape, body, declarations);
}
void ExpectSameNumbers(const std::string& body, const std::string& declarations = "") {
  for (const Shape& shape : kNumbers) ExpectSameVectors(shape, body, declarations);
}

TEST(OddVectorsTest, LoadsAndStoresTheBytesOfItsLanes) {
  ExpectSameIntegers("  %r = freeze VEC %x");
  ExpectSameNumbers("  %r = freeze VEC %y0");
}

TEST(OddVectorsTest, ComputesWithIntegers) {
  ExpectSameIntegers(R"(
  %a = add VEC %x, %y
  %b = sub VEC %a, splat (LANE 3)
  %c = mul VEC %b, %y
  %d = and VEC %c, %x
  %e = or VEC %d, splat (LANE 5)
  %r = xor VEC %e, %y)");
  ExpectSameIntegers(R"(
  %n = and VEC %y, splat (LANE 7)
  %a = shl VEC %x, %n
  %b = lshr VEC %a, splat (LANE 1)
  %r = ashr VEC %b, %n)");
  ExpectSameIntegers(R"(
  %half = lshr VEC %y, splat (LANE 1)
  %n = or VEC %half, splat (LANE 1)
  %a = udiv VEC %x, %n
  %b = srem VEC %x, %n
  %c = urem VEC %y, %n
  %d = sdiv VEC %y, %n
  %e = xor VEC %a, %b
  %g = xor VEC %c, %d
  %r = add VEC %e, %g)");
}

TEST(OddVectorsTest, ComputesWithNumbers) {
  ExpectSameNumbers(R"(
  %a = fadd VEC %x, %y
  %b = fsub VEC %a, splat (LANE 0.75)
  %c = fmul VEC %b, %x
  %d = fneg VEC %c
  %e = fadd VEC %y, splat (LANE 0.5)
  %r = fdiv VEC %d, %e)");
  ExpectSameNumbers(R"(
  %a = call VEC @llvm.fabs.NAME(VEC %x)
  %b = call VEC @llvm.copysign.NAME(VEC %a, VEC %y)
  %c = call VEC @llvm.sqrt.NAME(VEC %a)
  %r = fadd VEC %b, %c)",
                    R"(
declare VEC @llvm.fabs.NAME(VEC)
declare VEC @llvm.copysign.NAME(VEC, VEC)
declare VEC @llvm.sqrt.NAME(VEC)
)");
}

TEST(OddVectorsTest, ComparesAndSelects) {
  for (const char* predicate : {"eq", "ult", "sgt", "sle"}) {
    ExpectSameIntegers(absl::StrCat("  %t = icmp ", predicate, R"( VEC %x, %y
  %u = icmp ne VEC %x, zeroinitializer
  %v = xor TRUTH %t, %u
  %r = select TRUTH %v, VEC %x, VEC %y)"));
  }
  for (const char* predicate : {"oeq", "olt", "une", "uge", "one"}) {
    ExpectSameNumbers(absl::StrCat("  %t = fcmp ", predicate, R"( VEC %x, %y
  %r = select TRUTH %t, VEC %x, VEC %y)"));
  }
  ExpectSameIntegers(R"(
  %t = icmp slt i64 %i, %j
  %r = select i1 %t, VEC %x, VEC %y)");
}

TEST(OddVectorsTest, ExtractsAndInsertsLanes) {
  for (const std::string index : {"%known", "%variable"}) {
    const std::string body = R"(
  %k = and i64 %i, 1023
  %variable = urem i64 %k, COUNT
  %known = sub i64 COUNT, 1
  %last = sub i64 %known, %variable
  %e = extractelement VEC %x, i64 INDEX
  %m = insertelement VEC %y, LANE %e, i64 %last
  %r = insertelement VEC %m, LANE %e, i64 INDEX)";
    ExpectSameIntegers(absl::StrReplaceAll(body, {{"INDEX", index}}));
    ExpectSameNumbers(absl::StrReplaceAll(body, {{"INDEX", index}}));
  }
}

TEST(OddVectorsTest, Shuffles) {
  for (const Shape& shape : kIntegers) {
    std::string mask, wide_mask;
    for (int lane = 0; lane < shape.count; ++lane) {
      absl::StrAppend(&mask, lane == 0 ? "" : ", ", "i32 ", (lane * 7 + 3) % (2 * shape.count));
    }
    for (int lane = 0; lane < 3; ++lane) {
      absl::StrAppend(&wide_mask, lane == 0 ? "" : ", ", "i32 ", lane % shape.count);
    }
    ExpectSameVectors(
        shape, absl::StrCat("  %s = shufflevector VEC %x, VEC %y, <COUNT x i32> <", mask, R"(>
  %t = shufflevector VEC %s, VEC poison, <3 x i32> <)",
                            wide_mask, R"(>
  %r = shufflevector <3 x LANE> %t, <3 x LANE> %t, <COUNT x i32> zeroinitializer
  %q0 = getelementptr i8, ptr %p, i64 380
  %e = extractelement VEC %s, i64 0
  store LANE %e, ptr %q0, align 1)"));
  }
}

TEST(OddVectorsTest, Converts) {
  for (const Shape& shape : kIntegers) {
    if (shape.lane == "i64" || shape.count * 8 > 256) continue;
    ExpectSameVectors(shape, R"(
  %a = sext VEC %x to <COUNT x i64>
  %b = zext VEC %y to <COUNT x i64>
  %c = add <COUNT x i64> %a, %b
  %r = trunc <COUNT x i64> %c to VEC)");
    ExpectSameVectors(shape, R"(
  %a = and VEC %x, splat (LANE 63)
  %b = sitofp VEC %a to <COUNT x double>
  %c = uitofp VEC %a to <COUNT x float>
  %d = fpext <COUNT x float> %c to <COUNT x double>
  %e = fadd <COUNT x double> %b, %d
  %g = fptrunc <COUNT x double> %e to <COUNT x float>
  %m = fptosi <COUNT x float> %g to VEC
  %n = fptoui <COUNT x double> %e to VEC
  %r = xor VEC %m, %n)");
  }
  for (const Shape& shape : kIntegers) {
    const unsigned bytes = shape.count * BitsOf(shape.lane) / 8;
    ExpectSameVectors(shape, absl::StrCat("  %b = bitcast VEC %x to <", bytes, R"( x i8>
  %r = bitcast <)",
                                          bytes, " x i8> %b to VEC"));
    if (bytes > 16) continue;
    ExpectSameVectors(shape, absl::StrReplaceAll(R"(
  %b = bitcast VEC %x to BITS
  %c = add BITS %b, 1
  %r = bitcast BITS %c to VEC)",
                                                 {{"BITS", absl::StrCat("i", 8 * bytes)}}));
  }
}

TEST(OddVectorsTest, CarriesVectorsAroundLoops) {
  ExpectSameIntegers(R"(
  br label %loop
loop:
  %k = phi i64 [ 0, %begin ], [ %k1, %loop ]
  %a = phi VEC [ %x, %begin ], [ %b, %loop ]
  %b = phi VEC [ %y, %begin ], [ %c, %loop ]
  %c = add VEC %a, %b
  %k1 = add i64 %k, 1
  %done = icmp eq i64 %k1, 5
  br i1 %done, label %end, label %loop
end:
  %r = freeze VEC %b)");
}

TEST(OddVectorsTest, ComputesIntrinsics) {
  for (const char* name : {"smax", "umin", "uadd.sat", "ssub.sat"}) {
    ExpectSameIntegers(absl::StrCat("  %r = call VEC @llvm.", name, ".NAME(VEC %x, VEC %y)"),
                       absl::StrCat("declare VEC @llvm.", name, ".NAME(VEC, VEC)"));
  }
  ExpectSameIntegers("  %r = call VEC @llvm.abs.NAME(VEC %x, i1 false)",
                     "declare VEC @llvm.abs.NAME(VEC, i1)");
  ExpectSameIntegers("  %r = call VEC @llvm.ctpop.NAME(VEC %x)",
                     "declare VEC @llvm.ctpop.NAME(VEC)");
  for (const char* name : {"add", "mul", "and", "xor", "smin", "umax"}) {
    ExpectSameIntegers(absl::StrCat("  %s = call LANE @llvm.vector.reduce.", name, R"(.NAME(VEC %x)
  %r = insertelement VEC %y, LANE %s, i64 0)"),
                       absl::StrCat("declare LANE @llvm.vector.reduce.", name, ".NAME(VEC)"));
  }
}

// The number with the lowest `count` bits set, of whole bytes.
std::string KeptBits(int count) {
  const int bytes = (count + 7) / 8, rest = count % 8;
  std::string digits;
  for (int i = 0; i < bytes; ++i) {
    const int byte = i == 0 && rest != 0 ? (1 << rest) - 1 : 255;
    absl::StrAppend(&digits, absl::Hex(byte, absl::kZeroPad2));
  }
  return absl::StrCat("u0x", digits);
}

// Of so many lanes, in memory and as integers.
TEST(OddVectorsTest, PacksTruthValuesInMemory) {
  for (int count : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 24, 32, 33, 63, 64, 65, 100, 128}) {
    const std::string program =
        absl::StrReplaceAll(absl::StrCat(kVectorBuffers, R"(
define i64 @f(i64 %i, i64 %j) {
  %p = alloca [65 x i64]
  call void @fill(ptr %p, i64 %i, i64 %j)
  %p1 = getelementptr i8, ptr %p, i64 3
  %p2 = getelementptr i8, ptr %p, i64 211
  ; The bits above the last one must be zero.
  %xm = load iMEMORY, ptr %p1, align 1
  %ym = load iMEMORY, ptr %p2, align 1
  %xk = and iMEMORY %xm, KEPT
  %yk = and iMEMORY %ym, KEPT
  store iMEMORY %xk, ptr %p1, align 1
  store iMEMORY %yk, ptr %p2, align 1
  %x = load TRUTH, ptr %p1, align 1
  %y = load TRUTH, ptr %p2, align 1
  %b = bitcast TRUTH %x to iCOUNT
  %b1 = add iCOUNT %b, 1
  %z = bitcast iCOUNT %b1 to TRUTH
  %a = and TRUTH %x, %y
  %o = xor TRUTH %a, %z
  %t = select TRUTH %x, TRUTH %o, TRUTH %y
  %k = and i64 %i, 1023
  %n = urem i64 %k, COUNT
  %e = extractelement TRUTH %t, i64 %n
  %not = xor i1 %e, true
  %c = icmp ult TRUTH %t, %z
  %r = insertelement TRUTH %c, i1 %not, i64 %n
  %wide = sext TRUTH %r to <COUNT x i16>
  %back = trunc <COUNT x i16> %wide to TRUTH
  %q = getelementptr i8, ptr %p, i64 101
  store TRUTH %back, ptr %q, align 1
  %h = call i64 @hash(ptr %p)
  ret i64 %h
}
)"),
                            {{"TRUTH", absl::StrCat("<", count, " x i1>")},
                             {"COUNT", absl::StrCat(count)},
                             {"MEMORY", absl::StrCat((count + 7) / 8 * 8)},
                             // Of the last byte, as many as there are; of others, all.
                             {"KEPT", KeptBits(count)}});
    ExpectSame(program);
  }
}

TEST(OddVectorsTest, ComputesWithTruthValues) {
  for (int count : {1, 3, 4, 16, 20}) {
    for (const char* body : {"  %r = mul TRUTH %x, %y", "  %r = add TRUTH %x, %y",
                             R"(
  %n = sitofp TRUTH %x to <COUNT x float>
  %m = uitofp TRUTH %y to <COUNT x float>
  %s = fadd <COUNT x float> %n, %m
  %r = fcmp olt <COUNT x float> %s, zeroinitializer)",
                             R"(
  %a = call i1 @llvm.vector.reduce.and.vCOUNTi1(TRUTH %x)
  %b = call i1 @llvm.vector.reduce.or.vCOUNTi1(TRUTH %x)
  %c = call i1 @llvm.vector.reduce.xor.vCOUNTi1(TRUTH %x)
  %d = call i1 @llvm.vector.reduce.smax.vCOUNTi1(TRUTH %y)
  %e = call i1 @llvm.vector.reduce.umax.vCOUNTi1(TRUTH %y)
  %g = call i1 @llvm.vector.reduce.add.vCOUNTi1(TRUTH %y)
  %h1 = xor i1 %a, %b
  %h2 = xor i1 %c, %d
  %h3 = and i1 %e, %g
  %h4 = xor i1 %h1, %h2
  %h5 = xor i1 %h4, %h3
  %r = insertelement TRUTH %x, i1 %h5, i64 0)"}) {
      ExpectSame(absl::StrReplaceAll(
          absl::StrCat(R"(
declare i1 @llvm.vector.reduce.and.vCOUNTi1(TRUTH)
declare i1 @llvm.vector.reduce.or.vCOUNTi1(TRUTH)
declare i1 @llvm.vector.reduce.xor.vCOUNTi1(TRUTH)
declare i1 @llvm.vector.reduce.smax.vCOUNTi1(TRUTH)
declare i1 @llvm.vector.reduce.umax.vCOUNTi1(TRUTH)
declare i1 @llvm.vector.reduce.add.vCOUNTi1(TRUTH)
define i64 @f(i64 %i, i64 %j) {
  %i0 = trunc i64 %i to iCOUNT
  %j0 = trunc i64 %j to iCOUNT
  %x = bitcast iCOUNT %i0 to TRUTH
  %y = bitcast iCOUNT %j0 to TRUTH
)",
                       body, R"(
  %b0 = bitcast TRUTH %r to iCOUNT
  %b1 = zext iCOUNT %b0 to i64
  ret i64 %b1
})"),
          {{"TRUTH", absl::StrCat("<", count, " x i1>")}, {"COUNT", absl::StrCat(count)}}));
    }
  }
}

// Behind the last lane is memory that may not be touched.
TEST(OddVectorsTest, TouchesNothingBehindItsLanes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const pages =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  const absl::Cleanup unmap = [&] { munmap(pages, 2 * page); };
  auto* const end = static_cast<unsigned char*>(pages) + page;
  ASSERT_EQ(mprotect(end, page, PROT_NONE), 0);
  for (const Shape& shape : kIntegers) {
    const std::string type = absl::StrCat("<", shape.count, " x ", shape.lane, ">");
    Engine& engine = StrictEngine(/*is_near=*/true, "");
    ASSERT_OK_AND_ASSIGN(
        const ModuleId program,
        engine.AddAssembly(absl::StrReplaceAll(R"(
define void @f(ptr %p) {
  %x = load TYPE, ptr %p, align 1
  %y = add TYPE %x, splat (LANE 1)
  store TYPE %y, ptr %p, align 1
  ret void
})",
                                               {{"TYPE", type}, {"LANE", shape.lane}}),
                           "test"));
    const absl::Cleanup remove = [&] { EXPECT_THAT(engine.Remove(program), IsOk()); };
    ASSERT_OK_AND_ASSIGN(auto* f, engine.Lookup<void(unsigned char*)>("f"));
    const size_t lane_bytes = BitsOf(shape.lane) / 8;
    const size_t bytes = shape.count * lane_bytes;
    std::memset(end - page, 7, page);
    f(end - bytes);
    for (size_t i = 0; i < bytes; ++i) {
      EXPECT_EQ((end - bytes)[i], i % lane_bytes == 0 ? 8 : 7) << type << " byte " << i;
    }
    EXPECT_EQ((end - bytes)[-1], 7) << type;
  }
}

}  // namespace
}  // namespace firstcall
