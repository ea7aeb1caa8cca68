#include "splitter/function_extractor.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index_builder.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class FunctionExtractorTest : public testing::Test {
 protected:
  void Load(const std::string& text) { LoadBytes(ParseToBitcode(text)); }

  void LoadBytes(const std::string& bitcode) {
    absl::StatusOr<std::unique_ptr<ModuleSource>> source =
        ModuleSource::FromBitcode(llvm::MemoryBuffer::getMemBufferCopy(bitcode, "test"));
    ASSERT_THAT(source, IsOk());
    source_ = *std::move(source);
    view_ = source_->OpenView().value();
    index_.emplace(BuildSymbolIndex(*view_).value());
  }

  absl::StatusOr<FunctionModule> Extract(absl::string_view name, bool may_join = false) {
    ExtractOptions options;
    options.import_callees = importing_;
    return Extract(name, options, may_join);
  }

  absl::StatusOr<FunctionModule> Extract(absl::string_view name, const ExtractOptions& options,
                                         bool may_join) {
    return ExtractFunction(
        *view_, *index_, *index_->Find(name), options,
        {[&](SymbolOrdinal symbol) { return index_->at(symbol).name == replaced_; },
         [&](SymbolOrdinal) { return may_join; }, [](SymbolOrdinal) { return true; },
         [&](llvm::Function& function) {
           if (simplify_) simplify_(function);
         }});
  }

  // The text of the function-module, after the verifier has seen it.
  std::string TextOf(absl::string_view name, bool may_join = false) {
    absl::StatusOr<FunctionModule> extracted = Extract(name, may_join);
    EXPECT_THAT(extracted, IsOk());
    if (!extracted.ok()) return "";
    std::string reason;
    llvm::raw_string_ostream stream(reason);
    EXPECT_FALSE(llvm::verifyModule(*extracted->module, &stream)) << reason;
    return PrintModule(*extracted->module);
  }

  bool importing_ = false;
  std::function<void(llvm::Function&)> simplify_;  // What is done to an imported body.
  std::string replaced_;                           // The symbol that gives way to another.
  std::unique_ptr<ModuleSource> source_;
  std::shared_ptr<ModuleView> view_;
  std::optional<SymbolIndex> index_;
};

TEST_F(FunctionExtractorTest, CallsAndAddressesHaveNamesOfTheirOwn) {
  Load(R"(
    define void @callee() { ret void }
    define ptr @f() { call void @callee()  ret ptr @callee })");
  const std::string text = TextOf("f");
  EXPECT_THAT(text, HasSubstr("call void @\"callee$fc.call\"()"));
  EXPECT_THAT(text, HasSubstr("ret ptr @\"callee$fc.stub\""));
}

constexpr char kCallsWhatMustBeInlined[] = R"(
  define available_externally i32 @one() alwaysinline { ret i32 1 }
  define internal i32 @two() alwaysinline { %x = call i32 @one() %y = add i32 %x, 1 ret i32 %y }
  define linkonce_odr i32 @three() alwaysinline { ret i32 3 }
  define i32 @f(i32 %n) {
    %x = call i32 @two()
    %y = call i32 @three()
    %z = mul i32 %x, %n
    %s = add i32 %y, %z
    ret i32 %s
  }
  define i32 @g(i32 %n) { %x = call i32 @two() %y = mul i32 %x, %n ret i32 %y }
  define ptr @h() { ret ptr @two })";

TEST_F(FunctionExtractorTest, WhatMustBeInlinedIsInlinedWithoutOptimization) {
  Load(kCallsWhatMustBeInlined);
  replaced_ = "three";  // By its equal.
  const std::string text = TextOf("f", /*may_join=*/true);
  EXPECT_THAT(text, AllOf(HasSubstr("mul i32 2, %n"), HasSubstr("add i32 3, %z")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("call i32")), Not(HasSubstr("declare"))));
}

TEST_F(FunctionExtractorTest, WhatMustBeInlinedStaysInTheView) {
  Load(kCallsWhatMustBeInlined);
  EXPECT_THAT(TextOf("two$1"), HasSubstr("@\"two$1\""));
  EXPECT_THAT(TextOf("g"), HasSubstr("mul i32 2, %n"));
  EXPECT_THAT(TextOf("h"), HasSubstr("ret ptr @\"two$1$fc.stub\""));
}

TEST_F(FunctionExtractorTest, ADamagedCalleeThatMustBeInlinedIsCalled) {
  Load(R"(
    define internal void @g() alwaysinline { ret void }
    define void @f() { call void @g() ret void })");
  view_->module().getFunction("g")->addFnAttr(llvm::Attribute::OptimizeNone);  // Not valid.
  ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract("f"));
  EXPECT_THAT(PrintModule(*extracted.module), HasSubstr("call void @\"g$0$fc.call\"()"));
}

TEST_F(FunctionExtractorTest, RefusesACoroutineThatWritesTheSizeOfItsFrameIntoAVariable) {
  Load(R"(
    @pointer = global <{ i32, i32 }> <{ i32 0, i32 0 }>
    declare token @llvm.coro.id.async(i32, i32, i32, ptr)
    define void @f(ptr %context) presplitcoroutine {
      %id = call token @llvm.coro.id.async(i32 128, i32 16, i32 0, ptr @pointer)
      ret void
    })");
  EXPECT_THAT(Extract("f"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       AllOf(HasSubstr("function 'f'"), HasSubstr("coroutine of the async kind"))));
}

TEST_F(FunctionExtractorTest, OwnAddressIsTheStubs) {
  Load("define ptr @f() { ret ptr @f }");
  EXPECT_THAT(TextOf("f"), HasSubstr("ret ptr @\"f$fc.stub\""));
}

TEST_F(FunctionExtractorTest, OutsideFunctionsKeepTheirName) {
  Load("declare i32 @puts(ptr)\n define i32 @f(ptr %s) { %r = call i32 @puts(ptr %s) ret i32 %r }");
  const std::string text = TextOf("f");
  EXPECT_THAT(text, HasSubstr("declare i32 @puts(ptr)"));
  EXPECT_THAT(text, Not(HasSubstr("dso_local i32 @puts")));
}

TEST_F(FunctionExtractorTest, DeclaresOnlyWhatTheFunctionNames) {
  std::string text = "define void @f() { call void @g7() ret void }\n";
  for (int i = 0; i < 3000; ++i) text += "define void @g" + std::to_string(i) + "() { ret void }\n";
  Load(text);
  ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract("f"));
  EXPECT_EQ(extracted.module->size(), 2u);
  EXPECT_EQ(extracted.module->global_size(), 0u);
}

TEST_F(FunctionExtractorTest, SmallConstantsAreCopiedWhereTheyAreRead) {
  Load(R"(
    @text = private unnamed_addr constant [3 x i8] c"hi\00"
    define i8 @f(i64 %i) {
      %at = getelementptr [3 x i8], ptr @text, i64 0, i64 %i
      %c = load i8, ptr %at
      ret i8 %c
    })");
  EXPECT_THAT(TextOf("f"), HasSubstr("private unnamed_addr constant [3 x i8] c\"hi\\00\""));
}

TEST_F(FunctionExtractorTest, SmallConstantsAreSharedWhereTheirAddressGetsOut) {
  Load(R"(
    @text = private unnamed_addr constant [3 x i8] c"hi\00"
    define ptr @f() { ret ptr @text })");
  EXPECT_THAT(TextOf("f"), HasSubstr("@\"text$0\" = external dso_local constant [3 x i8]"));
}

TEST_F(FunctionExtractorTest, TheOptimizerSeesTheValuesOfSharedConstants) {
  Load(R"(
    @text = private unnamed_addr constant [3 x i8] c"hi\00"
    define ptr @f() { ret ptr @text })");
  importing_ = true;
  EXPECT_THAT(TextOf("f"), HasSubstr("@\"text$0\" = available_externally dso_local constant "
                                     "[3 x i8] c\"hi\\00\""));
}

TEST_F(FunctionExtractorTest, ConstantsWhoseAddressMattersAreNotCopied) {
  Load(R"(
    @text = internal constant [3 x i8] c"hi\00"
    define ptr @f() { ret ptr @text })");
  EXPECT_THAT(TextOf("f"), HasSubstr("@\"text$0\" = external dso_local constant [3 x i8]"));
}

TEST_F(FunctionExtractorTest, WhatCopiedConstantsNameIsShared) {
  Load(R"(
    @text = private unnamed_addr constant [3 x i8] c"hi\00"
    @table = private unnamed_addr constant [2 x ptr] [ptr @text, ptr null]
    define ptr @f(i64 %i) {
      %at = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
      %text = load ptr, ptr %at
      ret ptr %text
    })");
  const std::string text = TextOf("f");
  EXPECT_THAT(text, HasSubstr("constant [2 x ptr] [ptr @\"text$0\", ptr null]"));
  EXPECT_THAT(text, HasSubstr("@\"text$0\" = external dso_local constant [3 x i8]"));
}

TEST_F(FunctionExtractorTest, WeakDefinitionsMayBeFarAway) {
  Load("@w = weak global i32 1\n define i32 @f() { %x = load i32, ptr @w ret i32 %x }");
  EXPECT_THAT(TextOf("f"), HasSubstr("@w = external global i32"));
}

TEST_F(FunctionExtractorTest, KeepsPersonalityAndAttributes) {
  Load(R"(
    declare i32 @handler(...)
    declare void @may_throw()
    define fastcc void @f(i32 zeroext %x) noinline personality ptr @handler {
      invoke void @may_throw() to label %done unwind label %pad
    done:
      ret void
    pad:
      %caught = landingpad { ptr, i32 } cleanup
      resume { ptr, i32 } %caught
    })");
  const std::string text = TextOf("f");
  EXPECT_THAT(text, HasSubstr("define dso_local fastcc void @f(i32 zeroext %x)"));
  EXPECT_THAT(text, HasSubstr("personality ptr @handler"));
}

TEST_F(FunctionExtractorTest, PrefixDataStaysWithTheAddress) {
  Load("define void @f() prefix i32 42 prologue i8 -112 { ret void }");
  EXPECT_THAT(TextOf("f"), AllOf(Not(HasSubstr("prefix")), HasSubstr("prologue i8 -112")));
  EXPECT_TRUE(view_->module().getFunction("f")->hasPrefixData());
}

TEST_F(FunctionExtractorTest, AliasesAreWhatTheyStandFor) {
  Load(R"(
    @data = global [2 x i32] zeroinitializer
    @second = alias i32, getelementptr (i32, ptr @data, i64 1)
    @g = alias void (), ptr @f
    define void @f() { ret void }
    define ptr @user() {
      call void @g()
      store i32 1, ptr @second
      store i32 2, ptr @data
      ret ptr @g
    })");
  const std::string text = TextOf("user");
  EXPECT_THAT(text, HasSubstr("call void @\"f$fc.call\"()"));
  EXPECT_THAT(text, HasSubstr("store i32 1, ptr getelementptr (i8, ptr @data, i64 4)"));
  EXPECT_THAT(text, HasSubstr("store i32 2, ptr @data"));
  EXPECT_THAT(text, HasSubstr("ret ptr @\"f$fc.stub\""));
}

TEST_F(FunctionExtractorTest, FunctionsThatShareBlockAddressesHaveOneLeader) {
  const std::string text = R"(
    define ptr @user() { ret ptr blockaddress(@owner, %block) }
    define void @bystander() { ret void }
    define void @owner(ptr %to) {
      indirectbr ptr %to, [label %block]
    block:
      ret void
    }
    define ptr @other() { ret ptr blockaddress(@owner, %block) })";
  for (absl::string_view function : {"owner", "other"}) {
    Load(text);
    ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract(function));
    EXPECT_EQ(extracted.module, nullptr);
    ASSERT_TRUE(extracted.leader.has_value());
    EXPECT_EQ(index_->at(*extracted.leader).name, "user");
  }
  ASSERT_OK_AND_ASSIGN(FunctionModule all, Extract("user"));
  EXPECT_FALSE(all.leader.has_value());
  EXPECT_EQ(all.functions.size(), 3u);
  const std::string printed = PrintModule(*all.module);
  EXPECT_THAT(printed, HasSubstr("define dso_local ptr @user()"));
  EXPECT_THAT(printed, HasSubstr("define dso_local ptr @other()"));
  EXPECT_THAT(printed, HasSubstr("define dso_local void @owner(ptr %to)"));
}

TEST_F(FunctionExtractorTest, BlockAddressesGoWithTheirFunction) {
  Load(R"(
    @labels = internal constant [1 x ptr] [ptr blockaddress(@f, %target)]
    define void @f() {
      %to = load ptr, ptr @labels
      indirectbr ptr %to, [label %target]
    target:
      ret void
    })");
  ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract("f"));
  EXPECT_EQ(extracted.variables.size(), 1u);
  EXPECT_THAT(PrintModule(*extracted.module), HasSubstr("[ptr blockaddress(@f, %target)]"));
}

TEST_F(FunctionExtractorTest, InevitableCalleesJoinIfTheyMay) {
  Load(R"(
    define void @leaf() { ret void }
    define void @middle() { call void @leaf() ret void }
    define void @f(i1 %x) {
      call void @middle()
      br i1 %x, label %rare, label %end
    rare:
      call void @seldom()
      br label %end
    end:
      ret void
    }
    define void @seldom() { ret void })");
  ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract("f", /*may_join=*/true));
  ASSERT_EQ(extracted.functions.size(), 3u);
  const std::string text = PrintModule(*extracted.module);
  EXPECT_THAT(text, HasSubstr("call void @middle()"));
  EXPECT_THAT(text, HasSubstr("call void @leaf()"));
  EXPECT_THAT(text, HasSubstr("call void @\"seldom$fc.call\"()"));
}

TEST_F(FunctionExtractorTest, CompanionsJoinWithoutBeingCalled) {
  Load(R"(
    define void @first() { ret void }
    define void @f() { ret void }
    declare void @elsewhere()
    define void @assembly() { call void asm sideeffect "nop", ""() ret void }
    define void @last() { ret void }
    define void @not_reached() { ret void })");
  ExtractOptions options;
  options.companions = 1;
  EXPECT_EQ(Extract("first", options, /*may_join=*/false)->functions.size(), 1u);
  ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract("f", options, /*may_join=*/true));
  ASSERT_EQ(extracted.functions.size(), 2u);
  EXPECT_EQ(index_->at(extracted.functions[1]).name, "last");
}

TEST_F(FunctionExtractorTest, CalleesOfADescribedFunctionComeAlongBeforeOthers) {
  Load(R"(
    define void @first() { ret void }
    define void @f(i1 %c, ptr %p) !dbg !3 {
      br i1 %c, label %a, label %b
    a:
      call void @called(), !dbg !4
      call void %p()
      call void @elsewhere()
      br label %b
    b:
      ret void
    }
    declare void @elsewhere()
    define void @next() { ret void }
    define void @called() { call void @first() ret void }
    define void @plain(i1 %c) {
      br i1 %c, label %a, label %b
    a:
      call void @called()
      br label %b
    b:
      ret void
    }
    !llvm.dbg.cu = !{!1}
    !llvm.module.flags = !{!5}
    !0 = !DIFile(filename: "f.c", directory: "/")
    !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !0, emissionKind: FullDebug)
    !2 = !DISubroutineType(types: !{null})
    !3 = distinct !DISubprogram(name: "f", file: !0, line: 1, type: !2, unit: !1,
                                spFlags: DISPFlagDefinition)
    !4 = !DILocation(line: 2, scope: !3)
    !5 = !{i32 2, !"Debug Info Version", i32 3})");
  const auto names = [&](const ExtractOptions& options, const char* function = "f") {
    std::vector<std::string> result;
    absl::StatusOr<FunctionModule> extracted = Extract(function, options, /*may_join=*/true);
    EXPECT_THAT(extracted.status(), IsOk());
    for (SymbolOrdinal ordinal : extracted->functions) {
      result.emplace_back(index_->at(ordinal).name);
    }
    return result;
  };
  ExtractOptions options;
  options.keep_in_view = true;
  EXPECT_THAT(names(options), ElementsAre("f"));
  options.callees_along = 5;
  EXPECT_THAT(names(options), ElementsAre("f", "called"));
  EXPECT_THAT(names(options, "plain"), ElementsAre("plain"));
  options.companions = 2;
  EXPECT_THAT(names(options), ElementsAre("f", "called", "next"));
}

TEST_F(FunctionExtractorTest, CompanionsAreTakenFromTheBeginningAfterTheEnd) {
  Load(R"(
    define void @first() { ret void }
    define void @f() { ret void })");
  ExtractOptions options;
  options.companions = 5;
  ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract("f", options, /*may_join=*/true));
  EXPECT_EQ(extracted.functions.size(), 2u);
}

TEST_F(FunctionExtractorTest, NobodyJoinsAgainstTheWillOfTheCaller) {
  Load("define void @g() { ret void }\n define void @f() { call void @g() ret void }");
  ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract("f"));
  EXPECT_EQ(extracted.functions.size(), 1u);
}

TEST_F(FunctionExtractorTest, InlineAssemblyDoesNotJoin) {
  Load(R"(
    define void @g() { call void asm sideeffect "nop", ""() ret void }
    define void @f() { call void @g() ret void })");
  ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract("f", /*may_join=*/true));
  EXPECT_EQ(extracted.functions.size(), 1u);
}

TEST_F(FunctionExtractorTest, LargeBodiesDoNotJoin) {
  std::string large = "define i32 @g(i32 %x0) {\n";
  for (int i = 0; i < 3000; ++i) {
    large += "%x" + std::to_string(i + 1) + " = add i32 %x" + std::to_string(i) + ", 1\n";
  }
  Load(large + "ret i32 %x3000 }\n define i32 @f() { %r = call i32 @g(i32 0) ret i32 %r }");
  ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract("f", /*may_join=*/true));
  EXPECT_EQ(extracted.functions.size(), 1u);
}

TEST_F(FunctionExtractorTest, HashesOfFunctionTypesAreUnimplemented) {
  Load(R"(
    define void @f() { ret void }
    !llvm.module.flags = !{!0}
    !0 = !{i32 4, !"kcfi", i32 1})");
  EXPECT_THAT(Extract("f"), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("'kcfi'")));
}

TEST_F(FunctionExtractorTest, SecondExtractionIsAnError) {
  Load("define void @f() { ret void }");
  ASSERT_THAT(Extract("f"), IsOk());
  EXPECT_THAT(Extract("f"), StatusIs(absl::StatusCode::kFailedPrecondition,
                                     "function 'f' was already extracted"));
}

TEST_F(FunctionExtractorTest, InvalidBodyNamesFunctionAndReason) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(
      "define i32 @f(i32 %x) { %y = add i32 %x, 1 %z = add i32 %y, 1 ret i32 %z }", context);
  // The second instruction moves before the one it needs.
  llvm::BasicBlock& block = module->getFunction("f")->front();
  std::next(block.begin())->moveBefore(&block.front());
  LoadBytes(ModuleToBitcode(*module));
  EXPECT_THAT(Extract("f"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("function 'f' is not valid IR: Instruction does not dominate")));
}

// The lists of a compile unit are checked with the first function that has debug information of the
// unit; the rest of each function is checked with the function.
TEST_F(FunctionExtractorTest, InvalidDebugInformationNamesTheFunction) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(R"(
    define void @f() !dbg !4 { ret void, !dbg !7 }
    define void @g() !dbg !5 { ret void, !dbg !8 }
    define void @h() !dbg !6 { ret void, !dbg !9 }
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!2}
    !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug,
                                 enums: !{!10})
    !1 = !DIFile(filename: "f.c", directory: "/")
    !2 = !{i32 2, !"Debug Info Version", i32 3}
    !3 = !DISubroutineType(types: !{null})
    !4 = distinct !DISubprogram(name: "f", file: !1, line: 2, type: !3, unit: !0,
                                spFlags: DISPFlagDefinition)
    !5 = distinct !DISubprogram(name: "g", file: !1, line: 4, type: !3, unit: !0,
                                spFlags: DISPFlagDefinition)
    !6 = distinct !DISubprogram(name: "h", file: !1, line: 6, type: !3, unit: !0,
                                spFlags: DISPFlagDefinition)
    !7 = !DILocation(line: 3, scope: !4)
    !8 = !DILocation(line: 5, scope: !5)
    !9 = !DILocation(line: 7, scope: !6)
    !10 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "kind", file: !1, elements: !{}))",
                                                     context);
  llvm::DISubprogram& subprogram_of_g = *module->getFunction("g")->getSubprogram();
  subprogram_of_g.replaceOperandWith(4, subprogram_of_g.getFile());  // Its type.
  LoadBytes(ModuleToBitcode(*module));
  EXPECT_THAT(Extract("f"), IsOk());
  EXPECT_THAT(Extract("g"), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("function 'g' is not valid IR: invalid")));
  {
    ASSERT_OK_AND_ASSIGN(const FunctionModule h, Extract("h"));
    EXPECT_EQ(h.module->begin()->getSubprogram()->getUnit()->getEnumTypes().size(), 1u);
  }

  module->getFunction("f")->getSubprogram()->getUnit()->replaceOperandWith(
      4, llvm::MDTuple::get(context, {subprogram_of_g.getFile()}));  // The enumerations.
  LoadBytes(ModuleToBitcode(*module));
  for (const char* name : {"f", "h"}) {
    EXPECT_THAT(Extract(name), StatusIs(absl::StatusCode::kInvalidArgument,
                                        HasSubstr("is not valid IR: invalid enum")));
  }
}

// The verifier would read all types of a program with each function. What code has defined was
// verified with that code, so what happens to the definition afterwards goes unnoticed.
TEST_F(FunctionExtractorTest, DebugInformationIsVerifiedOnce) {
  Load(R"(
    define void @f(ptr %p) !dbg !4 {
        #dbg_value(ptr %p, !7, !DIExpression(), !8)
      ret void, !dbg !8
    }
    define void @g(ptr %p) !dbg !5 {
        #dbg_value(ptr %p, !9, !DIExpression(), !10)
      ret void, !dbg !10
    }
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!2}
    !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
    !1 = !DIFile(filename: "f.c", directory: "/")
    !2 = !{i32 2, !"Debug Info Version", i32 3}
    !3 = !DISubroutineType(types: !{null})
    !4 = distinct !DISubprogram(name: "f", file: !1, line: 2, type: !3, unit: !0,
                                spFlags: DISPFlagDefinition)
    !5 = distinct !DISubprogram(name: "g", file: !1, line: 4, type: !3, unit: !0,
                                spFlags: DISPFlagDefinition)
    !7 = !DILocalVariable(name: "p", scope: !4, type: !11)
    !8 = !DILocation(line: 3, scope: !4)
    !9 = !DILocalVariable(name: "p", scope: !5, type: !11)
    !10 = !DILocation(line: 5, scope: !5)
    !11 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "S", file: !1, size: 32))");
  ASSERT_OK_AND_ASSIGN(const FunctionModule f, Extract("f"));
  llvm::Function& function = *f.module->begin();
  const llvm::DbgVariableRecord& variable =
      *llvm::filterDbgVars(function.front().front().getDbgRecordRange()).begin();
  llvm::DICompileUnit& unit = *function.getSubprogram()->getUnit();
  llvm::MDNode* const no_list = llvm::MDTuple::get(unit.getContext(), {unit.getFile()});
  variable.getVariable()->getType()->replaceOperandWith(4, no_list);  // Its elements.
  unit.replaceOperandWith(4, no_list);                                // Its enumerations.
  ASSERT_TRUE(llvm::verifyFunction(function));
  EXPECT_THAT(Extract("g"), IsOk());
}

TEST_F(FunctionExtractorTest, ImportsWhatIsCalledDirectlyAndWhatThatCalls) {
  Load(R"(
    define i32 @leaf(i32 %x) { %y = add i32 %x, 1  ret i32 %y }
    define internal i32 @middle(i32 %x) { %y = call i32 @leaf(i32 %x)  ret i32 %y }
    define i32 @f(i32 %x) { %y = call i32 @middle(i32 %x)  ret i32 %y }
    define ptr @g() { ret ptr @leaf })");
  importing_ = true;
  EXPECT_THAT(TextOf("f"),
              AllOf(ContainsRegex("define available_externally .*middle\\$.*\\$fc.call"),
                    ContainsRegex("define available_externally .*leaf\\$fc.call")));
  // Nobody is obliged to have a body that is only pointed to.
  EXPECT_THAT(TextOf("g"), AllOf(HasSubstr("leaf$fc.stub"), Not(HasSubstr("available"))));
}

TEST_F(FunctionExtractorTest, ImportsWhatWasExtractedBefore) {
  Load(R"(
    define i32 @callee(i32 %x) { %y = add i32 %x, 41  ret i32 %y }
    define i32 @f(i32 %x) { %y = call i32 @callee(i32 %x)  ret i32 %y })");
  importing_ = true;
  EXPECT_THAT(TextOf("callee"), HasSubstr("define dso_local i32 @callee("));
  EXPECT_THAT(TextOf("callee"), HasSubstr("define dso_local i32 @callee("));
  EXPECT_THAT(TextOf("f"), AllOf(HasSubstr("41"), HasSubstr("available_externally")));
}

// Of a template that a library has, for instance. Its address is the library's, too.
TEST_F(FunctionExtractorTest, ImportsWhatAnotherModuleDefines) {
  Load(R"(
    define available_externally i32 @theirs(i32 %x) { %y = add i32 %x, 41  ret i32 %y }
    define i32 @f(i32 %x) { %y = call i32 @theirs(i32 %x)  ret i32 %y }
    declare i32 @apply(ptr, i32)
    define available_externally i32 @once(ptr %by) { %y = call i32 %by(i32 1)  ret i32 %y }
    define i32 @g(i32 %x) {
      %y = call i32 @apply(ptr @theirs, i32 %x)
      %z = call i32 @once(ptr @theirs)
      %r = add i32 %y, %z
      ret i32 %r
    })");
  importing_ = true;
  EXPECT_THAT(TextOf("f"), AllOf(HasSubstr("define available_externally i32 @theirs(i32 %x)"),
                                 HasSubstr("call i32 @theirs(i32 %x)"), Not(HasSubstr("$fc"))));
  EXPECT_THAT(TextOf("g"), AllOf(HasSubstr("define available_externally i32 @theirs(i32 %x)"),
                                 HasSubstr("define available_externally i32 @once(ptr %by)"),
                                 HasSubstr("call i32 @apply(ptr @theirs, i32 %x)"),
                                 HasSubstr("call i32 @once(ptr @theirs)"), Not(HasSubstr("$fc"))));
}

TEST_F(FunctionExtractorTest, WhatIsHotMayImportMore) {
  std::string text = "define i32 @f(i32 %x) {\n";
  std::string callees;
  for (int i = 0; i < 20; ++i) {
    absl::StrAppend(&callees, "define void @g", i, "(ptr %p) {\n");
    for (int j = 0; j < 90; ++j) absl::StrAppend(&callees, "store volatile i32 1, ptr %p\n");
    absl::StrAppend(&callees, "ret void }\n");
    absl::StrAppend(&text, "call void @g", i, "(ptr null)\n");
  }
  Load(absl::StrCat(callees, text, "ret i32 %x }\n"));
  ExtractOptions options;
  options.import_callees = true;
  const auto count_imports = [&] {
    absl::StatusOr<FunctionModule> extracted = Extract("f", options, /*may_join=*/false);
    EXPECT_THAT(extracted, IsOk());
    return llvm::count_if(*extracted->module, [](const llvm::Function& function) {
      return function.hasAvailableExternallyLinkage();
    });
  };
  EXPECT_EQ(count_imports(), 5);
  options.body = OptimizedBody{};
  EXPECT_EQ(count_imports(), 20);
}

// A copy that is there to be inlined is dropped, so what it names is not defined by it.
TEST_F(FunctionExtractorTest, ImportedBodiesKeepTheirLinesAndDefineNoTypesForOthers) {
  Load(R"(
    define void @callee(ptr %s) !dbg !4 {
      call void @llvm.dbg.value(metadata ptr %s, metadata !7, metadata !DIExpression()), !dbg !10
      store i32 1, ptr %s, !dbg !10
      ret void, !dbg !10
    }
    define void @caller(ptr %s) !dbg !5 {
      call void @callee(ptr %s), !dbg !11
      ret void, !dbg !11
    }
    define void @later(ptr %s) !dbg !6 {
      call void @callee(ptr %s), !dbg !12
      ret void, !dbg !12
    }
    declare void @llvm.dbg.value(metadata, metadata, metadata)
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!2}
    !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
    !1 = !DIFile(filename: "f.c", directory: "/")
    !2 = !{i32 2, !"Debug Info Version", i32 3}
    !3 = !DISubroutineType(types: !{null})
    !4 = distinct !DISubprogram(name: "callee", file: !1, line: 2, type: !3, unit: !0,
                                spFlags: DISPFlagDefinition)
    !5 = distinct !DISubprogram(name: "caller", file: !1, line: 4, type: !3, unit: !0,
                                spFlags: DISPFlagDefinition)
    !6 = distinct !DISubprogram(name: "later", file: !1, line: 6, type: !3, unit: !0,
                                spFlags: DISPFlagDefinition)
    !7 = !DILocalVariable(name: "s", scope: !4, type: !8)
    !8 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !9, size: 64)
    !9 = !DICompositeType(tag: DW_TAG_structure_type, name: "S", file: !1, line: 1, size: 32)
    !10 = !DILocation(line: 3, scope: !4)
    !11 = !DILocation(line: 5, scope: !5)
    !12 = !DILocation(line: 7, scope: !6))");
  const auto declares = ContainsRegex("DICompositeType.*name: \"S\".*DIFlagFwdDecl");
  const auto defines = ContainsRegex("DICompositeType.*name: \"S\".*size: 32");
  const auto text_of = [&](const char* name, bool imports) {
    ExtractOptions options;
    options.import_callees = imports;
    options.keep_in_view = true;
    return PrintModule(*Extract(name, options, /*may_join=*/false).value().module);
  };
  const std::string text = text_of("caller", /*imports=*/true);
  EXPECT_THAT(text, ContainsRegex("available_externally .*void @\"callee.*!dbg"));
  EXPECT_THAT(text, ContainsRegex("DILocation\\(line: 3"));
  EXPECT_THAT(text, AllOf(defines, Not(declares)));
  EXPECT_THAT(text_of("later", /*imports=*/true), AllOf(defines, Not(declares)));
  EXPECT_THAT(text_of("callee", /*imports=*/false), AllOf(defines, Not(declares)));
  // Now code has defined it.
  EXPECT_THAT(text_of("later", /*imports=*/true), AllOf(declares, Not(defines)));
}

TEST_F(FunctionExtractorTest, DoesNotImportWhatMayNotBeInlinedOrIsReplaced) {
  Load(R"(
    define i32 @stays(i32 %x) noinline { ret i32 %x }
    define i32 @plain(i32 %x) noinline optnone { ret i32 %x }
    define i32 @twice(i32 %x) returns_twice { ret i32 %x }
    define weak i32 @weak(i32 %x) { ret i32 %x }
    define linkonce_odr i32 @replaced(i32 %x) { ret i32 %x }
    define i32 @f(i32 %x) {
      %a = call i32 @stays(i32 %x)
      %b = call i32 @plain(i32 %a)
      %c = call i32 @twice(i32 %b)
      %d = call i32 @weak(i32 %c)
      %e = call i32 @replaced(i32 %d)
      ret i32 %e
    })");
  importing_ = true;
  replaced_ = "replaced";
  EXPECT_THAT(TextOf("f"), Not(HasSubstr("available_externally")));
  replaced_ = "";
  EXPECT_THAT(TextOf("f"), ContainsRegex("available_externally .*replaced\\$fc.call"));
}

TEST_F(FunctionExtractorTest, WhatCallsTheFunctionsItIsPassedIsALocalCopy) {
  Load(R"(
    define internal i1 @less(i32 %a) { %r = icmp slt i32 %a, 7 ret i1 %r }
    define void @each(ptr %by) {
      %r = call i1 %by(i32 1)
      br i1 %r, label %again, label %end
    again:
      call void @each(ptr %by)
      br label %end
    end:
      ret void
    }
    define void @f() { call void @each(ptr @less) ret void })");
  importing_ = true;
  EXPECT_THAT(TextOf("f"),
              AllOf(HasSubstr("define internal void @\"each$fc.call\"(ptr %by)"),
                    HasSubstr("call void @\"each$fc.call\"(ptr %by)"),
                    ContainsRegex("define available_externally .*i1 @\"less.*\\$fc.stub\"")));
}

// Simplifying it in the view would find the address of the block.
TEST_F(FunctionExtractorTest, DoesNotImportWhatReadsAddressesOfBlocks) {
  Load(R"(
    @labels = internal constant [1 x ptr] [ptr blockaddress(@g, %target)]
    @table = internal constant [1 x ptr] [ptr @labels]
    define ptr @g() {
      br label %target
    target:
      ret ptr @labels
    }
    define ptr @reads() { %p = load ptr, ptr @table  %l = load ptr, ptr %p  ret ptr %l }
    define i32 @other() { ret i32 7 }
    define ptr @f() { %x = call i32 @other()  %p = call ptr @reads()  ret ptr %p })");
  importing_ = true;
  EXPECT_THAT(TextOf("f"), AllOf(ContainsRegex("define available_externally .*other\\$fc.call"),
                                 ContainsRegex("declare .*reads\\$fc.call")));
}

constexpr char kKindsOfFunctions[] = R"(
  declare ptr @llvm.frameaddress(i32)
  define void @plain() { ret void }
  define void @loop(i32 %n) {
  entry:
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %j, %loop ]
    %j = add i32 %i, 1
    %more = icmp slt i32 %j, %n
    br i1 %more, label %loop, label %end
  end:
    ret void
  }
  define ptr @frame(i32 %n) {
  entry:
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %j, %loop ]
    %j = add i32 %i, 1
    %more = icmp slt i32 %j, %n
    br i1 %more, label %loop, label %end
  end:
    %f = call ptr @llvm.frameaddress(i32 0)
    ret ptr %f
  }
  define void @stays() noinline optnone { ret void })";

TEST_F(FunctionExtractorTest, FirstBodiesShowTheirHotnessAsFarAsTheyMay) {
  struct Case {
    const char* function;
    int64_t allowance;
    bool asks;
    HotnessSigns signs;
    bool polls;
  };
  for (const Case& c : {Case{"plain", kUnlimitedPolls, false, HotnessSigns::kCallsAndLoops, false},
                        Case{"plain", 0, true, HotnessSigns::kCallsAndLoops, true},
                        Case{"loop", kUnlimitedPolls, false, HotnessSigns::kCallsAndLoops, true},
                        Case{"loop", 30, false, HotnessSigns::kCallsAndLoops, true},
                        Case{"loop", 0, false, HotnessSigns::kCallsOnly, false},
                        Case{"loop", -1000, false, HotnessSigns::kCallsOnly, false},
                        Case{"frame", kUnlimitedPolls, false, HotnessSigns::kCallsOnly, false},
                        Case{"stays", kUnlimitedPolls, true, HotnessSigns::kNone, false}}) {
    SCOPED_TRACE(::testing::Message() << c.function << " " << c.allowance);
    Load(kKindsOfFunctions);
    ExtractOptions options;
    options.body = ReplaceableBody{c.allowance, c.asks};
    ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract(c.function, options, false));
    EXPECT_THAT(extracted.hotness_signs, testing::ElementsAre(c.signs));
    EXPECT_EQ(PrintModule(*extracted.module).find("$fc.hotness") != std::string::npos, c.polls);
    const bool polls_at_loop = c.polls && std::string(c.function) == "loop";
    EXPECT_EQ(extracted.poll_balance < 0, polls_at_loop);
    EXPECT_GE(extracted.poll_balance, -30);
  }
}

TEST_F(FunctionExtractorTest, LargeFunctionsEarnPolls) {
  std::string text = "define i32 @large(i32 %n) {\n  %x0 = add i32 %n, 1\n";
  for (int i = 1; i < 128 * 40; ++i) {
    text += "  %x" + std::to_string(i) + " = add i32 %x" + std::to_string(i - 1) + ", %n\n";
  }
  text += R"(
    br label %loop
  loop:
    %more = icmp slt i32 %x9, %n
    br i1 %more, label %loop, label %end
  end:
    ret i32 %x5119
  })";
  Load(text);
  ExtractOptions options;
  options.body = ReplaceableBody{/*poll_allowance=*/0};
  ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract("large", options, false));
  EXPECT_THAT(extracted.hotness_signs, testing::ElementsAre(HotnessSigns::kCallsAndLoops));
  EXPECT_GT(extracted.poll_balance, 0);
}

TEST_F(FunctionExtractorTest, BetterBodyOfWhatStaysIsUnimplemented) {
  Load(kKindsOfFunctions);
  ExtractOptions options;
  options.body = OptimizedBody{};
  EXPECT_THAT(Extract("plain", options, false), IsOk());
  EXPECT_THAT(
      Extract("stays", options, false),
      StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("'stays' keeps its first body")));
}

TEST_F(FunctionExtractorTest, MakesTheContinuationAtALoop) {
  Load(kKindsOfFunctions);
  ExtractOptions options;
  options.keep_in_view = true;
  options.body = ContinuationAtLoop{0};
  ASSERT_OK_AND_ASSIGN(FunctionModule extracted, Extract("loop", options, false));
  const std::string text = PrintModule(*extracted.module);
  EXPECT_THAT(text, AllOf(HasSubstr("@\"loop$fc.loop\"(ptr"), Not(HasSubstr("$fc.hotness"))));
  EXPECT_THAT(extracted.hotness_signs, testing::IsEmpty());
  options.body = ContinuationAtLoop{7};
  EXPECT_THAT(Extract("loop", options, false),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("'loop' has no loop 7")));
}

TEST_F(FunctionExtractorTest, SaysThatALoopHasNoPossibleEntry) {
  Load(R"(
    declare i32 @twice(i32) returns_twice
    define void @loop(i32 %n) {
      %saved = call i32 @twice(i32 0)
      br label %next
    next:
      %i = phi i32 [ %saved, %0 ], [ %more, %next ]
      %more = add i32 %i, 1
      %again = icmp slt i32 %more, %n
      br i1 %again, label %next, label %end
    end:
      ret void
    })");
  ExtractOptions options;
  options.body = ContinuationAtLoop{0};
  EXPECT_THAT(Extract("loop", options, false),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("loop 0 of function 'loop' has no possible entry")));
}

TEST_F(FunctionExtractorTest, AContinuationIsMadeOfWhatWasReadAfterTheFunctionWasImported) {
  Load(std::string(kKindsOfFunctions) + "define void @f() { call void @loop(i32 3)  ret void }");
  ExtractOptions options;
  options.keep_in_view = true;
  options.body = ContinuationAtLoop{0};
  ASSERT_OK_AND_ASSIGN(const FunctionModule before, Extract("loop", options, false));
  importing_ = true;
  simplify_ = [](llvm::Function& body) {
    llvm::IRBuilder<> builder(&*body.getEntryBlock().begin());
    builder.CreateStore(builder.getInt8(1), llvm::ConstantPointerNull::get(builder.getPtrTy()));
  };
  EXPECT_THAT(TextOf("f"), HasSubstr("store i8 1, ptr null"));
  ASSERT_OK_AND_ASSIGN(const FunctionModule after, Extract("loop", options, false));
  EXPECT_EQ(PrintModule(*after.module), PrintModule(*before.module));
}

TEST_F(FunctionExtractorTest, BodiesThatAreKnownToBeTooLargeAreNotReadForImporting) {
  Load("define void @g() { ret void }  define void @f() { call void @g()  ret void }");
  BodySizes sizes;
  ExtractOptions options;
  options.import_callees = true;
  options.sizes = &sizes;
  sizes.NoteAsRead(*index_->Find("g"), 1000);
  EXPECT_EQ(Extract("f", options, false)->imported, 0u);
  EXPECT_TRUE(view_->module().getFunction("g")->isMaterializable());
}

TEST_F(FunctionExtractorTest, BodiesAreSimplifiedOnce) {
  Load(R"(
    define void @g() { ret void }
    define void @e() { call void @g()  ret void }
    define void @f() { call void @g()  ret void })");
  importing_ = true;
  int simplified = 0;
  simplify_ = [&](llvm::Function&) { ++simplified; };
  EXPECT_EQ(Extract("e")->imported, 1u);
  EXPECT_EQ(Extract("f")->imported, 1u);
  EXPECT_EQ(simplified, 1);
}

TEST_F(FunctionExtractorTest, BodiesFarTooLargeAreNotSimplified) {
  std::string large = "define void @large(ptr %p) {\n";
  for (int i = 0; i < 3000; ++i) absl::StrAppend(&large, "store volatile i32 ", i, ", ptr %p\n");
  Load(large + "ret void }  define void @f(ptr %p) { call void @large(ptr %p)  ret void }");
  importing_ = true;
  simplify_ = [](llvm::Function& body) { ADD_FAILURE() << body.getInstructionCount(); };
  EXPECT_EQ(Extract("f")->imported, 0u);
}

// What clang -O0 makes of a module: one function has debug information.
constexpr char kOptNone[] = R"(
  define i32 @g(i32 %x) noinline optnone { ret i32 %x }
  define i32 @f(i32 %x) noinline optnone { %y = call i32 @g(i32 %x) ret i32 %y }
  define i32 @debugged(i32 %x) noinline optnone !dbg !3 { ret i32 %x }
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2}
  !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
  !1 = !DIFile(filename: "f.c", directory: "/")
  !2 = !{i32 2, !"Debug Info Version", i32 3}
  !3 = distinct !DISubprogram(name: "debugged", file: !1, unit: !0, spFlags: DISPFlagDefinition, type: !4)
  !4 = !DISubroutineType(types: !5)
  !5 = !{null})";

TEST_F(FunctionExtractorTest, OptNoneOfAWholeModuleOnlyCountsWithDebugInformation) {
  const auto is_replaceable = [&](absl::string_view function, OptNone optnone) {
    Load(kOptNone);
    ExtractOptions options;
    options.body = OptimizedBody{};
    options.optnone = optnone;
    return Extract(function, options, false).ok();
  };
  EXPECT_TRUE(is_replaceable("f", OptNone::kAuto));
  EXPECT_FALSE(is_replaceable("debugged", OptNone::kAuto));
  EXPECT_FALSE(is_replaceable("f", OptNone::kKeep));
  EXPECT_TRUE(is_replaceable("debugged", OptNone::kIgnore));
}

TEST_F(FunctionExtractorTest, DropsDebugInformation) {
  ExtractOptions options;
  options.debug_info = KeptDebugInfo::kNone;
  options.body = OptimizedBody{};
  Load(kOptNone);
  ASSERT_OK_AND_ASSIGN(const FunctionModule extracted, Extract("debugged", options, false));
  EXPECT_THAT(PrintModule(*extracted.module), AllOf(HasSubstr("ret i32 %x"), Not(HasSubstr("DI"))));
}

// The verifier would check it.
TEST_F(FunctionExtractorTest, DropsDebugInformationBeforeTheBodyIsVerified) {
  Load(kOptNone);
  llvm::Function& function = *view_->module().getFunction("debugged");
  ASSERT_FALSE(function.materialize());
  function.getEntryBlock().getTerminator()->setDebugLoc(llvm::DILocation::get(
      view_->context(), 1, 1,
      llvm::DISubprogram::getDistinct(view_->context(), nullptr, "another", "", nullptr, 1, nullptr,
                                      1, nullptr, 0, 0, llvm::DINode::FlagZero,
                                      llvm::DISubprogram::SPFlagZero, nullptr)));
  ExtractOptions options;
  options.keep_in_view = true;
  EXPECT_THAT(Extract("debugged", options, false),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("wrong subprogram")));
  options.debug_info = KeptDebugInfo::kNone;
  EXPECT_THAT(Extract("debugged", options, false), IsOk());
}

TEST_F(FunctionExtractorTest, OptNoneOfAWholeModuleDoesNotHinderInlining) {
  Load(kOptNone);
  importing_ = true;
  EXPECT_THAT(TextOf("f"), AllOf(HasSubstr("available_externally"), Not(HasSubstr("optnone")),
                                 Not(HasSubstr("noinline"))));
}

// That some functions were extracted, and are gone from the view, makes no difference.
TEST_F(FunctionExtractorTest, OptNoneOfOneFunctionCounts) {
  constexpr char kModule[] = R"(
    define i32 @usual(i32 %x) { ret i32 %x }
    define i32 @chosen(i32 %x) noinline optnone { ret i32 %x })";
  Load(kModule);
  ExtractOptions options;
  ASSERT_THAT(Extract("usual", options, false), IsOk());
  options.body = OptimizedBody{};
  EXPECT_THAT(Extract("chosen", options, false), StatusIs(absl::StatusCode::kUnimplemented));
  Load(kModule);
  options.optnone = OptNone::kIgnore;
  EXPECT_THAT(Extract("chosen", options, false), IsOk());
}

TEST_F(FunctionExtractorTest, NothingOfO0Remains) {
  Load(R"(
    define i32 @g(i32 %x) noinline { ret i32 %x }
    define i32 @f(i32 %x) noinline "frame-pointer"="all" { %y = call i32 @g(i32 %x) ret i32 %y })");
  importing_ = true;
  EXPECT_THAT(TextOf("f"), AllOf(HasSubstr("available_externally"), Not(HasSubstr("noinline")),
                                 Not(HasSubstr("frame-pointer"))));
}

TEST_F(FunctionExtractorTest, MovesRatherThanCopiesWhatHasAddressesOfBlocks) {
  Load(R"(
    define ptr @f() {
      br label %next
    next:
      ret ptr blockaddress(@f, %next)
    }
    define ptr @g() { %p = call ptr @f()  ret ptr %p })");
  importing_ = true;
  EXPECT_THAT(TextOf("g"), Not(HasSubstr("available_externally")));
  EXPECT_THAT(TextOf("f"), HasSubstr("blockaddress(@f, %next)"));
}

// --- What an optimization adds to a view ---

constexpr char kCallsSmallFunction[] = R"(
    define internal void @small() { ret void }
    define void @f() { call void @small()  ret void })";

TEST_F(FunctionExtractorTest, CopiesConstantThatAnOptimizationAddedToTheView) {
  Load(kCallsSmallFunction);
  importing_ = true;
  simplify_ = [](llvm::Function& function) {
    llvm::IRBuilder<> builder(&*function.getEntryBlock().begin());
    llvm::GlobalVariable* text = builder.CreateGlobalString("right", "str");
    builder.CreateCall(
        function.getParent()->getOrInsertFunction("puts", builder.getInt32Ty(), builder.getPtrTy()),
        {text});
  };
  const std::string text = TextOf("f");
  EXPECT_THAT(text, HasSubstr("@str = private unnamed_addr constant [6 x i8] c\"right\\00\""));
  EXPECT_THAT(text, HasSubstr("declare i32 @puts(ptr)"));
}

TEST_F(FunctionExtractorTest, RefusesVariableThatAnOptimizationAddedToTheView) {
  Load(kCallsSmallFunction);
  importing_ = true;
  simplify_ = [](llvm::Function& function) {
    llvm::IRBuilder<> builder(&*function.getEntryBlock().begin());
    llvm::GlobalVariable* counter = builder.CreateGlobalString("", "counter");
    counter->setConstant(false);
    builder.CreateStore(builder.getInt8(1), counter);
  };
  EXPECT_THAT(Extract("f"), StatusIs(absl::StatusCode::kInternal,
                                     AllOf(HasSubstr("function 'f'"), HasSubstr("'counter'"),
                                           HasSubstr("neither a constant nor a function"))));
}

TEST_F(FunctionExtractorTest, RefusesFunctionThatAnOptimizationAddedToTheView) {
  Load(kCallsSmallFunction);
  importing_ = true;
  simplify_ = [](llvm::Function& function) {
    llvm::IRBuilder<> builder(&*function.getEntryBlock().begin());
    builder.CreateCall(function.getParent()->getOrInsertFunction("outlined", builder.getVoidTy()));
  };
  EXPECT_THAT(Extract("f"), StatusIs(absl::StatusCode::kInternal, HasSubstr("'outlined'")));
}

TEST_F(FunctionExtractorTest, OptimizerDoesNotCallWhatIsAVariableOfItsModule) {
  Load(R"(
    @puts = global i32 7
    define void @f() { ret void })");
  importing_ = true;
  EXPECT_THAT(TextOf("f"), HasSubstr("\"no-builtin-puts\""));
}

TEST_F(FunctionExtractorTest, FunctionsThatShareBlockAddressesAreNotReplaced) {
  Load(R"(
    define ptr @first() { ret ptr blockaddress(@target, %odd) }
    define i64 @target(i64 %x, ptr %to) {
      indirectbr ptr %to, [label %odd]
    odd:
      ret i64 %x
    }
    define void @alone() { ret void })");
  ExtractOptions options;
  options.body = ReplaceableBody{};
  EXPECT_EQ(Extract("first", options, /*may_join=*/false)->hotness_signs,
            (std::vector<HotnessSigns>{HotnessSigns::kNone, HotnessSigns::kNone}));
  EXPECT_EQ(Extract("alone", options, /*may_join=*/false)->hotness_signs,
            std::vector<HotnessSigns>{HotnessSigns::kCallsAndLoops});
}

TEST_F(FunctionExtractorTest, TellsWhetherABodyHasInlineAssembly) {
  Load(R"(
    define void @with() { call void asm sideeffect "nop", ""()  ret void }
    define void @without() { ret void })");
  EXPECT_TRUE(Extract("with")->has_inline_assembly);
  EXPECT_FALSE(Extract("without")->has_inline_assembly);
}

}  // namespace
}  // namespace firstcall
