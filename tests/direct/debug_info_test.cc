// Debug information that nobody asks for leaves no trace: both compilers make of a module with it
// the objects that they make of the module without it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file_contents.h"
#include "compiler/in_process_compiler.h"
#include "direct/direct_compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "seam/listener.h"
#include "seam/stop_flag.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"
#include "third_party/llvm/version/debug_metadata.h"
#include "third_party/llvm/version/version.h"

namespace firstcall::direct {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

// As clang -g -O0 writes it: all functions are `noinline`, and variables of the frame are declared.
constexpr absl::string_view kProgram = R"(
  @counted = global i64 0, !dbg !20
  @hidden = internal global i64 1, !dbg !22
  @pointer = global ptr @add
  define internal i64 @add(i64 %a, i64 %b) noinline optnone !dbg !11 {
    %c = add i64 %a, %b, !dbg !12
    store i64 %c, ptr @counted, !dbg !12
    ret i64 %c, !dbg !12
  }
  define i64 @straight(i64 %a) noinline optnone !dbg !13 {
    call void @llvm.dbg.value(metadata i64 %a, metadata !14, metadata !DIExpression()), !dbg !15
    %b = call i64 @add(i64 %a, i64 7), !dbg !15
    %f = load ptr, ptr @pointer, !dbg !15
    %c = call i64 %f(i64 %b, i64 1), !dbg !16
    ret i64 %c, !dbg !16
  }
  define i64 @sum(i64 %n) noinline optnone !dbg !4 {
  entry:
    %v = alloca i64, !dbg !7
    call void @llvm.dbg.declare(metadata ptr %v, metadata !8, metadata !DIExpression()), !dbg !7
    store i64 %n, ptr %v, !dbg !7
    br label %loop, !dbg !7
  loop:
    %i = phi i64 [ 0, %entry ], [ %j, %loop ], !dbg !10
    %sum = phi i64 [ 0, %entry ], [ %sum2, %loop ], !dbg !10
    call void @llvm.dbg.value(metadata i64 %i, metadata !9, metadata !DIExpression()), !dbg !10
    call void @llvm.dbg.label(metadata !18), !dbg !10
    %sum2 = call i64 @add(i64 %sum, i64 %i), !dbg !10
    %j = add i64 %i, 1, !dbg !10
    call void @llvm.dbg.value(metadata i64 %j, metadata !9, metadata !DIExpression()), !dbg !10
    %last = load i64, ptr %v, !dbg !10
    %more = icmp slt i64 %j, %last, !dbg !10
    br i1 %more, label %loop, label %end, !dbg !10, !llvm.loop !17
  end:
    ret i64 %sum2, !dbg !7
  }
  declare void @llvm.dbg.declare(metadata, metadata, metadata)
  declare void @llvm.dbg.value(metadata, metadata, metadata)
  declare void @llvm.dbg.label(metadata)
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2}
  !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug,
                               globals: !{!20, !22})
  !1 = !DIFile(filename: "sum.c", directory: "/")
  !2 = !{i32 2, !"Debug Info Version", i32 3}
  !3 = !DISubroutineType(types: !{!5, !5})
  !4 = distinct !DISubprogram(name: "sum", file: !1, line: 1, scopeLine: 1, type: !3, unit: !0,
                              spFlags: DISPFlagDefinition)
  !5 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
  !7 = !DILocation(line: 2, scope: !4)
  !8 = !DILocalVariable(name: "v", scope: !4, type: !5)
  !9 = !DILocalVariable(name: "i", scope: !4, type: !5)
  !10 = !DILocation(line: 3, scope: !4)
  !11 = distinct !DISubprogram(name: "add", file: !1, line: 8, type: !3, unit: !0,
                               spFlags: DISPFlagDefinition | DISPFlagLocalToUnit)
  !12 = !DILocation(line: 9, scope: !11)
  !13 = distinct !DISubprogram(name: "straight", file: !1, line: 18, scopeLine: 18, type: !3, unit: !0,
                               spFlags: DISPFlagDefinition)
  !14 = !DILocalVariable(name: "a", scope: !13, type: !5)
  !15 = !DILocation(line: 19, scope: !13)
  !16 = !DILocation(line: 20, scope: !13)
  !17 = distinct !{!17, !10, !10, !{!"llvm.loop.mustprogress"}}
  !18 = !DILabel(scope: !4, name: "again", file: !1, line: 3)
  !20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
  !21 = distinct !DIGlobalVariable(name: "counted", scope: !0, file: !1, type: !5,
                                   isDefinition: true)
  !22 = !DIGlobalVariableExpression(var: !23, expr: !DIExpression())
  !23 = distinct !DIGlobalVariable(name: "hidden", scope: !0, file: !1, type: !5, isLocal: true,
                                   isDefinition: true)
)";

// The forms in which a module has debug information.
enum class Form {
  kStripped,  // None.
  kRecords,   // As LLVM 19 writes it.
  kCalls,     // Of intrinsics, as LLVM 18 writes it, and LLVM 21 and later cannot.
};

std::string Bitcode(Form form) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module =
      ParseModule(absl::StrCat(kTarget, kProgram), context);
  if (form == Form::kStripped) llvm::StripDebugInfo(*module);
  if (form == Form::kCalls) llvm_version::KeepPlacesAsCalls(*module);
  return ModuleToBitcode(*module);
}

class NoListener final : public Listener {};

struct Options {
  bool joins = false;
  bool is_replaceable = true;
};

// A compiler that has the module in one form.
class Compiling {
 public:
  enum class Way { kDirect, kLlvm };

  Compiling(Way way, Form form, DebugInfo debug_info = DebugInfo::kAuto,
            OptNone optnone = OptNone::kAuto) {
    CompilerSettings settings;
    settings.promotes = true;
    settings.target.debug_info = debug_info;
    settings.target.optnone = optnone;
    if (way == Way::kDirect) {
      compiler_ = DirectCompiler::Create(settings);
    } else {
      compiler_ = InProcessCompiler::Create(settings, listener_).value();
    }
    ModuleContents contents = {"m", ModuleContents::Form::kBitcode,
                               FileContents::Copy(Bitcode(form))};
    index_ = compiler_->Add({kModule, std::move(contents), nullptr}).value();
  }

  absl::StatusOr<CompiledFunction> Function(absl::string_view name, const Options& options) {
    const SymbolOrdinal function = index_->Find(name).value();
    const auto may_join = [&](SymbolOrdinal) { return options.joins; };
    const auto is_replaced = [](SymbolOrdinal) { return false; };
    FunctionOrder order{kModule, function, is_replaced, may_join};
    order.others_may_join = options.joins;
    if (options.is_replaceable) order.polls = {false, 1000};
    return compiler_->CompileFunction(order);
  }

  absl::StatusOr<CompiledObject> Data() {
    const auto is_replaced = [](SymbolOrdinal) { return false; };
    return compiler_->CompileData({kModule, is_replaced});
  }

  std::vector<SymbolOrdinal> OrdinalsOf(const std::vector<std::string>& names) const {
    std::vector<SymbolOrdinal> ordinals;
    for (const std::string& name : names) ordinals.push_back(index_->Find(name).value());
    return ordinals;
  }

  // Of bodies that can be replaced.
  absl::StatusOr<CodeDescription> Lines(const std::vector<std::string>& names,
                                        bool is_running = true) {
    const auto is_replaced = [](SymbolOrdinal) { return false; };
    const auto runs = [&](size_t, ObjectBytes) { return is_running; };
    const auto straight_calls = [](size_t) { return std::vector<SymbolOrdinal>(); };
    DescriptionOrder order{kModule, OrdinalsOf(names), is_replaced, runs, straight_calls};
    order.asks_when_called = false;
    order.wants_lines = true;
    return compiler_->DescribeBodies(order);
  }

  absl::StatusOr<CompiledObject> Optimized(absl::string_view name,
                                           std::optional<uint32_t> loop = std::nullopt) {
    const auto is_replaced = [](SymbolOrdinal) { return false; };
    const auto is_warm = [](SymbolOrdinal) { return true; };
    const auto run = [](absl::FunctionRef<void()> passes) {
      passes();
      return true;
    };
    return compiler_->Optimize({kModule, index_->Find(name).value(), loop, /*is_far=*/false,
                                std::make_shared<StopFlag>(), /*stop_if_exiting=*/[] {},
                                is_replaced, is_warm, run});
  }

 private:
  NoListener listener_;
  std::unique_ptr<Compiler> compiler_;
  std::shared_ptr<const SymbolIndex> index_;
};

using Way = Compiling::Way;

// The lines of the rows, in their order.
std::vector<uint32_t> LinesIn(const CodeLines& lines) {
  std::vector<uint32_t> numbers;
  for (const CodeLines::Row& row : lines.rows) numbers.push_back(row.line);
  return numbers;
}

bool IsDescribed(absl::string_view object) { return absl::StrContains(object, ".debug_"); }

TEST(DebugInfoTest, FunctionsAreThoseOfAModuleWithoutIt) {
  for (const char* name : {"add$3", "straight", "sum"}) {
    for (const Options& options : {Options{}, Options{true}, Options{true, false}}) {
      ASSERT_OK_AND_ASSIGN(const CompiledFunction expected,
                           Compiling(Way::kDirect, Form::kStripped).Function(name, options));
      for (const Way way : {Way::kDirect, Way::kLlvm}) {
        for (const Form form : {Form::kStripped, Form::kRecords, Form::kCalls}) {
          for (const DebugInfo debug_info : {DebugInfo::kAuto, DebugInfo::kLines}) {
            SCOPED_TRACE(absl::StrCat(name, " ", static_cast<int>(way), static_cast<int>(form),
                                      static_cast<int>(debug_info)));
            ASSERT_OK_AND_ASSIGN(const CompiledFunction made,
                                 Compiling(way, form, debug_info).Function(name, options));
            EXPECT_EQ(made.object.origin.generator, Generator::kBaseline);
            EXPECT_EQ(absl::string_view(made.object.bytes),
                      absl::string_view(expected.object.bytes));
            EXPECT_EQ(made.functions, expected.functions);
            EXPECT_EQ(made.hotness_signs, expected.hotness_signs);
            EXPECT_EQ(made.poll_balance, expected.poll_balance);
          }
        }
      }
    }
  }
}

TEST(DebugInfoTest, DataIsThatOfAModuleWithoutIt) {
  ASSERT_OK_AND_ASSIGN(const CompiledObject expected,
                       Compiling(Way::kDirect, Form::kStripped).Data());
  for (const Way way : {Way::kDirect, Way::kLlvm}) {
    for (const DebugInfo debug_info : {DebugInfo::kAuto, DebugInfo::kLines}) {
      ASSERT_OK_AND_ASSIGN(const CompiledObject made,
                           Compiling(way, Form::kRecords, debug_info).Data());
      EXPECT_EQ(made.origin.generator, Generator::kBaseline);
      EXPECT_EQ(absl::string_view(made.bytes), absl::string_view(expected.bytes));
    }
  }
}

// So they stand in for the bodies above, whose polls and loops are those of the stripped function.
TEST(DebugInfoTest, OptimizedBodiesAndContinuationsHaveItOnlyIfAskedFor) {
  for (const Form form : {Form::kRecords, Form::kCalls}) {
    for (const DebugInfo debug_info :
         {DebugInfo::kAuto, DebugInfo::kAlways, DebugInfo::kNever, DebugInfo::kLines}) {
      const bool is_asked_for = debug_info == DebugInfo::kAlways || debug_info == DebugInfo::kLines;
      // Where first bodies have no debug information, `optnone` means what it means without it.
      const OptNone optnone = debug_info == DebugInfo::kAlways ? OptNone::kIgnore : OptNone::kAuto;
      ASSERT_OK_AND_ASSIGN(const CompiledObject body,
                           Compiling(Way::kLlvm, form, debug_info, optnone).Optimized("straight"));
      EXPECT_EQ(IsDescribed(body.bytes), is_asked_for);
      ASSERT_OK_AND_ASSIGN(
          const CompiledObject continuation,
          Compiling(Way::kLlvm, form, debug_info, optnone).Optimized("sum", /*loop=*/0));
      EXPECT_EQ(IsDescribed(continuation.bytes), is_asked_for);
    }
  }
}

// A continuation is made with the first body at hand, which has none.
TEST(DebugInfoTest, AnOptimizedBodyHasItAfterAContinuation) {
  Compiling llvm(Way::kLlvm, Form::kRecords, DebugInfo::kLines);
  ASSERT_OK_AND_ASSIGN(const CompiledObject continuation, llvm.Optimized("sum", /*loop=*/0));
  EXPECT_TRUE(IsDescribed(continuation.bytes));
  ASSERT_OK_AND_ASSIGN(const CompiledObject body, llvm.Optimized("sum"));
  EXPECT_TRUE(IsDescribed(body.bytes));
}

TEST(DebugInfoTest, LinesAreThoseOfTheInstructions) {
  for (const DebugInfo debug_info : {DebugInfo::kNever, DebugInfo::kLines}) {
    for (const Form form : {Form::kRecords, Form::kCalls}) {
      Compiling llvm(Way::kLlvm, form, debug_info);
      ASSERT_OK_AND_ASSIGN(const CodeDescription description, llvm.Lines({"straight", "sum"}));
      EXPECT_EQ(description.described, llvm.OrdinalsOf({"straight", "sum"}));
      EXPECT_TRUE(description.object.empty());
      ASSERT_EQ(description.lines.size(), 2u);
      EXPECT_THAT(description.lines[0].files, ElementsAre("/sum.c"));
      EXPECT_THAT(LinesIn(description.lines[0]), ElementsAre(18, 19, 20));
      EXPECT_THAT(LinesIn(description.lines[1]), ElementsAre(1, 2, 3, 2));
    }
  }
}

TEST(DebugInfoTest, OtherCodeHasNoLines) {
  Compiling llvm(Way::kLlvm, Form::kRecords, DebugInfo::kLines);
  ASSERT_OK_AND_ASSIGN(const CodeDescription description,
                       llvm.Lines({"straight", "sum"}, /*is_running=*/false));
  EXPECT_THAT(description.described, IsEmpty());
  EXPECT_THAT(description.lines, IsEmpty());
}

TEST(DebugInfoTest, BothKnowThatAModuleHasNone) {
  for (const Way way : {Way::kDirect, Way::kLlvm}) {
    EXPECT_THAT(Compiling(way, Form::kStripped).Lines({"sum"}),
                StatusIs(absl::StatusCode::kNotFound, "the module has no debug information"));
  }
  EXPECT_THAT(Compiling(Way::kDirect, Form::kRecords).Lines({"sum"}),
              StatusIs(absl::StatusCode::kUnimplemented, "debug information is LLVM's"));
}

TEST(DebugInfoTest, IsLlvmsIfAskedFor) {
  for (const Form form : {Form::kRecords, Form::kCalls}) {
    Compiling direct(Way::kDirect, form, DebugInfo::kAlways);
    EXPECT_THAT(direct.Function("sum", {}),
                StatusIs(absl::StatusCode::kUnimplemented, "function 'sum': debug information"));
    EXPECT_THAT(direct.Data(), StatusIs(absl::StatusCode::kUnimplemented,
                                        "variable 'counted': debug information"));
    Compiling llvm(Way::kLlvm, form, DebugInfo::kAlways);
    ASSERT_OK_AND_ASSIGN(const CompiledFunction function, llvm.Function("sum", {}));
    EXPECT_EQ(function.object.origin.generator, Generator::kLlvm);
    EXPECT_TRUE(IsDescribed(function.object.bytes));
    ASSERT_OK_AND_ASSIGN(const CompiledObject data, llvm.Data());
    EXPECT_TRUE(IsDescribed(data.bytes));
  }
}

}  // namespace
}  // namespace firstcall::direct
