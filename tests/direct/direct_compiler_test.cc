#include "direct/direct_compiler.h"

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backend/llvm/target.h"
#include "base/file_contents.h"
#include "base/status.h"
#include "compiler/in_process_compiler.h"
#include "direct/host_target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "object/elf_object.h"
#include "seam/listener.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"
#include "third_party/llvm/version/version.h"

namespace firstcall::direct {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ModuleId kModule{1};

#if defined(__x86_64__)
constexpr absl::string_view kTarget =
    "target triple = \"x86_64-pc-linux-gnu\"\n"
    "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-"
    "n8:16:32:64-S128\"\n";
#else
constexpr absl::string_view kTarget =
    llvm_version::kMajor < 20
        ? "target triple = \"aarch64-unknown-linux-gnu\"\n"
          "target datalayout = \"e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32\"\n"
        : "target triple = \"aarch64-unknown-linux-gnu\"\n"
          "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-"
          "i128:128-n32:64-S128-Fn32\"\n";
#endif

class NoListener final : public Listener {};

ModuleContents ContentsOf(absl::string_view text, absl::string_view target = kTarget) {
  const std::string bitcode = ParseToBitcode(absl::StrCat(target, text));
  return {"m", ModuleContents::Form::kBitcode, FileContents::Copy(bitcode)};
}

struct Options {
  bool joins = false;
  bool is_replaceable = true;
  bool is_far = false;
  bool asks_when_called = false;
};

// The compiler without LLVM and the one with LLVM, which have the same module.
class DirectCompilerTest : public ::testing::Test {
 protected:
  DirectCompilerTest()
      : direct_(DirectCompiler::Create(Settings())),
        llvm_(InProcessCompiler::Create(Settings(), listener_).value()) {}

  static CompilerSettings Settings() {
    CompilerSettings settings;
    settings.promotes = true;
    return settings;
  }

  absl::Status Add(absl::string_view text, absl::string_view target = kTarget) {
    const ModuleContents contents = ContentsOf(text, target);
    FIRSTCALL_ASSIGN_OR_RETURN(index_, direct_->Add({kModule, contents, nullptr}));
    FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const SymbolIndex> of_llvm,
                               llvm_->Add({kModule, contents, nullptr}));
    EXPECT_EQ(index_->Encode(), of_llvm->Encode());
    return absl::OkStatus();
  }

  SymbolOrdinal OrdinalOf(absl::string_view name) const { return index_->Find(name).value(); }

  absl::StatusOr<CompiledFunction> CompileBy(Compiler& compiler, absl::string_view name,
                                             const Options& options) {
    const SymbolOrdinal function = OrdinalOf(name);
    std::vector<SymbolOrdinal> joined = {function};
    const auto may_join = [&](SymbolOrdinal other) {
      if (!options.joins || std::count(joined.begin(), joined.end(), other) > 0) return false;
      joined.push_back(other);
      return true;
    };
    const auto is_replaced = [](SymbolOrdinal) { return false; };
    FunctionOrder order{kModule, function, is_replaced, may_join};
    order.is_far = options.is_far;
    if (options.is_replaceable) order.polls = {options.asks_when_called, 1000};
    order.identification = {"part", "signature"};
    return compiler.CompileFunction(order);
  }
  absl::StatusOr<CompiledFunction> Compile(absl::string_view name, const Options& options = {}) {
    return CompileBy(*direct_, name, options);
  }

  // Whether both compilers give the same answer.
  void Compare(absl::string_view name, const Options& options) {
    SCOPED_TRACE(name);
    ASSERT_OK_AND_ASSIGN(const CompiledFunction direct, CompileBy(*direct_, name, options));
    llvm_->ReadAgain(kModule);
    ASSERT_OK_AND_ASSIGN(const CompiledFunction llvm, CompileBy(*llvm_, name, options));
    EXPECT_EQ(direct.object.origin.generator, Generator::kBaseline);
    EXPECT_EQ(llvm.object.origin.generator, Generator::kBaseline);
    EXPECT_EQ(direct.functions, llvm.functions);
    EXPECT_EQ(direct.object.sources, llvm.object.sources);
    EXPECT_EQ(direct.hotness_signs, llvm.hotness_signs);
    EXPECT_EQ(direct.poll_balance, llvm.poll_balance);
    EXPECT_EQ(absl::string_view(direct.object.bytes), absl::string_view(llvm.object.bytes));
  }
  void CompareAll(absl::string_view name) {
    for (const Options& options :
         {Options{}, Options{true}, Options{true, false}, Options{true, true, true}}) {
      Compare(name, options);
    }
  }

  absl::StatusOr<CompiledObject> CompileData(Compiler& compiler) {
    const auto is_replaced = [](SymbolOrdinal) { return false; };
    return compiler.CompileData({kModule, is_replaced});
  }

  // The names that an object refers to.
  static std::vector<std::string> NamesIn(ObjectBytes& object) {
    const std::unique_ptr<ElfObject> parsed =
        ElfObject::Parse(absl::MakeSpan(object), "test").value();
    std::vector<std::string> names;
    for (const ElfObject::Undefined& symbol : parsed->undefined()) names.emplace_back(symbol.name);
    return names;
  }

  NoListener listener_;
  std::unique_ptr<DirectCompiler> direct_;
  std::unique_ptr<InProcessCompiler> llvm_;
  std::shared_ptr<const SymbolIndex> index_;
};

constexpr absl::string_view kProgram = R"(
  @counter = global i32 3
  @own = thread_local global i32 4
  @text = private unnamed_addr constant [6 x i8] c"hello\00"
  @table = constant [2 x ptr] [ptr @square, ptr @counter]
  declare i32 @puts(ptr)
  define internal i32 @square(i32 %n) {
    %r = mul i32 %n, %n
    ret i32 %r
  }
  define i32 @cube(i32 %n) {
    %s = call i32 @square(i32 %n)
    %r = mul i32 %s, %n
    ret i32 %r
  }
  define ptr @address() {
    ret ptr @square
  }
  define i32 @print() {
    %r = call i32 @puts(ptr @text)
    %c = load i32, ptr @counter
    %t = load ptr, ptr getelementptr inbounds ([2 x ptr], ptr @table, i64 0, i64 1)
    %d = load i32, ptr %t
    %s = add i32 %c, %d
    ret i32 %s
  }
  define i32 @loop(i32 %n) {
  entry:
    br label %head
  head:
    %i = phi i32 [ 0, %entry ], [ %next, %head ]
    %sum = phi i32 [ 0, %entry ], [ %more, %head ]
    %more = add i32 %sum, %i
    %next = add i32 %i, 1
    %done = icmp eq i32 %next, %n
    br i1 %done, label %exit, label %head
  exit:
    ret i32 %more
  }
)";

TEST_F(DirectCompilerTest, MakesTheObjectsThatTheOtherOneMakes) {
  ASSERT_THAT(Add(kProgram), IsOk());
  for (const char* name : {"cube", "address", "print", "loop"}) CompareAll(name);
}

TEST_F(DirectCompilerTest, NamesReferencesByWhatTheyAreUsedFor) {
  ASSERT_THAT(Add(kProgram), IsOk());
  ASSERT_OK_AND_ASSIGN(CompiledFunction cube, Compile("cube"));
  EXPECT_THAT(NamesIn(cube.object.bytes),
              ElementsAre(::testing::AllOf(HasSubstr("square$"), HasSubstr("$fc.call"))));
  ASSERT_OK_AND_ASSIGN(CompiledFunction address, Compile("address"));
  EXPECT_THAT(NamesIn(address.object.bytes), ElementsAre(HasSubstr("$fc.stub")));
  ASSERT_OK_AND_ASSIGN(CompiledFunction loop, Compile("loop"));
  EXPECT_THAT(NamesIn(loop.object.bytes), ElementsAre("loop$fc.hotness"));
  EXPECT_THAT(loop.hotness_signs, ElementsAre(HotnessSigns::kCallsAndLoops));
}

TEST_F(DirectCompilerTest, MakesTheData) {
  ASSERT_THAT(Add(kProgram), IsOk());
  ASSERT_OK_AND_ASSIGN(CompiledObject direct, CompileData(*direct_));
  ASSERT_OK_AND_ASSIGN(CompiledObject llvm, CompileData(*llvm_));
  EXPECT_EQ(absl::string_view(direct.bytes), absl::string_view(llvm.bytes));
  EXPECT_THAT(NamesIn(direct.bytes), ElementsAre(HasSubstr("$fc.stub")));
}

// As a client's options of LLVM ask for: features of another processor than this one, and emulated
// thread-local variables.
TEST_F(DirectCompilerTest, MakesTheSameObjectsForATargetOfTheClient) {
  CompilerSettings settings = Settings();
  settings.target.triple = llvm::sys::getProcessTriple();
  settings.target.cpu = "generic";
  llvm::TargetOptions options;
  options.EmulatedTLS = true;
  settings.target.target_options = std::make_shared<llvm::TargetOptions>(options);
  ASSERT_OK_AND_ASSIGN(llvm_, InProcessCompiler::Create(settings, listener_));
  ASSERT_OK_AND_ASSIGN(const Target target, Target::Create(settings.target));
  settings.emulates_thread_locals = true;
  ASSERT_EQ(DirectCompiler::Create(settings), nullptr);
  direct_ = DirectCompiler::CreateFor(target.FeaturesAmong(FeatureNames()), settings);
  ASSERT_THAT(Add(absl::StrCat(kProgram, R"(
    declare ptr @llvm.threadlocal.address(ptr)
    @elsewhere = external thread_local global i32
    define i32 @use_own() {
      %p = call ptr @llvm.threadlocal.address(ptr @own)
      %q = call ptr @llvm.threadlocal.address(ptr @elsewhere)
      %n = load i32, ptr %p
      %m = load i32, ptr %q
      %s = add i32 %n, %m
      ret i32 %s
    }
    define i64 @count(i64 %n, ptr %p) {
      %old = atomicrmw add ptr %p, i64 %n seq_cst
      ret i64 %old
    })")),
              IsOk());
  for (const char* name : {"cube", "address", "print", "loop", "use_own", "count"}) {
    CompareAll(name);
  }
  ASSERT_OK_AND_ASSIGN(CompiledFunction use, Compile("use_own"));
  EXPECT_THAT(NamesIn(use.object.bytes), ::testing::Contains(HasSubstr("__emutls_v.elsewhere")));
  ASSERT_OK_AND_ASSIGN(const CompiledObject direct, CompileData(*direct_));
  ASSERT_OK_AND_ASSIGN(const CompiledObject llvm, CompileData(*llvm_));
  EXPECT_EQ(absl::string_view(direct.bytes), absl::string_view(llvm.bytes));
}

// Without them, the compiler refuses to count bits on x86-64, and has a loop for the update on
// AArch64.
TEST_F(DirectCompilerTest, InstructionsOfFeaturesThatAreNotGivenAreNotUsed) {
  const ModuleContents contents = ContentsOf(R"(
    declare i64 @llvm.ctpop(i64)
    define i64 @count(i64 %x, ptr %p) {
      %n = call i64 @llvm.ctpop(i64 %x)
      %old = atomicrmw add ptr %p, i64 %n seq_cst
      ret i64 %old
    })");
  const std::vector<std::string> none, all(FeatureNames().begin(), FeatureNames().end());
  std::vector<std::string> answers;
  for (const std::vector<std::string>& features : {none, all}) {
    direct_ = DirectCompiler::CreateFor(features, Settings());
    ASSERT_OK_AND_ASSIGN(index_, direct_->Add({kModule, contents, nullptr}));
    const absl::StatusOr<CompiledFunction> count = Compile("count");
    answers.emplace_back(count.ok() ? absl::string_view(count->object.bytes)
                                    : count.status().message());
  }
  EXPECT_NE(answers[0], answers[1]);
}

// An interpreter, whose table another function reads, too; constants that are copied or shared.
constexpr absl::string_view kInterpreter = R"(
  @f.table = internal constant [3 x ptr] [
    ptr blockaddress(@f, %add), ptr blockaddress(@f, %twice), ptr blockaddress(@f, %end)]
  @text = private unnamed_addr constant [6 x i8] c"hello\00"
  declare i32 @puts(ptr)
  define internal void @greet() {
    %r = call i32 @puts(ptr @text)
    ret void
  }
  define i32 @f(ptr %code, i32 %n) {
  entry:
    call void @greet()
    br label %dispatch
  dispatch:
    %x = phi i32 [ %n, %entry ], [ %more, %add ], [ %double, %twice ]
    %l = phi ptr [ blockaddress(@f, %add), %entry ], [ %l1, %add ], [ %l2, %twice ]
    indirectbr ptr %l, [ label %add, label %twice, label %end ]
  add:
    %more = add i32 %x, 1
    %c1 = load i32, ptr %code
    %e1 = getelementptr [3 x ptr], ptr @f.table, i32 0, i32 %c1
    %l1 = load ptr, ptr %e1
    br label %dispatch
  twice:
    %double = add i32 %x, %x
    %c2 = load i32, ptr %code
    %e2 = getelementptr [3 x ptr], ptr @f.table, i32 0, i32 %c2
    %l2 = load ptr, ptr %e2
    br label %dispatch
  end:
    %r = call i32 @puts(ptr @text)
    ret i32 %x
  }
  define ptr @reader() {
    %l = load ptr, ptr @f.table
    ret ptr %l
  }
  define void @stays(ptr %p) {
    br label %a
  a:
    br label %a
  }
)";

TEST_F(DirectCompilerTest, AnInterpreterHasItsTableOfLabels) {
  ASSERT_THAT(Add(kInterpreter), IsOk());
  for (const char* name : {"f", "reader", "stays"}) CompareAll(name);
  Options is_called_often;
  is_called_often.asks_when_called = true;
  Compare("f", is_called_often);
  ASSERT_OK_AND_ASSIGN(const CompiledFunction f, Compile("f"));
  EXPECT_THAT(f.variables, ElementsAre(SymbolOrdinal{0}));
  EXPECT_THAT(f.hotness_signs, ElementsAre(HotnessSigns::kCallsAndLoops));
}

// Data of other modules finds the table by its name.
TEST_F(DirectCompilerTest, DataMayNameATableOfLabels) {
  ASSERT_THAT(Add(absl::StrCat(kInterpreter, "@of_tables = global ptr @f.table")), IsOk());
  for (const char* name : {"f", "reader"}) CompareAll(name);
}

// As AddressSanitizer writes it.
TEST_F(DirectCompilerTest, ATableOfLabelsMayHaveARedZone) {
  ASSERT_THAT(Add(R"(
    $f.table.1 = comdat any
    @f.table = internal constant { [2 x ptr], [48 x i8] } {
      [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)],
      [48 x i8] zeroinitializer }, comdat($f.table.1), align 32
    @0 = private alias { [2 x ptr], [48 x i8] }, ptr @f.table
    @__asan_global_f.table = private global { i64, i64, i64 } {
      i64 ptrtoint (ptr @0 to i64), i64 16, i64 64 }, section "asan_globals", comdat($f.table.1),
      !associated !0
    @llvm.compiler.used = appending global [2 x ptr] [ptr @f.table, ptr @__asan_global_f.table],
      section "llvm.metadata"
    define i32 @f(i64 %i) sanitize_address {
      %e = getelementptr [2 x ptr], ptr @f.table, i64 0, i64 %i
      %l = load ptr, ptr %e
      indirectbr ptr %l, [label %one, label %two]
    one:
      ret i32 1
    two:
      ret i32 2
    }
    !0 = !{ptr @f.table}
  )"),
              IsOk());
  CompareAll("f");
}

// As MemorySanitizer uses them.
TEST_F(DirectCompilerTest, ThreadLocalVariablesMayBeOperands) {
  ASSERT_THAT(Add(R"(
    @__msan_param_tls = external thread_local(initialexec) global [100 x i64]
    @own = internal thread_local global i64 0
    declare i64 @callee(i64)
    define i64 @f(i64 %x) sanitize_memory {
      %shadow = load i64, ptr @__msan_param_tls, align 8
      store i64 %shadow, ptr getelementptr (i8, ptr @__msan_param_tls, i64 8), align 8
      %r = call i64 @callee(i64 %x)
      store i64 %r, ptr @own
      ret i64 %r
    }
  )"),
              IsOk());
  CompareAll("f");
}

// Texts are metadata of the module if both functions have them, otherwise of one function.
TEST_F(DirectCompilerTest, OperationsMayBeConstrained) {
  ASSERT_THAT(Add(R"(
    declare double @llvm.experimental.constrained.fdiv.f64(double, double, metadata, metadata)
    declare double @llvm.experimental.constrained.sqrt.f64(double, metadata, metadata)
    declare i1 @llvm.experimental.constrained.fcmp.f64(double, double, metadata, metadata)
    declare i1 @llvm.experimental.constrained.fcmps.f64(double, double, metadata, metadata)
    declare i64 @llvm.experimental.constrained.fptoui.i64.f64(double, metadata)
    define i64 @f(double %x, double %y) strictfp {
      %q = call double @llvm.experimental.constrained.fdiv.f64(
          double %x, double %y, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
      %is = call i1 @llvm.experimental.constrained.fcmps.f64(
          double %q, double %x, metadata !"olt", metadata !"fpexcept.strict") strictfp
      %s = select i1 %is, double %q, double %y
      %r = call i64 @llvm.experimental.constrained.fptoui.i64.f64(
          double %s, metadata !"fpexcept.strict") strictfp
      ret i64 %r
    }
    define double @g(double %x, double %limit) strictfp {
    entry:
      br label %loop
    loop:
      %v = phi double [ %x, %entry ], [ %next, %loop ]
      %q = call double @llvm.experimental.constrained.fdiv.f64(
          double %v, double 2.0, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
      %next = call double @llvm.experimental.constrained.sqrt.f64(
          double %q, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
      %is = call i1 @llvm.experimental.constrained.fcmp.f64(
          double %next, double %limit, metadata !"ule", metadata !"fpexcept.strict") strictfp
      br i1 %is, label %end, label %loop
    end:
      ret double %next
    }
  )"),
              IsOk());
  for (const char* name : {"f", "g"}) CompareAll(name);
}

TEST_F(DirectCompilerTest, RefusesFunctionsWhoseLabelsAreInTheSameTable) {
  ASSERT_THAT(Add(R"(
    @table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@g, %a)]
    define void @f() {
      br label %a
    a:
      ret void
    }
    define void @g() {
      br label %a
    a:
      ret void
    })"),
              IsOk());
  EXPECT_THAT(Compile("f"), StatusIs(absl::StatusCode::kUnimplemented,
                                     HasSubstr("what is inseparable from other functions")));
}

TEST_F(DirectCompilerTest, RefusesByName) {
  ASSERT_THAT(Add(R"(
    define i32 @assembly() {
      %r = call i32 asm "nop", "=r"()
      ret i32 %r
    }
    define internal i32 @small() alwaysinline {
      ret i32 1
    }
    define i32 @inlining() {
      %r = call i32 @small()
      ret i32 %r
    }
    define void @hooked() "instrument-function-entry"="enter" {
      ret void
    }
    define void @soft() "target-features"="+soft-float,+strict-align" {
      ret void
    }
    define void @collected() gc "shadow-stack" {
      ret void
    }
  )"),
              IsOk());
  const std::pair<const char*, const char*> cases[] = {{"assembly", "inline assembly"},
                                                       {"inlining", "calls that must be inlined"},
                                                       {"hooked", "hooks at entry and exit"},
                                                       {"soft", "a feature of the processor"},
                                                       {"collected", "function attribute"}};
  for (const auto& [name, reason] : cases) {
    EXPECT_THAT(Compile(name), StatusIs(absl::StatusCode::kUnimplemented,
                                        absl::StrCat("function '", name, "': ", reason)));
  }
}

TEST_F(DirectCompilerTest, WhatMustBeInlinedAndHasNoBodyIsCalled) {
  ASSERT_THAT(Add(R"(
    declare i32 @fortified(i32) alwaysinline
    define i32 @f(i32 %x) {
      %a = call i32 @fortified(i32 %x)
      %b = call i32 @fortified(i32 %a) alwaysinline
      ret i32 %b
    })"),
              IsOk());
  Compare("f", {});
}

// What `Add` compares.
TEST_F(DirectCompilerTest, AModuleMayNameTheBoundsOfSectionsThatItHasNothingIn) {
  ASSERT_THAT(Add(R"(
    @__start_list = extern_weak hidden global i64
    @__stop_list = extern_weak hidden global i64
    declare void @register(ptr, ptr)
    define void @constructor() {
      call void @register(ptr @__start_list, ptr @__stop_list)
      ret void
    })"),
              IsOk());
  Compare("constructor", {});
}

TEST_F(DirectCompilerTest, DataInSectionsIsThatOfTheOtherOne) {
  ASSERT_THAT(Add(R"(
    @first = global [2 x ptr] [ptr @f, ptr @second], section "list"
    @second = internal constant [100 x ptr] zeroinitializer, section "other", align 1
    @third = constant [1 x ptr] [ptr @f], section "other"
    define void @f() unnamed_addr {
      ret void
    })"),
              IsOk());
  ASSERT_OK_AND_ASSIGN(const CompiledObject direct, CompileData(*direct_));
  llvm_->ReadAgain(kModule);
  ASSERT_OK_AND_ASSIGN(const CompiledObject llvm, CompileData(*llvm_));
  EXPECT_EQ(direct.origin.generator, Generator::kBaseline);
  EXPECT_EQ(absl::string_view(direct.bytes), absl::string_view(llvm.bytes));
  // The memory that the compilers keep has no names of sections left.
  Compare("f", {});
}

TEST_F(DirectCompilerTest, ModuleWithoutATargetIsMadeForThisProcess) {
  // Without a data layout, the number would be at another place in the structure.
  ASSERT_THAT(Add(R"(
    %pair = type { i32, i64 }
    define ptr @second(ptr %pair) {
      %address = getelementptr %pair, ptr %pair, i32 0, i32 1
      ret ptr %address
    }
  )",
                  /*target=*/""),
              IsOk());
  Compare("second", {});
}

TEST_F(DirectCompilerTest, RefusesText) {
  EXPECT_THAT(
      direct_->Add({kModule, {"m", ModuleContents::Form::kText, FileContents::Copy("")}, nullptr}),
      StatusIs(absl::StatusCode::kUnimplemented, "a module given as text"));
}

TEST_F(DirectCompilerTest, RefusesWhatIsNoBitcode) {
  EXPECT_THAT(direct_->Add({kModule,
                            {"m", ModuleContents::Form::kBitcode, FileContents::Copy("no bitcode")},
                            nullptr}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'m': ")));
}

TEST_F(DirectCompilerTest, ExistsForThisMachineAndUnoptimizedCodeOnly) {
  CompilerSettings settings;
  EXPECT_NE(DirectCompiler::Create(settings), nullptr);
  settings.optimizes_ir = true;
  EXPECT_EQ(DirectCompiler::Create(settings), nullptr);
  settings = {};
  settings.target.cpu = "native";
  EXPECT_EQ(DirectCompiler::Create(settings), nullptr);
  settings = {};
  settings.target.codegen_level = CodegenLevel::kO2;
  EXPECT_EQ(DirectCompiler::Create(settings), nullptr);
  settings = {};
  settings.target.backend = Backend::kLlvm;
  EXPECT_EQ(DirectCompiler::Create(settings), nullptr);
  settings = {};
  settings.target.baseline = Baseline::kOff;
  EXPECT_EQ(DirectCompiler::Create(settings), nullptr);
  settings = {};
  settings.target.llvm_arguments = {"-fast-isel=0"};
  EXPECT_EQ(DirectCompiler::Create(settings), nullptr);
}

TEST_F(DirectCompilerTest, ReadsAgainWhatItHasForgotten) {
  ASSERT_THAT(Add(kProgram), IsOk());
  ASSERT_OK_AND_ASSIGN(const CompiledFunction before, Compile("loop"));
  direct_->ForgetFunctions(kModule, /*data_is_compiled=*/true);
  ASSERT_OK_AND_ASSIGN(const CompiledFunction after, Compile("loop"));
  EXPECT_EQ(absl::string_view(before.object.bytes), absl::string_view(after.object.bytes));
}

TEST_F(DirectCompilerTest, AKnownIndexIsNotMadeAgain) {
  const ModuleContents contents = ContentsOf(kProgram);
  ASSERT_OK_AND_ASSIGN(index_, direct_->Add({kModule, contents, nullptr}));
  const ModuleId other{2};
  ASSERT_OK_AND_ASSIGN(const auto known, direct_->Add({other, contents, index_}));
  EXPECT_EQ(known, index_);
  EXPECT_THAT(direct_->ReadEntryPoint(other, OrdinalOf("print")), IsOk());
  direct_->Remove(other);
  EXPECT_THAT(Compile("print"), IsOk());
}

TEST_F(DirectCompilerTest, DigestsAreThoseOfTheOtherOne) {
  ASSERT_THAT(Add(kProgram), IsOk());
  ASSERT_OK_AND_ASSIGN(const BodyDigests direct, direct_->DigestBodies(kModule));
  ASSERT_OK_AND_ASSIGN(const BodyDigests llvm, llvm_->DigestBodies(kModule));
  EXPECT_EQ(direct.Encode(), llvm.Encode());
}

TEST_F(DirectCompilerTest, HasNoLabelsUnlessThereIsAssembly) {
  ASSERT_THAT(Add(kProgram), IsOk());
  ASSERT_OK_AND_ASSIGN(const AssemblyLabels labels, direct_->ReadLabels(kModule));
  EXPECT_TRUE(labels.all.empty());
  direct_->Remove(kModule);
  ASSERT_THAT(direct_->Add({kModule,
                            ContentsOf("define void @f() {\n"
                                       "  call void asm \"label: nop\", \"\"()\n"
                                       "  ret void\n}"),
                            nullptr}),
              IsOk());
  EXPECT_THAT(direct_->ReadLabels(kModule),
              StatusIs(absl::StatusCode::kUnimplemented, "inline assembly"));
}

TEST_F(DirectCompilerTest, AssemblyWithoutTextIsNoObstacle) {
  ASSERT_THAT(Add("define i32 @f(i32 %x) {\n"
                  "  %y = call i32 asm \"\", \"=r,0,~{memory}\"(i32 %x)\n"
                  "  ret i32 %y\n}"),
              IsOk());
  EXPECT_THAT(Compile("f"), IsOk());
  ASSERT_OK_AND_ASSIGN(const AssemblyLabels labels, direct_->ReadLabels(kModule));
  EXPECT_TRUE(labels.all.empty());
}

TEST_F(DirectCompilerTest, WhatOnlyLlvmDoesIsRefused) {
  ASSERT_THAT(Add(kProgram), IsOk());
  const auto is_replaced = [](SymbolOrdinal) { return false; };
  EXPECT_THAT(direct_->CompileWhole({kModule, is_replaced}),
              StatusIs(absl::StatusCode::kUnimplemented, "a whole module is LLVM's"));
  EXPECT_THAT(direct_->MakeLinker(), StatusIs(absl::StatusCode::kUnimplemented));
}

TEST_F(DirectCompilerTest, ManyThreadsCompileAtOnce) {
  ASSERT_THAT(Add(kProgram), IsOk());
  ASSERT_OK_AND_ASSIGN(const CompiledFunction expected, Compile("print"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) {
        for (const char* name : {"cube", "loop", "print"}) {
          const absl::StatusOr<CompiledFunction> made = Compile(name);
          ASSERT_THAT(made, IsOk());
          if (name != absl::string_view("print")) continue;
          EXPECT_EQ(absl::string_view(made->object.bytes),
                    absl::string_view(expected.object.bytes));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace firstcall::direct
