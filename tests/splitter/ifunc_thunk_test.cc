#include "splitter/ifunc_thunk.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "object/symbol_name.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModule[] = R"(
  @chosen = ifunc i64 (i64), ptr @choose
  @asked = ifunc void (), ptr @ask
  @table = global [2 x ptr] [ptr @chosen, ptr @asked]
  define ptr @choose() { ret ptr null }
  define ptr @ask(i64 %capabilities, ptr %more) { ret ptr null }
  define i64 @caller(i64 %x) { %y = call i64 @chosen(i64 %x)  ret i64 %y })";

std::string Replaced(const std::string& triple) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module =
      ParseModule("target triple = \"" + triple + "\"\n" + kModule, context);
  if (module == nullptr) return "";
  ReplaceIFuncs(*module);
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  EXPECT_FALSE(llvm::verifyModule(*module, &stream)) << reason;
  return PrintModule(*module);
}

TEST(IFuncThunkTest, FunctionsThatJumpTakeTheNames) {
  const std::string text = Replaced("aarch64-unknown-linux-gnu");
  EXPECT_THAT(text, Not(HasSubstr("ifunc")));
  EXPECT_THAT(text, HasSubstr("define dso_local i64 @chosen(i64 "));
  EXPECT_THAT(text, HasSubstr("define dso_local void @asked()"));
  EXPECT_THAT(text, HasSubstr("br x16"));
  EXPECT_THAT(text, HasSubstr("@table = global [2 x ptr] [ptr @chosen, ptr @asked]"));
  EXPECT_THAT(text, HasSubstr("call i64 @chosen(i64 %x)"));
}

TEST(IFuncThunkTest, ResolversAreCalledOnceWithWhatTheyTake) {
  const std::string text = Replaced("aarch64-unknown-linux-gnu");
  const size_t initializer = text.find("@\"" + std::string(kInitializer) + "\"(i64 %0, ptr %1)");
  ASSERT_NE(initializer, std::string::npos) << text;
  const std::string body = text.substr(initializer);
  EXPECT_THAT(body, HasSubstr("call ptr @choose()"));
  EXPECT_THAT(body, HasSubstr("call ptr @ask(i64 %0, ptr %1)"));
}

TEST(IFuncThunkTest, MachoHasThunksInItsOwnAssembly) {
  EXPECT_THAT(Replaced("aarch64-unknown-linux-gnu-macho"), HasSubstr("adrp x16, $0@PAGE"));
  const std::string text = Replaced("x86_64-unknown-linux-gnu-macho");
  EXPECT_THAT(text, Not(HasSubstr("ifunc")));
  EXPECT_THAT(text, HasSubstr("jmp *${0:c}(%rip)"));
}

TEST(IFuncThunkTest, ElfOfX86_64HasThunksToo) {
  const std::string text = Replaced("x86_64-unknown-linux-gnu");
  EXPECT_THAT(text, Not(HasSubstr("ifunc")));
  EXPECT_THAT(text, HasSubstr("jmp *${0:c}(%rip)"));
}

}  // namespace
}  // namespace firstcall
