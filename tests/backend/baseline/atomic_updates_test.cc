// Atomic updates that are loops: of floating-point numbers, those that wrap at a bound, and those
// of 128 bits. Other atomic operations on 128 bits.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"

namespace firstcall {
namespace {

// What is old and what is new in memory. TO_TYPE makes %x of %i, and %y of %j; TO_WORD makes %w of
// the number %n.
void ExpectSameUpdate(const std::string& operation, const std::string& type,
                      const std::string& to_type, const std::string& to_word) {
  const auto make = [](const std::string& text, const char* to, const char* from) {
    return absl::StrReplaceAll(text, {{"TO", to}, {"FROM", from}});
  };
  ExpectSame(absl::StrReplaceAll(
      absl::StrCat("define i64 @f(i64 %i, i64 %j) {\n  %p = alloca [4 x TYPE], align 8\n"
                   "  %q = getelementptr TYPE, ptr %p, i64 2\n",
                   make(to_type, "%x", "%i"), make(to_type, "%y", "%j"), R"(
  store TYPE %x, ptr %q
  %old = atomicrmw OPERATION ptr %q, TYPE %y seq_cst
  %unused = atomicrmw OPERATION ptr %q, TYPE %y monotonic
  %new = load TYPE, ptr %q
)",
                   make(to_word, "%a", "%old"), make(to_word, "%b", "%new"), R"(
  %m = mul i64 %a, 31
  %r = add i64 %m, %b
  ret i64 %r
}
)"),
      {{"TYPE", type}, {"OPERATION", operation}}));
}

TEST(AtomicUpdatesTest, OfFloatingPointNumbers) {
  for (const char* operation : {"fadd", "fsub", "fmax", "fmin", "xchg"}) {
    // Numbers, which are not too large to be exact, and whatever the bits say.
    ExpectSameUpdate(operation, "double", "  TO = sitofp i64 FROM to double\n",
                     "  TO = bitcast double FROM to i64\n");
    ExpectSameUpdate(operation, "float", "  TO = sitofp i64 FROM to float\n",
                     "  TO.b = bitcast float FROM to i32\n  TO = zext i32 TO.b to i64\n");
  }
  for (const char* operation : {"fmax", "fmin", "xchg"}) {
    ExpectSameUpdate(operation, "double", "  TO = bitcast i64 FROM to double\n",
                     "  TO = bitcast double FROM to i64\n");
  }
}

TEST(AtomicUpdatesTest, ThatWrapAtABound) {
  for (const char* operation : {"uinc_wrap", "udec_wrap"}) {
    ExpectSameUpdate(operation, "i64", "  TO = add i64 FROM, 0\n", "  TO = add i64 FROM, 0\n");
    for (const char* type : {"i8", "i16", "i32"}) {
      ExpectSameUpdate(operation, type, "  TO = trunc i64 FROM to TYPE\n",
                       "  TO = zext TYPE FROM to i64\n");
    }
  }
}

// `body` has a number in memory at %p, another one %y, and makes %old. What is old and what is new
// in memory is to be as if `plain` had taken the place of `body`: LLVM may call a library for what
// is atomic.
void ExpectSameWide(const std::string& body, const std::string& plain) {
  const auto program = [](const std::string& part) {
    return absl::StrCat(R"(
define i64 @f(i64 %i, i64 %j) {
  %p = alloca i128, align 16
  %x0 = zext i64 %i to i128
  %x = mul i128 %x0, 340282366920938463463374607431768
  %y0 = zext i64 %j to i128
  %y1 = mul i128 %y0, 340282366920938463463374607431768
  %same = icmp eq i64 %j, 3
  %y = select i1 %same, i128 %x, i128 %y1
  store i128 %x, ptr %p
)",
                        part, R"(
  %new = load i128, ptr %p
  %m = mul i128 %old, 31
  %n = add i128 %m, %new
  %low = trunc i128 %n to i64
  %shifted = lshr i128 %n, 64
  %high = trunc i128 %shifted to i64
  %a = mul i64 %high, 1000003
  %r = xor i64 %a, %low
  ret i64 %r
}
)");
  };
#ifdef __x86_64__
  ExpectSame(program(body), "+sse4.1,+popcnt,+avx,+cx16", program(plain));
#else
  ExpectSame(program(body), "", program(plain));
#endif
}

TEST(AtomicUpdatesTest, Of128Bits) {
  const std::string combined = "  store i128 %c, ptr %p\n  %old = add i128 %x, 0\n";
  const auto update = [](const char* operation) {
    return absl::StrCat("  %old = atomicrmw ", operation, " ptr %p, i128 %y seq_cst\n");
  };
  for (const char* operation : {"add", "sub", "and", "or", "xor"}) {
    ExpectSameWide(update(operation),
                   absl::StrCat("  %c = ", operation, " i128 %x, %y\n", combined));
  }
  ExpectSameWide(update("xchg"), "  %c = add i128 %y, 0\n" + combined);
  ExpectSameWide(update("nand"),
                 "  %both = and i128 %x, %y\n  %c = xor i128 %both, -1\n" + combined);
}

TEST(AtomicUpdatesTest, Of128BitsIfTheyAreAsExpected) {
  ExpectSameWide(R"(
  %pair = cmpxchg ptr %p, i128 %y, i128 %x0 seq_cst seq_cst
  %was = extractvalue { i128, i1 } %pair, 0
  %done = extractvalue { i128, i1 } %pair, 1
  %one = zext i1 %done to i128
  %old = add i128 %was, %one
)",
                 R"(
  %done = icmp eq i128 %x, %y
  %c = select i1 %done, i128 %x0, i128 %x
  store i128 %c, ptr %p
  %one = zext i1 %done to i128
  %old = add i128 %x, %one
)");
  // The lower or the upper half differs.
  for (const char* other : {"xor i128 %x, 1", "xor i128 %x, 18446744073709551616"}) {
    ExpectSameWide(absl::StrCat("  %e = ", other, R"(
  %pair = cmpxchg weak ptr %p, i128 %e, i128 %y acquire monotonic
  %was = extractvalue { i128, i1 } %pair, 0
  %done = extractvalue { i128, i1 } %pair, 1
  %one = zext i1 %done to i128
  %old = add i128 %was, %one
)"),
                   "  %old = add i128 %x, 0\n");
  }
}

// Values are in registers that calls preserve, and one of them is needed for the exchange.
TEST(AtomicUpdatesTest, Of128BitsInALoop) {
  const auto program = [](const char* update) {
    return absl::StrCat(R"(
  %k = and i64 %j, 7
  br label %loop
loop:
  %c = phi i64 [ 0, %0 ], [ %d, %loop ]
  %s = phi i64 [ %i, %0 ], [ %t, %loop ]
  %u = phi i64 [ 5, %0 ], [ %s, %loop ]
)",
                        update, R"(
  %w = trunc i128 %was to i64
  %t = add i64 %u, %w
  %d = add i64 %c, 1
  %more = icmp ult i64 %d, %k
  br i1 %more, label %loop, label %end
end:
  %tt = zext i64 %t to i128
  %old = add i128 %tt, %was
)");
  };
  ExpectSameWide(program("  %was = atomicrmw add ptr %p, i128 %y seq_cst\n"), program(R"(
  %was = load i128, ptr %p
  %sum = add i128 %was, %y
  store i128 %sum, ptr %p
)"));
}

#ifdef __x86_64__
TEST(AtomicUpdatesTest, LoadsAndStoresOf128Bits) {
  ExpectSameWide(R"(
  %old = load atomic i128, ptr %p seq_cst, align 16
  store atomic i128 %y, ptr %p seq_cst, align 16
)",
                 "  %old = load i128, ptr %p\n  store i128 %y, ptr %p\n");
  ExpectSameWide(R"(
  %old = load atomic i128, ptr %p unordered, align 16
  store atomic i128 %y, ptr %p release, align 16
)",
                 "  %old = load i128, ptr %p\n  store i128 %y, ptr %p\n");
}
#endif

}  // namespace
}  // namespace firstcall
