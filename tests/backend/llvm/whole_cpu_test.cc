#include "backend/llvm/whole_cpu.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "backend/llvm/ir_optimizer.h"
#include "backend/llvm/target.h"
#include "base/diagnostic_collector.h"
#include "engine/options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class WholeCpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "for x86-64";
#endif
    CollectDiagnostics(context_);
    Choose("x86-64-v3");
  }

  void Choose(const std::string& cpu, const std::string& features = "") {
    EngineOptions options;
    options.tier = Tier::kOne;
    options.cpu = cpu;
    options.features = features;
    target_ = std::make_unique<Target>(MakeTarget(options));
    machine_ = target_->CreateMachine().value();
  }

  std::unique_ptr<llvm::Module> Parse(absl::string_view text) {
    std::unique_ptr<llvm::Module> module = ParseModule(text, context_);
    EXPECT_THAT(target_->Adopt(*module), IsOk());
    return module;
  }

  // Whether UseWholeCpu changes the functions of a module that are for any x86-64 unless they name
  // a CPU.
  bool Uses(absl::string_view text) {
    const std::unique_ptr<llvm::Module> module = Parse(text);
    for (llvm::Function& function : *module) {
      if (!function.isDeclaration() && !function.hasFnAttribute("target-cpu")) {
        function.addFnAttr("target-cpu", "x86-64");
      }
    }
    return UseWholeCpu(*module, *machine_);
  }

  llvm::LLVMContext context_;
  std::unique_ptr<Target> target_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

std::string AttributeOf(const llvm::Module& module, const char* name) {
  return module.getFunction("f")->getFnAttribute(name).getValueAsString().str();
}

TEST_F(WholeCpuTest, FunctionsGetTheMachinesCpuAndFeatures) {
  Choose("x86-64-v2", "+bmi");
  const std::unique_ptr<llvm::Module> module = Parse(R"(
    define void @f() "target-cpu"="x86-64" "tune-cpu"="generic" "target-features"="+sse2,+fxsr" {
      ret void
    })");
  EXPECT_TRUE(UseWholeCpu(*module, *machine_));
  EXPECT_EQ(AttributeOf(*module, "target-cpu"), "x86-64-v2");
  EXPECT_EQ(AttributeOf(*module, "tune-cpu"), "");
  EXPECT_THAT(AttributeOf(*module, "target-features"),
              AllOf(HasSubstr("+bmi"), EndsWith("+sse2,+fxsr")));
}

TEST_F(WholeCpuTest, FunctionsThatNameNoCpuHaveTheMachines) {
  const std::unique_ptr<llvm::Module> module = Parse("define void @f() { ret void }");
  EXPECT_FALSE(UseWholeCpu(*module, *machine_));
  EXPECT_FALSE(module->getFunction("f")->hasFnAttribute("target-cpu"));
}

TEST_F(WholeCpuTest, LoopsGetWiderVectors) {
  constexpr absl::string_view kLoop = R"(
    define void @f(ptr noalias %to, ptr noalias %from) #0 {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %next, %loop ]
      %p = getelementptr double, ptr %from, i64 %i
      %x = load double, ptr %p
      %y = fmul double %x, %x
      %q = getelementptr double, ptr %to, i64 %i
      store double %y, ptr %q
      %next = add i64 %i, 1
      %more = icmp ult i64 %next, 1024
      br i1 %more, label %loop, label %end
    end:
      ret void
    }
    attributes #0 = { "target-cpu"="x86-64" "tune-cpu"="generic" })";
  CpuChoice cpu;
  const auto optimize = [&] {
    std::unique_ptr<llvm::Module> module = Parse(kLoop);
    EXPECT_THAT(IrOptimizer::Create(*target_).value()->Optimize(module, cpu), IsOk());
    return PrintModule(*module);
  };
  EXPECT_THAT(optimize(), HasSubstr("<4 x double>"));
  EXPECT_TRUE(cpu.is_whole);
  const auto is_narrow = AllOf(HasSubstr("<2 x double>"), Not(HasSubstr("<4 x double>")));
  cpu.may_be_whole = false;
  EXPECT_THAT(optimize(), is_narrow);
  EXPECT_FALSE(cpu.is_whole);
  cpu.may_be_whole = true;
  Choose("x86-64");
  EXPECT_THAT(optimize(), is_narrow);
}

TEST_F(WholeCpuTest, TypesThatArePassedTheSame) {
  for (const absl::string_view type : {"double", "i128", "ptr", "{ i64, <2 x double> }",
                                       "<4 x float>", "<2 x ptr>", "x86_fp80", "[2 x float]"}) {
    EXPECT_TRUE(Uses(absl::StrReplaceAll("define void @f(T %x) { ret void }", {{"T", type}})))
        << type;
  }
}

TEST_F(WholeCpuTest, TypesThatMayBePassedOtherwise) {
  for (const absl::string_view type :
       {"<4 x double>", "<4 x ptr>", "<8 x i1>", "half", "bfloat", "<2 x half>",
        "{ i64, <8 x float> }", "[2 x <4 x i64>]", "<32 x i4>", "<1 x i128>", "<2 x x86_fp80>"}) {
    for (const absl::string_view text :
         {"define void @f(T %x) { ret void }", "define T @f() { ret T zeroinitializer }",
          "declare void @g(T) define void @f() { call void @g(T zeroinitializer) ret void }",
          "define void @f(ptr %g) { %x = call T %g() ret void }",
          "define void @f(ptr %g) { call void (...) %g(T zeroinitializer) ret void }",
          "define void @h() { ret void } define available_externally void @f(T %x) { ret void }"}) {
      EXPECT_FALSE(Uses(absl::StrReplaceAll(text, {{"T", type}}))) << type << " " << text;
    }
  }
}

TEST_F(WholeCpuTest, IntrinsicsMayHaveAnyVectors) {
  EXPECT_TRUE(Uses(R"(
    declare <8 x float> @llvm.sqrt.v8f32(<8 x float>)
    define void @f(ptr %p) {
      %x = load <8 x float>, ptr %p
      %y = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %x)
      store <8 x float> %y, ptr %p
      ret void
    })"));
}

TEST_F(WholeCpuTest, ConventionsThatPreserveVectorRegistersAreLeft) {
  EXPECT_FALSE(Uses("define preserve_allcc void @f() { ret void }"));
  EXPECT_FALSE(Uses("define void @f(ptr %g) { call preserve_allcc void %g() ret void }"));
  EXPECT_TRUE(Uses("define fastcc void @f(ptr %g) { call swiftcc void %g() ret void }"));
}

TEST_F(WholeCpuTest, CallersThatCountOnSavedRegistersAreLeft) {
  EXPECT_FALSE(Uses("define void @f() \"no_caller_saved_registers\" { ret void }"));
  EXPECT_FALSE(
      Uses("define void @f(ptr %g) { call void %g() \"no_caller_saved_registers\" ret void }"));
}

TEST_F(WholeCpuTest, AssemblyIsLeft) {
  EXPECT_FALSE(Uses(
      R"(define void @f() { call void asm sideeffect "call g", "~{xmm0},~{rax}"() ret void })"));
  EXPECT_TRUE(Uses(R"(define void @f() { call void asm sideeffect "", "~{memory}"() ret void })"));
}

TEST_F(WholeCpuTest, IntrinsicsThatCallAreLeft) {
  EXPECT_FALSE(Uses(R"(
    declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
    define void @f(ptr %g) {
      call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(
          i64 0, i32 15, ptr %g, i32 0)
      ret void
    })"));
  EXPECT_FALSE(Uses(R"(
    declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
    define i64 @f(ptr %g) {
      %x = call i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(
          i64 0, i32 15, ptr %g, i32 0)
      ret i64 %x
    })"));
  EXPECT_FALSE(Uses(R"(
    declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
    define void @f(ptr %g) gc "statepoint-example" {
      %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(
          i64 0, i32 0, ptr elementtype(void ()) %g, i32 0, i32 0, i32 0, i32 0)
      ret void
    })"));
}

TEST_F(WholeCpuTest, ShortFloatingPointNumbersAreLeft) {
  EXPECT_FALSE(Uses(R"(define void @f(float %x, ptr %p) {
    %y = fptrunc float %x to bfloat
    %z = bitcast bfloat %y to i16
    store i16 %z, ptr %p
    ret void })"));
  EXPECT_FALSE(Uses(R"(define void @f(<8 x i16> %x, ptr %p) {
    %y = bitcast <8 x i16> %x to <8 x half>
    store <8 x half> %y, ptr %p
    ret void })"));
}

TEST_F(WholeCpuTest, CpusThatHaveMoreAreLeft) {
  const auto uses = [&](absl::string_view attributes) {
    return Uses(absl::StrReplaceAll("define void @f() A { ret void }", {{"A", attributes}}));
  };
  EXPECT_TRUE(uses(R"("target-cpu"="generic")"));
  EXPECT_TRUE(uses(R"("target-cpu"="x86-64-v3")"));
  EXPECT_FALSE(uses(R"("target-cpu"="x86-64-v4")"));
  EXPECT_FALSE(uses(R"("target-cpu"="no such CPU")"));
  Choose("x86-64");
  EXPECT_FALSE(uses(R"("target-cpu"="haswell")"));
}

TEST_F(WholeCpuTest, FeaturesThatTheMachineDoesNotHaveAreLeft) {
  const auto uses = [&](absl::string_view features) {
    return Uses(absl::StrReplaceAll(
        R"(define void @f() "target-cpu"="x86-64" "target-features"="F" { ret void })",
        {{"F", features}}));
  };
  EXPECT_TRUE(uses("+sse2,+avx2"));
  EXPECT_FALSE(uses("+avx512f"));
  EXPECT_FALSE(uses("+retpoline-indirect-calls"));
  EXPECT_FALSE(uses("+no such feature"));
  // A CPU without what it has.
  EXPECT_FALSE(uses("+sse2,-ssse3"));
}

TEST_F(WholeCpuTest, LargeFunctionsAreLeft) {
  const auto uses = [&](absl::string_view instruction, int count) {
    std::string body;
    for (int i = 0; i < count; ++i) absl::StrAppend(&body, "  ", instruction, "\n");
    return Uses(
        absl::StrCat("define void @f(ptr %p) {\n  %v = alloca i64\n", body, "  ret void\n}\n"));
  };
  EXPECT_TRUE(uses("store i64 1, ptr %p", 2900));
  EXPECT_FALSE(uses("store i64 1, ptr %p", 3100));
  // Accesses to variables that will be registers.
  EXPECT_TRUE(uses("store i64 1, ptr %v", 3100));
}

TEST_F(WholeCpuTest, WhatWasNotComparedIsLeft) {
  EXPECT_FALSE(Uses("define double @f() \"zero-call-used-regs\"=\"all\" { ret double 1.0 }"));
  EXPECT_FALSE(Uses("define void @f(ptr addrspace(270) %p) { ret void }"));
  // It would be inlined.
  EXPECT_FALSE(
      Uses("define void @f() { ret void }\n"
           "define available_externally void @g() \"zero-call-used-regs\"=\"all\" { ret void }"));
}

TEST_F(WholeCpuTest, WideAtomicAccessesAreLeft) {
  EXPECT_FALSE(Uses(R"(define i128 @f(ptr %p) {
    %x = load atomic i128, ptr %p seq_cst, align 16 ret i128 %x })"));
  EXPECT_FALSE(Uses(R"(define void @f(ptr %p) {
    store atomic i128 0, ptr %p seq_cst, align 16 ret void })"));
  EXPECT_FALSE(Uses(R"(define void @f(ptr %p) {
    %x = cmpxchg ptr %p, i128 0, i128 1 seq_cst seq_cst ret void })"));
  EXPECT_FALSE(Uses(R"(define void @f(ptr %p) {
    %x = atomicrmw add ptr %p, i128 1 seq_cst ret void })"));
  EXPECT_TRUE(Uses(R"(define void @f(ptr %p) {
    %x = cmpxchg ptr %p, i64 0, i64 1 seq_cst seq_cst
    fence seq_cst
    ret void })"));
}

constexpr absl::string_view kMayBeFused = R"(
  declare double @llvm.fmuladd.f64(double, double, double)
  define double @f(double %x) "target-cpu"="x86-64" "unsafe-fp-math"="true" FEATURES {
    %y = call double @llvm.fmuladd.f64(double %x, double %x, double 1.0)
    %z = fmul contract double %y, %y
    %sum = fadd contract double %z, 1.0
    ret double %sum
  })";

TEST_F(WholeCpuTest, WhatMayBeFusedIsSeparated) {
  const std::unique_ptr<llvm::Module> module =
      Parse(absl::StrReplaceAll(kMayBeFused, {{"FEATURES", ""}}));
  EXPECT_TRUE(UseWholeCpu(*module, *machine_));
  EXPECT_THAT(PrintModule(*module),
              AllOf(HasSubstr("fmul double %x, %x"), HasSubstr("fmul double %y, %y"),
                    Not(HasSubstr("call double")), Not(HasSubstr("contract")),
                    Not(HasSubstr("unsafe-fp-math"))));
}

constexpr absl::string_view kConversions = R"(
  define void @f(double %x, <4 x float> %y, x86_fp80 %z, ptr %p) "target-cpu"="x86-64" FEATURES {
    %a = fptoui double %x to i32
    store i32 %a, ptr %p
    %b = fptoui <4 x float> %y to <4 x i64>
    store <4 x i64> %b, ptr %p
    %c = fptoui x86_fp80 %z to i32
    store i32 %c, ptr %p
    %d = fptoui double %x to i16
    store i16 %d, ptr %p
    ret void
  })";

TEST_F(WholeCpuTest, ConversionsToUnsignedIntegersAreKept) {
  Choose("x86-64-v4");
  const std::unique_ptr<llvm::Module> module =
      Parse(absl::StrReplaceAll(kConversions, {{"FEATURES", ""}}));
  EXPECT_TRUE(UseWholeCpu(*module, *machine_));
  EXPECT_THAT(
      PrintModule(*module),
      AllOf(HasSubstr("fptosi double %x to i64"), HasSubstr("%a = trunc i64 %1 to i32"),
            Not(HasSubstr("fptoui double %x to i32")),
            HasSubstr("fptosi <4 x float> %y to <4 x i64>"), HasSubstr("%b = select <4 x i1>"),
            Not(HasSubstr("fptoui <4 x float>")), HasSubstr("%c = fptoui x86_fp80 %z"),
            HasSubstr("%d = fptoui double %x to i16")));
}

TEST_F(WholeCpuTest, ConversionsOfTheFunctionsOwnCpuAreLeft) {
  Choose("x86-64-v4");
  const std::unique_ptr<llvm::Module> module =
      Parse(absl::StrReplaceAll(kConversions, {{"FEATURES", R"("target-features"="+avx512f")"}}));
  EXPECT_TRUE(UseWholeCpu(*module, *machine_));
  EXPECT_THAT(PrintModule(*module), HasSubstr("%a = fptoui double %x to i32"));
}

TEST_F(WholeCpuTest, WhatTheFunctionsOwnCpuFusesIsLeft) {
  const std::unique_ptr<llvm::Module> module =
      Parse(absl::StrReplaceAll(kMayBeFused, {{"FEATURES", R"("target-features"="+fma")"}}));
  EXPECT_TRUE(UseWholeCpu(*module, *machine_));
  EXPECT_THAT(PrintModule(*module),
              AllOf(HasSubstr("call double @llvm.fmuladd"), HasSubstr("fmul contract")));
}

TEST_F(WholeCpuTest, MachinesThatFuseEverythingAreLeft) {
  machine_->Options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  EXPECT_FALSE(Uses("define void @f() { ret void }"));
}

TEST_F(WholeCpuTest, ConversionsThatAreNotReplacedAreLeft) {
  EXPECT_FALSE(Uses(R"(
    declare i32 @llvm.experimental.constrained.fptoui.i32.f64(double, metadata)
    define i32 @f(double %x) strictfp {
      %y = call i32 @llvm.experimental.constrained.fptoui.i32.f64(
          double %x, metadata !"fpexcept.strict") strictfp
      ret i32 %y
    })"));
  EXPECT_FALSE(Uses(R"(
    declare <2 x i64> @llvm.vp.fptoui.v2i64.v2f64(<2 x double>, <2 x i1>, i32)
    define <2 x i64> @f(<2 x double> %x) {
      %y = call <2 x i64> @llvm.vp.fptoui.v2i64.v2f64(<2 x double> %x, <2 x i1> <i1 1, i1 1>, i32 2)
      ret <2 x i64> %y
    })"));
}

TEST_F(WholeCpuTest, FusionThatCannotBeSeparatedIsLeft) {
  EXPECT_FALSE(Uses(R"(
    declare <2 x double> @llvm.vp.fmuladd.v2f64(<2 x double>, <2 x double>, <2 x double>,
                                                <2 x i1>, i32)
    define <2 x double> @f(<2 x double> %x) {
      %y = call <2 x double> @llvm.vp.fmuladd.v2f64(<2 x double> %x, <2 x double> %x,
                                                    <2 x double> %x, <2 x i1> <i1 1, i1 1>, i32 2)
      ret <2 x double> %y
    })"));
  EXPECT_FALSE(Uses(R"(
    declare double @llvm.experimental.constrained.fmuladd.f64(double, double, double, metadata,
                                                              metadata)
    define double @f(double %x) strictfp {
      %y = call double @llvm.experimental.constrained.fmuladd.f64(
          double %x, double %x, double 1.0, metadata !"round.dynamic",
          metadata !"fpexcept.strict") strictfp
      ret double %y
    })"));
}

}  // namespace
}  // namespace firstcall
