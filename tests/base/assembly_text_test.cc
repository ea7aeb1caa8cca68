#include "base/assembly_text.h"

#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(AssemblyTextTest, AlignmentsHaveNoEffect) {
  for (const char* text : {"", ".p2align 5", "\t.p2align 4\n", ".p2align 4\n\t.p2align 0\n"}) {
    EXPECT_TRUE(IsEmptyAssembly(text)) << text;
  }
}

TEST(AssemblyTextTest, EverythingElseMayHaveOne) {
  for (const char* text : {"nop", ".p2align", ".p2align 12", ".p2align4", ".p2align 4,0x90",
                           ".p2align x", ".p2align 4\nnop", ".p2align 4; nop", ".align 4",
                           "# comment", "/* */", "$0", ".p2align 4 5"}) {
    EXPECT_FALSE(IsEmptyAssembly(text)) << text;
  }
}

}  // namespace
}  // namespace firstcall
