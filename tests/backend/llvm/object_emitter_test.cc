#include "backend/llvm/object_emitter.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/substitute.h"
#include "base/diagnostic_collector.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kOne[] = "define i32 @one(i32 %x) { %y = mul i32 %x, 3  ret i32 %y }";
constexpr char kTwo[] = R"(
  @text = private unnamed_addr constant [3 x i8] c"hi\00"
  declare i32 @puts(ptr)
  define i32 @two() { %r = call i32 @puts(ptr @text)  ret i32 %r })";
constexpr char kBadAssembly[] =
    "define void @bad() { call void asm sideeffect \"no such instruction\", \"\"()  ret void }";
// An intrinsic of another machine is valid IR that the code generator has no instruction for.
#if defined(__aarch64__)
constexpr bool kIsAArch64 = true;
constexpr char kForeign[] = "llvm.x86.sse2.lfence";
constexpr char kCannotSelect[] = R"(
  declare void @llvm.x86.sse2.lfence()
  define void @stuck() { call void @llvm.x86.sse2.lfence()  ret void })";
#else
constexpr bool kIsAArch64 = false;
constexpr char kForeign[] = "llvm.aarch64.dmb";
constexpr char kCannotSelect[] = R"(
  declare void @llvm.aarch64.dmb(i32)
  define void @stuck() { call void @llvm.aarch64.dmb(i32 15)  ret void })";
#endif

// A variable whose assignments are tracked, as by clang -O1 -g.
constexpr char kTracked[] = R"(
  declare void @llvm.dbg.assign(metadata, metadata, metadata, metadata, metadata, metadata)
  define i32 @tracked(i32 %n) !dbg !4 {
    %x = alloca i32, align 4, !DIAssignID !8
    call void @llvm.dbg.assign(metadata i1 undef, metadata !7, metadata !DIExpression(),
        metadata !8, metadata ptr %x, metadata !DIExpression()), !dbg !9
    store i32 %n, ptr %x, align 4, !dbg !9, !DIAssignID !10
    call void @llvm.dbg.assign(metadata i32 %n, metadata !7, metadata !DIExpression(),
        metadata !10, metadata ptr %x, metadata !DIExpression()), !dbg !9
    %y = load volatile i32, ptr %x, align 4, !dbg !9
    ret i32 %y, !dbg !9
  }
  !llvm.module.flags = !{!0, !1}
  !llvm.dbg.cu = !{!2}
  !0 = !{i32 2, !"Debug Info Version", i32 3}
  !1 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
  !2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, isOptimized: true,
                               emissionKind: FullDebug)
  !3 = !DIFile(filename: "a.c", directory: "/")
  !4 = distinct !DISubprogram(name: "tracked", file: !3, line: 1, type: !5, unit: !2,
                              spFlags: DISPFlagDefinition, retainedNodes: !{!7})
  !5 = !DISubroutineType(types: !{!6, !6})
  !6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
  !7 = !DILocalVariable(name: "x", scope: !4, file: !3, line: 1, type: !6)
  !8 = distinct !DIAssignID()
  !9 = !DILocation(line: 2, scope: !4)
  !10 = distinct !DIAssignID())";

class ObjectEmitterTest : public testing::TestWithParam<CodegenLevel> {
 protected:
  ObjectEmitterTest() {
    CollectDiagnostics(context_);
    EngineOptions options;
    options.codegen_level = GetParam();
    target_.emplace(MakeTarget(options));
    emitter_ = ObjectEmitter::Create(*target_).value();
  }

  std::unique_ptr<llvm::Module> Parse(absl::string_view text) {
    std::unique_ptr<llvm::Module> module = ParseModule(text, context_);
    EXPECT_THAT(target_->Adopt(*module), IsOk());
    return module;
  }

  absl::StatusOr<ObjectBytes> Emit(absl::string_view text) { return emitter_->Emit(Parse(text)); }

  // What LLVM makes of `text` with a pipeline that is used once, in the usual way.
  std::string EmitOnce(absl::string_view text) {
    const std::unique_ptr<llvm::Module> module = Parse(text);
    const std::unique_ptr<llvm::TargetMachine> machine = target_->CreateMachine().value();
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    EXPECT_FALSE(machine->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                              llvm::CodeGenFileType::ObjectFile));
    passes.run(*module);
    return std::string(bytes.begin(), bytes.end());
  }

  llvm::LLVMContext context_;
  std::optional<Target> target_;
  std::unique_ptr<ObjectEmitter> emitter_;
};

INSTANTIATE_TEST_SUITE_P(Levels, ObjectEmitterTest,
                         testing::Values(CodegenLevel::kO0, CodegenLevel::kO2),
                         [](const auto& info) {
                           return info.param == CodegenLevel::kO0 ? "O0" : "O2";
                         });

// LLVM would keep some of it until the next module; memcheck is who tells that it is looked at.
TEST_P(ObjectEmitterTest, ContextsMayGoBeforeTheNextModuleComes) {
  for (int i = 0; i < 3; ++i) {
    llvm::LLVMContext context;
    CollectDiagnostics(context);
    std::unique_ptr<llvm::Module> module = ParseModule(kTracked, context);
    ASSERT_THAT(target_->Adopt(*module), IsOk());
    absl::StatusOr<ObjectBytes> bytes = emitter_->Emit(std::move(module));
    ASSERT_THAT(bytes, IsOk());
    // The function is what has the name, and not what the emitter forgets it by.
    const std::string object(bytes->begin(), bytes->end());
    EXPECT_THAT(object, AllOf(HasSubstr("tracked"), Not(HasSubstr("nothing"))));
  }
  EXPECT_THAT(Emit(kOne), IsOk());
}

TEST_P(ObjectEmitterTest, EmitsWhatLlvmEmitsHoweverOftenItWasUsed) {
  for (int i = 0; i < 3; ++i) {
    for (const char* text : {kOne, kTwo}) {
      absl::StatusOr<ObjectBytes> object = Emit(text);
      ASSERT_THAT(object, IsOk());
      EXPECT_TRUE(std::string(object->begin(), object->end()) == EmitOnce(text))
          << "use " << i << " of\n"
          << text;
    }
  }
}

std::string EmitAt(CodegenLevel level, absl::string_view text) {
  llvm::LLVMContext context;
  CollectDiagnostics(context);
  EngineOptions options;
  options.codegen_level = level;
  const Target target = MakeTarget(options);
  const std::unique_ptr<llvm::Module> module = ParseModule(std::string(text), context);
  EXPECT_THAT(target.Adopt(*module), IsOk());
  const ObjectBytes bytes = ObjectEmitter::Create(target).value()->Emit(*module).value();
  return std::string(bytes.begin(), bytes.end());
}

// backend/llvm/wrong_at_o0.h says what is wrong.
TEST(ObjectEmitterAtO0Test, GeneratesAtO1WhatLlvmGetsWrongAtO0) {
  constexpr char kWithResult[] = R"(
    define i32 @f(i32 %x) {
      %y = callbr i32 asm "", "=r,r,!i"(i32 %x) to label %a [label %b]
    a: ret i32 %y
    b: ret i32 1 })";
  constexpr char kWithoutResult[] = R"(
    define i32 @f(i32 %x) {
      callbr void asm "", "r,!i"(i32 %x) to label %a [label %b]
    a: ret i32 %x
    b: ret i32 1 })";
  constexpr char kBranches[] = R"(
    define i32 @f(ptr %p, i32 %x) #0 {
      %y = mul i32 %x, 3
      indirectbr ptr %p, [label %a, label %b]
    a: ret i32 %y
    b: ret i32 1 }
    @labels = global [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
    attributes #0 = { )";
  const auto is_as_at_o1 = [](absl::string_view text) {
    return EmitAt(CodegenLevel::kO0, text) == EmitAt(CodegenLevel::kO1, text);
  };
  EXPECT_TRUE(is_as_at_o1(kWithResult));
  EXPECT_FALSE(is_as_at_o1(kWithoutResult));
  EXPECT_TRUE(is_as_at_o1(absl::StrCat(kBranches, "speculative_load_hardening }")));
  EXPECT_FALSE(is_as_at_o1(absl::StrCat(kBranches, "nounwind }")));

  constexpr char kError[] = R"(
    define i64 @f(ptr %g, ptr swifterror %e, i64 %x) #0 {
      %p = load ptr, ptr %e
      %is_null = icmp eq ptr %p, null
      br i1 %is_null, label %a, label %b
    a: ret i64 %x
    b: ret i64 1 }
    attributes #0 = { )";
  EXPECT_TRUE(is_as_at_o1(absl::StrCat(kError, "nounwind }")));
  // LLVM treats functions with this attribute as at -O0.
  EXPECT_TRUE(is_as_at_o1(absl::StrCat(kError, "optnone noinline }")));
  EXPECT_EQ(EmitAt(CodegenLevel::kO2, absl::StrCat(kError, "noinline }")),
            EmitAt(CodegenLevel::kO2, absl::StrCat(kError, "optnone noinline }")));

  const auto with_merged_returns = [](absl::string_view convention, absl::string_view marker) {
    return absl::Substitute(R"(
      declare $0 void @g(i64)
      define $0 void @f(i64 %x, i1 %c) {
        br i1 %c, label %a, label %b
      a: $1call $0 void @g(i64 %x)
        br label %end
      b: $1call $0 void @g(i64 1)
        br label %end
      end: ret void })",
                            convention, marker);
  };
  EXPECT_TRUE(is_as_at_o1(with_merged_returns("tailcc", "tail ")));
  EXPECT_TRUE(is_as_at_o1(with_merged_returns("swifttailcc", "tail ")));
  EXPECT_FALSE(is_as_at_o1(with_merged_returns("tailcc", "")));
  EXPECT_FALSE(is_as_at_o1(with_merged_returns("ccc", "tail ")));
  constexpr char kInBfloat[] = R"(
    define bfloat @f(bfloat %x) {
      %y = fadd bfloat %x, 1.0
      %z = fmul bfloat %y, %x
      ret bfloat %z })";
  constexpr char kNever[] = R"(
    define i64 @f(double %x, i64 %y) {
      %c = fcmp false double %x, 0.0
      br i1 %c, label %a, label %b
    a: ret i64 %y
    b: ret i64 1 })";
  constexpr char kParts[] = R"(
    define void @f(ptr %p, ptr %q) {
      %v = load <8 x i7>, ptr %p
      %w = add <8 x i7> %v, %v
      store <8 x i7> %w, ptr %q
      ret void })";
  for (const char* text : {kInBfloat, kNever, kParts}) {
    EXPECT_EQ(is_as_at_o1(text), kIsAArch64) << text;
  }
}

TEST(ObjectEmitterAtO0Test, ArgumentsOfFunctionsThatAreNotOptimizedAreExtended) {
  if (!kIsAArch64) GTEST_SKIP() << "LLVM's fast instruction selector is right on x86-64";
  constexpr char kExtends[] = R"(
    define i64 @f(i8 signext %x) noinline $0 {
      %y = sext i8 %x to i64
      ret i64 %y })";
  EXPECT_EQ(EmitAt(CodegenLevel::kO2, absl::Substitute(kExtends, "optnone")),
            EmitAt(CodegenLevel::kO2, absl::Substitute(kExtends, "nofree")));
}

TEST(ObjectEmitterAtO0Test, GhcFunctionsThatCallAreRefusedOnAArch64) {
  for (const CodegenLevel level : {CodegenLevel::kO0, CodegenLevel::kO2}) {
    llvm::LLVMContext context;
    CollectDiagnostics(context);
    EngineOptions options;
    options.codegen_level = level;
    const Target target = MakeTarget(options);
    const std::unique_ptr<llvm::Module> module = ParseModule(R"(
        declare ghccc void @g(i64)
        define ghccc void @f(i64 %x) {
          tail call ghccc void @g(i64 %x)
          ret void })",
                                                             context);
    EXPECT_THAT(target.Adopt(*module), IsOk());
    const absl::Status status = ObjectEmitter::Create(target).value()->Emit(*module).status();
    if (kIsAArch64) {
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnimplemented,
                                   "generating code: function 'f': a call in a function with the "
                                   "calling convention of GHC, which LLVM does not support on "
                                   "AArch64"));
    } else {
      EXPECT_THAT(status, IsOk());
    }
  }
}

TEST_P(ObjectEmitterTest, ModuleMayStayWithItsOwner) {
  const std::unique_ptr<llvm::Module> module = Parse(kOne);
  EXPECT_THAT(emitter_->Emit(*module), IsOk());
  EXPECT_NE(module->getFunction("one"), nullptr);
}

TEST_P(ObjectEmitterTest, TellsWhetherItOptimizes) {
  EXPECT_EQ(emitter_->optimizes(), GetParam() != CodegenLevel::kO0);
}

TEST_P(ObjectEmitterTest, BadInlineAssemblyIsAnErrorAndTheEmitterGoesOn) {
  EXPECT_THAT(Emit(kBadAssembly),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(StartsWith("generating code: "), HasSubstr("no such instruction"))));
  EXPECT_FALSE(emitter_->is_broken());
  absl::StatusOr<ObjectBytes> object = Emit(kOne);
  ASSERT_THAT(object, IsOk());
  EXPECT_TRUE(std::string(object->begin(), object->end()) == EmitOnce(kOne));
}

// The tables of a garbage collector would name functions that are gone.
TEST_P(ObjectEmitterTest, TablesOfACollectorAreInTheirOwnObjectOnly) {
  for (int i = 0; i < 3; ++i) {
    absl::StatusOr<ObjectBytes> with_tables = Emit(R"(
      declare void @llvm.gcroot(ptr, ptr)
      declare void @called()
      define void @f() gc "ocaml" {
        %root = alloca ptr
        call void @llvm.gcroot(ptr %root, ptr null)
        call void @called()
        ret void
      })");
    ASSERT_THAT(with_tables, IsOk());
    EXPECT_THAT(std::string(with_tables->begin(), with_tables->end()), HasSubstr("__frametable"));
    absl::StatusOr<ObjectBytes> without = Emit(kOne);
    ASSERT_THAT(without, IsOk());
    EXPECT_TRUE(std::string(without->begin(), without->end()) == EmitOnce(kOne));
  }
}

// LLVM 22 would refer to freed symbols of the modules before.
TEST_P(ObjectEmitterTest, ProfilesOfCallsAreLeftOut) {
  constexpr char kProfiled[] = R"(
    declare i32 @puts(ptr)
    define void @calls() { %r = call i32 @puts(ptr null)  ret void }
    !llvm.module.flags = !{!0, !1}
    !0 = !{i32 5, !"CG Profile", !2}
    !1 = !{i32 8, !"PIC Level", i32 2}
    !2 = distinct !{!3}
    !3 = !{ptr @calls, ptr @puts, i64 9})";
  std::string first;
  for (int i = 0; i < 5; ++i) {
    absl::StatusOr<ObjectBytes> object = Emit(kProfiled);
    ASSERT_THAT(object, IsOk());
    const std::string bytes(object->begin(), object->end());
    EXPECT_THAT(bytes, Not(HasSubstr("call-graph-profile")));
    if (i == 0) first = bytes;
    EXPECT_TRUE(bytes == first);
  }
}

// A stack map would name functions of the modules before.
TEST_P(ObjectEmitterTest, StackMapsAreOfTheirOwnModuleOnly) {
  for (const char* function : {"first", "second", "third"}) {
    const std::string text = absl::Substitute(R"(
      declare void @llvm.experimental.stackmap(i64, i32, ...)
      define i64 @$0(i64 %i) {
        call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 0, i64 %i)
        ret i64 %i
      })",
                                              function);
    absl::StatusOr<ObjectBytes> object = Emit(text);
    ASSERT_THAT(object, IsOk());
    EXPECT_TRUE(std::string(object->begin(), object->end()) == EmitOnce(text)) << function;
  }
}

// In another module the same number is another label.
TEST_P(ObjectEmitterTest, NumberedLabelsOfAssembly) {
  const std::string text = R"(
    module asm "1: .globl place"
    module asm "place = 1b"
    define void @f() { call void asm sideeffect "1:\0A.long 1b - 1f\0A1:", ""()  ret void })";
  const std::string object = EmitOnce(text);
  for (int i = 0; i < 3; ++i) {
    absl::StatusOr<ObjectBytes> bytes = Emit(text);
    ASSERT_THAT(bytes, IsOk());
    EXPECT_TRUE(std::string(bytes->begin(), bytes->end()) == object);
  }
}

TEST_P(ObjectEmitterTest, FatalErrorOfTheCodeGeneratorBreaksTheEmitter) {
  EXPECT_THAT(Emit(kCannotSelect),
              StatusIs(absl::StatusCode::kInternal,
                       AllOf(StartsWith("generating code: Cannot select: "), HasSubstr(kForeign))));
  EXPECT_TRUE(emitter_->is_broken());
  // What it was working on is abandoned; another emitter takes its place.
  emitter_ = ObjectEmitter::Create(*target_).value();
  EXPECT_THAT(Emit(kOne), IsOk());
}

TEST_P(ObjectEmitterTest, EmptyModuleIsAnEmptyObject) {
  absl::StatusOr<ObjectBytes> bytes = Emit("");
  ASSERT_THAT(bytes, IsOk());
  auto object = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(bytes->data(), bytes->size()), "empty"));
  ASSERT_TRUE(static_cast<bool>(object)) << llvm::toString(object.takeError());
  for (const llvm::object::SectionRef& section : (*object)->sections()) {
    EXPECT_TRUE(!section.isText() || section.getSize() == 0);
  }
}

}  // namespace
}  // namespace firstcall
