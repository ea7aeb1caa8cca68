#include "compiler/inlined_callees.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kBefore[] = R"(
define i32 @hot(i32 %x) {
  %a = call i32 @small$fc.call(i32 %x)
  %b = call i32 @large$fc.call(i32 %a)
  %c = call i32 @small$fc.call(i32 %b)
  %d = call i32 @unknown$fc.call(i32 %c)
  %e = call i32 @hot(i32 %d)
  ret i32 %e
}
define available_externally i32 @small$fc.call(i32 %x) {
  %a = call i32 @smaller$fc.call(i32 %x)
  ret i32 %a
}
define available_externally i32 @large$fc.call(i32 %x) {
  ret i32 %x
}
define available_externally i32 @smaller$fc.call(i32 %x) {
  ret i32 %x
}
declare i32 @unknown$fc.call(i32)
)";

constexpr char kAfter[] = R"(
define i32 @hot(i32 %x) {
  %b = call i32 @large$fc.call(i32 %x)
  %d = call i32 @unknown$fc.call(i32 %b)
  ret i32 %d
}
declare i32 @large$fc.call(i32)
declare i32 @unknown$fc.call(i32)
)";

TEST(InlinedCalleesTest, AreThoseThatWereCalledAndAreNoLonger) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> before = ParseModule(kBefore, context);
  const InlinedCallees callees(*before);
  EXPECT_THAT(callees.FindIn(*ParseModule(kAfter, context)), ElementsAre("small"));
  EXPECT_THAT(callees.FindIn(*before), IsEmpty());
}

}  // namespace
}  // namespace firstcall
