#include "tests/differential/attribute_program.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/differential/attribute_body.h"
#include "tests/differential/attribute_choice.h"

namespace firstcall::testing {
namespace {

constexpr int kRounds = 40;       // in which main calls all functions
constexpr int kReportRounds = 8;  // between two reports

// Functions that are there for what their parameters and results have, or for how they are called.
// Each ATTRIBUTES stands for others. PURE ones have nothing but their arguments.
constexpr absl::string_view kHelpers = R"(
%pair = type { i64, double }
%list = type { i32, i32, ptr, ptr }
@sink = internal global i8 0
@constant = internal constant [16 x i8] c"0123456789abcde\00"
@local = internal thread_local global i64 1
declare ptr @malloc(i64) nonlazybind nobuiltin allocsize(0) allockind("alloc,uninitialized")
declare void @free(ptr) nonlazybind
declare ptr @aligned_alloc(i64, i64) nonlazybind
declare i32 @vsnprintf(ptr, i64, ptr, ptr)
declare void @abort() noreturn cold nounwind

define internal void @use(ptr %p) noinline ATTRIBUTES {
  store volatile i8 0, ptr @sink
  ret void
}
define internal void @never() cold noreturn ATTRIBUTES {
  call void @abort()
  unreachable
}
define internal void @make_pair(ptr noalias writable dead_on_unwind sret(%pair) align 8 %p, i64 %x) ATTRIBUTES {
  store i64 %x, ptr %p
  %number = getelementptr inbounds %pair, ptr %p, i64 0, i32 1
  store double 2.0, ptr %number
  ret void
}
define internal i64 @sum_pair(ptr byval(%pair) align 8 %p) ATTRIBUTES {
  %x = load i64, ptr %p
  %number = getelementptr inbounds %pair, ptr %p, i64 0, i32 1
  %y = load double, ptr %number
  %z = fptosi double %y to i64
  store i64 0, ptr %p
  %sum = add i64 %x, %z
  ret i64 %sum
}
define internal ptr @fill(ptr returned writeonly %p, i64 %n) ATTRIBUTES {
  call void @llvm.memset.p0.i64(ptr %p, i8 7, i64 %n, i1 false)
  ret ptr %p
}
define internal i64 @ignore(ptr readnone %p, i64 %x) PURE {
  %y = mul i64 %x, 3
  ret i64 %y
}
define internal noalias ptr @get(i64 %n) allockind("alloc,uninitialized") allocsize(0) "alloc-family"="ours" ATTRIBUTES {
  %p = call ptr @malloc(i64 %n) builtin
  ret ptr %p
}
define internal noalias ptr @get_aligned(i64 allocalign %alignment, i64 %n) allockind("alloc,uninitialized,aligned") allocsize(1) "alloc-family"="ours" ATTRIBUTES {
  %p = call ptr @aligned_alloc(i64 %alignment, i64 %n)
  ret ptr %p
}
define internal void @give_back(ptr allocptr nocapture %p) allockind("free") "alloc-family"="ours" ATTRIBUTES {
  call void @free(ptr %p)
  ret void
}
define internal swiftcc i64 @swift(ptr swiftself %self, ptr swifterror %error, i64 %x) noinline ATTRIBUTES {
  %odd = and i64 %x, 1
  %fails = icmp ne i64 %odd, 0
  br i1 %fails, label %fail, label %end
fail:
  store ptr @constant, ptr %error
  br label %end
end:
  %y = load i64, ptr %self
  %sum = add i64 %x, %y
  ret i64 %sum
}
define internal i32 @format(ptr %to, ...) ATTRIBUTES {
  %list = alloca %list, align 16
  %copy = alloca %list, align 16
  call void @llvm.lifetime.start.p0(i64 24, ptr %list)
  call void @llvm.va_start.p0(ptr %list)
  call void @llvm.va_copy.p0(ptr %copy, ptr %list)
  %length = call i32 @vsnprintf(ptr %to, i64 64, ptr @form, ptr %copy)
  call void @llvm.va_end.p0(ptr %copy)
  call void @llvm.va_end.p0(ptr %list)
  call void @llvm.lifetime.end.p0(i64 24, ptr %list)
  ret i32 %length
}
@form = internal constant [13 x i8] c"%d %g %ld %g\00"

define internal i64 @helpers(i64 %x) noinline ATTRIBUTES {
entry:
  %pair = alloca %pair, align 8
  %text = alloca [64 x i8], align 16
  %self = alloca i64, align 8
  %error = alloca swifterror ptr, align 8
  call void @make_pair(ptr sret(%pair) align 8 %pair, i64 %x)
  %sum = call i64 @sum_pair(ptr byval(%pair) align 8 %pair)
  %again = call i64 @sum_pair(ptr byval(%pair) align 8 %pair)
  %n = and i64 %x, 31
  %size = add nuw nsw i64 %n, 32
  %memory = call ptr @get(i64 %size)
  %filled = call ptr @fill(ptr %memory, i64 %size)
  %place = getelementptr i8, ptr %filled, i64 %n
  %byte = load i8, ptr %place
  call void @give_back(ptr %memory)
  %aligned = call ptr @get_aligned(i64 64, i64 128)
  store i64 %sum, ptr %aligned
  %kept = load i64, ptr %aligned
  call void @give_back(ptr %aligned)
  %ignored = call i64 @ignore(ptr %pair, i64 %kept)
  store i64 %ignored, ptr %self
  store ptr null, ptr %error
  %called = call swiftcc i64 @swift(ptr swiftself %self, ptr swifterror %error, i64 %x)
  br label %next
next:
  %failed = load ptr, ptr %error
  br label %more
more:
  %is_failed = icmp ne ptr %failed, null
  %small = trunc i64 %n to i32
  %number = sitofp i32 %small to double
  %length = call i32 (ptr, ...) @format(ptr %text, i32 %small, double %number, i64 %again, double 0.5)
  %end = sext i32 %length to i64
  %last = getelementptr i8, ptr %text, i64 %end
  %before = getelementptr i8, ptr %last, i64 -1
  %letter = load i8, ptr %before
  %local = call ptr @llvm.threadlocal.address.p0(ptr @local)
  %old = load i64, ptr %local
  %new = mul i64 %old, 3
  store i64 %new, ptr %local
  %counted = atomicrmw add ptr @counter, i64 1 seq_cst
  %most = atomicrmw umax ptr @counter, i64 %x monotonic
  fence seq_cst
  %exchanged = cmpxchg ptr @counter, i64 %counted, i64 5 acq_rel monotonic
  %known = call i64 @llvm.annotation.i64.p0(i64 %most, ptr @constant, ptr @constant, i32 1)
  %a = select i1 %is_failed, i64 %called, i64 %again
  %b = zext i8 %byte to i64
  %c = zext i8 %letter to i64
  %d = xor i64 %a, %old
  %e = add i64 %b, %c
  %f = add i64 %d, %e
  %g = mul i64 %f, %counted
  %h = add i64 %g, %known
  ret i64 %h
}
@counter = internal global i64 0
)";

// Prints a hash (FNV-1a) of everything. Numbers are hashed by their values.
constexpr absl::string_view kReport = R"(
@format_of_report = private constant [8 x i8] c"%016lx\0A\00"
declare i32 @printf(ptr, ...)

define internal i64 @mix(i64 %hash, i64 %value) {
  %mixed = xor i64 %hash, %value
  %product = mul i64 %mixed, 1099511628211
  %high = lshr i64 %product, 29
  %result = xor i64 %product, %high
  ret i64 %result
}
define internal i64 @report(i64 %results) noinline {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %hash = phi i64 [ %results, %entry ], [ %hash3, %loop ]
  %p = getelementptr i64, ptr @integers, i64 %i
  %x = load i64, ptr %p
  %hash1 = call i64 @mix(i64 %hash, i64 %x)
  %q = getelementptr double, ptr @doubles, i64 %i
  %y = load double, ptr %q
  %y1 = fptosi double %y to i64
  %hash2 = call i64 @mix(i64 %hash1, i64 %y1)
  %r = getelementptr float, ptr @floats, i64 %i
  %z = load float, ptr %r
  %z1 = fptosi float %z to i64
  %hash3 = call i64 @mix(i64 %hash2, i64 %z1)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 384
  br i1 %more, label %loop, label %end
end:
  call i32 (ptr, ...) @printf(ptr @format_of_report, i64 %hash3)
  ret i64 %hash3
}
)";

// Three buffers of integers, of doubles and of floats.
std::string Buffers(Random& random) {
  constexpr int kBuffers = 3;
  const auto elements = [&](absl::string_view type, int bytes, const auto& element) {
    std::string text;
    for (int i = 0; i < kBuffers * kBufferBytes / bytes; ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ", ", type, " ", element());
    }
    return absl::StrCat("internal global [", kBuffers * kBufferBytes / bytes, " x ", type, "] [",
                        text, "], align 64\n");
  };
  const auto number = [&] { return absl::StrCat(static_cast<int>(random() % 200) - 100, ".0"); };
  std::string indices;
  for (int i = 0; i < 64; ++i) absl::StrAppend(&indices, i == 0 ? "i8 " : ", i8 ", random() % 100);
  return absl::StrCat(
      "@integers = ",
      elements("i64", 8,
               [&] {
                 return absl::StrCat(int64_t{static_cast<int32_t>(random())} *
                                     static_cast<int32_t>(random() | 1));
               }),
      "@doubles = ", elements("double", 8, number), "@floats = ", elements("float", 4, number),
      "@indices = internal constant [64 x i8] [", indices,
      "], align 64\n@short_pointers = internal global [64 x i64] zeroinitializer, align 64\n");
}

class Writer {
 public:
  explicit Writer(Random& random) : random_(random) {}

  std::string Program() {
    std::string text =
        absl::StrCat("target triple = \"x86_64-unknown-linux-gnu\"\n", Buffers(random_));
    std::string helpers(kHelpers);
    for (absl::string_view place : {"ATTRIBUTES", "PURE"}) {
      FunctionTraits traits;
      traits.is_pure = place == "PURE";
      traits.may_not_inline = false;
      size_t found;
      while ((found = helpers.find(std::string(place))) != std::string::npos) {
        helpers.replace(found, place.size(), FunctionAttributes(traits, random_));
      }
    }
    absl::StrAppend(&text, helpers, kReport,
                    "!0 = !{!1}\n!1 = distinct !{!1, !2}\n!2 = distinct !{!2}\n");
    for (int i = 0; i < kAttributeFunctions; ++i) {
      switch (random_() % 5) {
        case 0:
        case 1:
          AddIntegerFunction(&text, i);
          break;
        case 2:
        case 3:
          AddNumberFunction(&text, i);
          break;
        default:
          AddScalarFunction(&text, i);
      }
    }
    return text + Main();
  }

 private:
  // Adds to main, too.
  void AddLoopFunction(std::string* text, int number, const std::string& element,
                       const std::string& buffers, const FunctionTraits& traits,
                       const std::string& body) {
    const std::string convention = CallingConvention(element, random_);
    const ParameterAttributes a = AttributesOfParameter("ptr", true, random_);
    const ParameterAttributes b = AttributesOfParameter("ptr", true, random_);
    const ParameterAttributes c = AttributesOfParameter("ptr", false, random_);
    const ParameterAttributes n = AttributesOfParameter("i32", false, random_);
    const ParameterAttributes x = AttributesOfParameter(element, false, random_);
    // The result's attributes must agree, too.
    std::string result = element;
    if ((element == "i8" || element == "i16") && OnceIn(random_, 2)) {
      result = absl::StrCat(OneOf(random_, {"signext ", "zeroext "}), element);
    }
    absl::StrAppend(text, "define internal ", convention, " ", result, " @f", number, "(", a.passed,
                    a.declared, " %a, ", b.passed, b.declared, " %b, ", c.passed, c.declared,
                    " %c, ", n.passed, n.declared, " %n, ", x.passed, x.declared, " %x)",
                    FunctionAttributes(traits, random_), " {\nentry:\n", body, "}\n");
    // Which of the three is written is different for each function.
    const unsigned first = random_() % 3;
    const auto address = [&](unsigned i) {
      return absl::StrFormat("getelementptr (i8, ptr %s, i64 %d)", buffers,
                             (first + i) % 3 * kBufferBytes);
    };
    const bool is_number = element == "float" || element == "double";
    absl::StrAppend(
        &calls_,
        is_number ? absl::Substitute("  %x$0 = sitofp i32 %small to $1\n", number, element)
                  : absl::Substitute("  %y$0 = add i64 %small64, 0\n  %x$0 = $2 i64 %y$0 to $1\n",
                                     number, element, "trunc"));
    if (element == "i64") {
      calls_.resize(calls_.rfind("  %x"));
      absl::StrAppend(&calls_, "  %x", number, " = add i64 %small64, 0\n");
    }
    absl::StrAppend(&calls_, "  %r", number, " = call ", convention, " ", result, " @f", number,
                    "(", a.passed, a.in_call, " ", address(0), ", ", b.passed, b.in_call, " ",
                    address(1), ", ", c.passed, c.in_call, " ", address(2), ", ", n.passed,
                    n.in_call, " %small, ", x.passed, x.in_call, " %x", number, ")",
                    CallAttributes(random_), "\n");
    if (is_number) {
      absl::StrAppend(&calls_,
                      absl::Substitute("  %w$0 = fptosi $1 %r$0 to i64\n", number, element));
    } else if (element == "i64") {
      absl::StrAppend(&calls_, absl::Substitute("  %w$0 = add i64 %r$0, 0\n", number));
    } else {
      absl::StrAppend(&calls_, absl::Substitute("  %w$0 = sext $1 %r$0 to i64\n", number, element));
    }
    MixResult(number);
  }

  void AddIntegerFunction(std::string* text, int number) {
    const std::string element = OneOf(random_, {"i8", "i16", "i32", "i64"});
    AddLoopFunction(text, number, element, "@integers", {},
                    IntegerLoopBody(element, scalars_, random_));
  }

  void AddNumberFunction(std::string* text, int number) {
    FunctionTraits traits;
    traits.has_numbers = true;
    traits.is_exact = OnceIn(random_, 2);
    const bool is_float = OnceIn(random_, 2);
    const std::string element = is_float ? "float" : "double";
    AddLoopFunction(text, number, element, is_float ? "@floats" : "@doubles", traits,
                    NumberLoopBody(element, traits.is_exact, random_));
  }

  void AddScalarFunction(std::string* text, int number) {
    const std::string convention = CallingConvention("i64", random_);
    FunctionTraits traits;
    traits.is_pure = true;
    const std::string name = absl::StrCat("@f", number);
    absl::StrAppend(text, "define internal ", convention, " i64 ", name, "(i64 noundef %x, i64 %y)",
                    FunctionAttributes(traits, random_), " {\nentry:\n",
                    ScalarBody(scalars_, random_), "}\n");
    scalars_.push_back({absl::StrCat(convention, " i64"), name});
    absl::StrAppend(&calls_, "  %w", number, " = call ", convention, " i64 ", name,
                    "(i64 %small64, i64 %result", results_, ")", CallAttributes(random_), "\n");
    MixResult(number);
  }

  void MixResult(int number) {
    absl::StrAppend(&calls_, "  %result", results_ + 1, " = call i64 @mix(i64 %result", results_,
                    ", i64 %w", number, ")\n");
    ++results_;
  }

  std::string Main() const {
    return absl::StrReplaceAll(R"(
define i32 @main()$CPU {
entry:
  br label %loop
loop:
  %round = phi i64 [ 0, %entry ], [ %next, %latch ]
  %before = phi i64 [ 14695981039346656037, %entry ], [ %after, %latch ]
  %steps = mul i64 %round, 37
  %steps1 = add i64 %steps, 11
  %small64 = urem i64 %steps1, 100
  %small = trunc i64 %small64 to i32
  %helped = call i64 @helpers(i64 %small64)
  %result0 = call i64 @mix(i64 %before, i64 %helped)
CALLS
  %next = add i64 %round, 1
  %rest = urem i64 %next, REPORT
  %is_time = icmp eq i64 %rest, 0
  br i1 %is_time, label %tell, label %latch
tell:
  %told = call i64 @report(i64 %resultLAST)
  br label %latch
latch:
  %after = phi i64 [ %resultLAST, %loop ], [ %told, %tell ]
  %more = icmp ult i64 %next, ROUNDS
  br i1 %more, label %loop, label %end
end:
  %low = and i64 %after, 63
  %status = trunc i64 %low to i32
  ret i32 %status
}
)",
                               {{"$CPU", kCpuAttributes},
                                {"CALLS", calls_},
                                {"REPORT", absl::StrCat(kReportRounds)},
                                {"ROUNDS", absl::StrCat(kRounds)},
                                {"LAST", absl::StrCat(results_)}});
  }

  Random& random_;
  std::vector<ScalarFunction> scalars_;
  std::string calls_;  // Of main.
  int results_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<llvm::Module>> MakeAttributeProgram(uint32_t seed,
                                                                   llvm::LLVMContext& context) {
  Random random(seed * 2654435761u + 1);
  const std::string text = Writer(random).Program();
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> program =
      llvm::parseAssembly(llvm::MemoryBufferRef(text, "attributes"), diagnostic, context);
  if (program == nullptr) {
    return absl::InternalError(
        absl::StrCat("parse program with attributes: ", diagnostic.getMessage().str(), ": ",
                     diagnostic.getLineContents().str()));
  }
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (llvm::verifyModule(*program, &stream)) {
    return absl::InternalError(absl::StrCat("verify program with attributes: ", reason));
  }
  return program;
}

}  // namespace firstcall::testing
