// Atomic updates that are loops: of floating-point numbers, and those that wrap at a bound.

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

}  // namespace
}  // namespace firstcall
