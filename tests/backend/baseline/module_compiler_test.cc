#include "backend/baseline/module_compiler.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/from_llvm/llvm_reader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "object/elf_object.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::baseline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kLayout[] =
    "target datalayout = "
    "\"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n";

class ModuleCompilerTest : public testing::Test {
 protected:
  Refusal Compile(const std::string& text) {
    module_ = ParseModule(kLayout + text, context_);
    EXPECT_THAT(reader_.Begin(*module_), IsOk());
    return compiler_->Compile(reader_, options_, object_);
  }

  std::unique_ptr<ElfObject> Parsed() {
    return ElfObject::Parse(absl::MakeSpan(object_), "compiled").value();
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  ir::LlvmReader reader_;
  std::unique_ptr<ModuleCompiler> compiler_ =
      ModuleCompiler::Create("x86_64-pc-linux-gnu", {{"sse4.1", "popcnt"}}).value();
  ModuleCompiler::Options options_;
  ObjectBytes object_;
};

TEST_F(ModuleCompilerTest, DefinesEveryFunctionAndVariable) {
  ASSERT_EQ(Compile(R"(
    @counter = dso_local global i32 7
    declare void @elsewhere()
    define dso_local void @f() { call void @g() ret void }
    define dso_local void @g() {
      %n = load i32, ptr @counter
      call void @elsewhere()
      ret void
    })"),
            Refusal::kNone);
  const std::unique_ptr<ElfObject> object = Parsed();
  EXPECT_THAT(object->defined(), UnorderedElementsAre("f", "g", "counter"));
  ASSERT_EQ(object->undefined().size(), 1u);
  EXPECT_EQ(object->undefined()[0].name, "elsewhere");
}

TEST_F(ModuleCompilerTest, ATableOfAGroupIsDefinedInItsFunction) {
  ASSERT_EQ(Compile(R"(
    @table = dso_local constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
    define dso_local i32 @f(i64 %i) {
      %p = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
      %label = load ptr, ptr %p
      indirectbr ptr %label, [label %a, label %b]
    a:
      ret i32 1
    b:
      ret i32 2
    })"),
            Refusal::kNone);
  EXPECT_THAT(Parsed()->defined(), UnorderedElementsAre("f", "table"));
}

TEST_F(ModuleCompilerTest, ConstantsThatNameOthersComeAlong) {
  ASSERT_EQ(Compile(R"(
    @a = private unnamed_addr constant [2 x i8] c"a\00"
    @b = private unnamed_addr constant [2 x i8] c"b\00"
    @names = private unnamed_addr constant [2 x ptr] [ptr @a, ptr @b]
    @distances = private unnamed_addr constant [2 x i32] [
      i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @distances to i64)) to i32),
      i32 trunc (i64 sub (i64 ptrtoint (ptr @b to i64), i64 ptrtoint (ptr @distances to i64)) to i32)]
    define dso_local ptr @f(i64 %i) {
      %p = getelementptr [2 x ptr], ptr @names, i64 0, i64 %i
      %s = load ptr, ptr %p
      ret ptr %s
    }
    define dso_local ptr @g(i64 %i) {
      %s = call ptr @llvm.load.relative.i64(ptr @distances, i64 %i)
      ret ptr %s
    }
    declare ptr @llvm.load.relative.i64(ptr, i64))"),
            Refusal::kNone);
  const std::unique_ptr<ElfObject> object = Parsed();
  EXPECT_THAT(object->defined(), UnorderedElementsAre("f", "g"));
  EXPECT_THAT(object->undefined(), IsEmpty());
}

TEST_F(ModuleCompilerTest, NamesOfSectionsAreThoseOfOneModule) {
  ASSERT_EQ(Compile("@variable = global i32 1, section \"mine\""), Refusal::kNone);
  EXPECT_THAT(Parsed()->NamedSections(), SizeIs(1));
  ASSERT_EQ(Compile("define dso_local void @function_of_another_module() { ret void }"),
            Refusal::kNone);
  EXPECT_THAT(Parsed()->NamedSections(), IsEmpty());
}

TEST_F(ModuleCompilerTest, RefusesAsAWhole) {
  const std::vector<std::pair<std::string, Refusal>> cases = {
      {"define void @f() { ret void } @a = alias void (), ptr @f", Refusal::kAlias},
      {"module asm \"nop\" define void @f() { ret void }", Refusal::kInlineAssembly},
      {"define void @f() { ret void } define void @g() naked { ret void }",
       Refusal::kFunctionAttribute},
      {"@v = global i32 1, section \".bss.mine\" define void @f() { ret void }",
       Refusal::kVariable},
      {"@v = global i32 1 \"data-section\"=\"mine\" define void @f() { ret void }",
       Refusal::kVariable},
  };
  object_ = "as before";
  for (const auto& [text, refusal] : cases) {
    EXPECT_EQ(Compile(text), refusal) << text;
    EXPECT_EQ(object_, "as before");
  }
}

// As a client's linker gets them: bindings and visibilities are those of the module, constants are
// not copied, and what is left out is referred to by its name.
TEST_F(ModuleCompilerTest, CompilesWhatIsCovered) {
  BaselineOptions options;
  options.is_for_any_linker = true;
  compiler_ = ModuleCompiler::Create("x86_64-pc-linux-gnu", options).value();
  module_ = ParseModule(std::string(kLayout) + R"(
    @text = private unnamed_addr constant [3 x i8] c"ab\00"
    @common = common global i32 0
    @own = thread_local global i32 0
    @alias = alias void (), ptr @weak
    @alias_of_refused = alias void (), ptr @refused
    declare void @take(ptr)
    define weak hidden void @weak() { call void @take(ptr @text) ret void }
    define internal void @refused() prefix i32 1 { ret void }
    define internal void @left_out() { ret void }
    define void @f() { call void @refused() call void @left_out() ret void })",
                        context_);
  ASSERT_THAT(reader_.Begin(*module_), IsOk());
  const auto number = [&](const char* name) {
    return reader_.NumberOf(*module_->getNamedValue(name));
  };
  std::vector<uint32_t> refused;
  compiler_->CompileSome(reader_, options_,
                         {[&](uint32_t global) { return global == number("left_out"); },
                          [&](uint32_t global, Refusal) { refused.push_back(global); }},
                         object_);
  EXPECT_THAT(refused, UnorderedElementsAre(number("common"), number("own"), number("refused"),
                                            number("alias_of_refused")));
  const std::unique_ptr<ElfObject> object = Parsed();
  EXPECT_THAT(object->defined(), UnorderedElementsAre("weak", "alias", "f"));
  std::vector<std::string> undefined;
  for (const ElfObject::Undefined& symbol : object->undefined()) {
    undefined.emplace_back(symbol.name);
  }
  EXPECT_THAT(undefined, UnorderedElementsAre("take", "refused", "left_out"));
  for (const ElfObject::Definition& definition : object->DescribeDefinitions()) {
    EXPECT_EQ(definition.is_weak, definition.name == "weak") << definition.name;
    EXPECT_EQ(definition.is_hidden, definition.name == "weak") << definition.name;
  }
  // One common entry, and one for each of two functions.
  size_t entries = 0;
  for (const ElfObject::Section& section : object->sections()) {
    if (!section.is_unwind_table()) continue;
    const absl::Span<const char> bytes = object->BytesOf(section);
    for (size_t at = 0; at < bytes.size(); ++entries) {
      uint32_t size = 0;
      std::memcpy(&size, &bytes[at], sizeof(size));
      at += sizeof(size) + size;
    }
  }
  EXPECT_EQ(entries, 3u);
}

TEST_F(ModuleCompilerTest, IsUsedAgainAfterARefusal) {
  ASSERT_EQ(Compile("define void @f() { ret void } define void @g() naked { ret void }"),
            Refusal::kFunctionAttribute);
  ASSERT_EQ(Compile("define dso_local void @h() { ret void }"), Refusal::kNone);
  EXPECT_THAT(Parsed()->defined(), ElementsAre("h"));
}

}  // namespace
}  // namespace firstcall::baseline
