#include "splitter/runtime_names.h"

#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(RuntimeNamesTest, KnowsTheFunctionsOptimizationsCall) {
  for (const char* name : {"puts", "putchar", "strlen", "memchr", "fwrite", "exp2", "_Znwm"}) {
    EXPECT_TRUE(IsLibraryFunctionName(name)) << name;
    EXPECT_TRUE(IsRuntimeName(name)) << name;
  }
}

TEST(RuntimeNamesTest, KnowsTheFunctionsCodeGenerationCalls) {
  for (const char* name :
       {"__divti3", "__extendhfsf2", "_Unwind_Resume", "__stack_chk_fail", "__emutls_get_address",
        "_GLOBAL_OFFSET_TABLE_", "fmodl", "__aarch64_cas4_acq", "__x86_indirect_thunk_r11"}) {
    EXPECT_TRUE(IsRuntimeName(name)) << name;
  }
}

TEST(RuntimeNamesTest, DoesNotKnowWhatPassesNameTheirOwnAdditions) {
  for (const char* name : {"str", "str.1", "switch.table.main", "OUTLINED_FUNCTION_0", "main.cold",
                           ".memset_pattern", "", "put"}) {
    EXPECT_FALSE(IsRuntimeName(name)) << name;
  }
}

}  // namespace
}  // namespace firstcall
