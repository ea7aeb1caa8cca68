// Intrinsics that are one instruction of SSE or SSE2. The baseline code generator and LLVM must
// compute the same.

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/backend/baseline/expect_same.h"
#include "third_party/llvm/version/instructions.h"

namespace firstcall {
namespace {

constexpr const char* kNames[] = {
    "sse.cvtss2si",      "sse.cvtss2si64", "sse.cvttss2si",     "sse.cvttss2si64",
    "sse.max.ps",        "sse.max.ss",     "sse.min.ps",        "sse.min.ss",
    "sse.movmsk.ps",     "sse.rcp.ps",     "sse.rcp.ss",        "sse.rsqrt.ps",
    "sse.rsqrt.ss",      "sse2.cvtpd2dq",  "sse2.cvtps2dq",     "sse2.cvtsd2si",
    "sse2.cvtsd2si64",   "sse2.cvttpd2dq", "sse2.cvttps2dq",    "sse2.cvttsd2si",
    "sse2.cvttsd2si64",  "sse2.max.pd",    "sse2.max.sd",       "sse2.min.pd",
    "sse2.min.sd",       "sse2.movmsk.pd", "sse2.packssdw.128", "sse2.packsswb.128",
    "sse2.packuswb.128", "sse2.pavg.b",    "sse2.pavg.w",       "sse2.pmadd.wd",
    "sse2.pmovmskb.128", "sse2.pmulh.w",   "sse2.pmulhu.w",     "sse2.psad.bw",
    "sse2.psll.d",       "sse2.psll.q",    "sse2.psll.w",       "sse2.pslli.d",
    "sse2.pslli.q",      "sse2.pslli.w",   "sse2.psra.d",       "sse2.psra.w",
    "sse2.psrai.d",      "sse2.psrai.w",   "sse2.psrl.d",       "sse2.psrl.q",
    "sse2.psrl.w",       "sse2.psrli.d",   "sse2.psrli.q",      "sse2.psrli.w",
};

std::string TextOf(const llvm::Type& type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

// A function that calls the intrinsic, and computes a number of all of the result.
std::string ProgramOf(const std::string& name) {
  llvm::LLVMContext context;
  const llvm::Intrinsic::ID id = llvm_version::IntrinsicOfName(name);
  EXPECT_NE(id, llvm::Intrinsic::not_intrinsic) << name;
  const llvm::FunctionType& type = *llvm::Intrinsic::getType(context, id);
  const std::string result = TextOf(*type.getReturnType());
  std::string parameters, arguments, made;
  for (unsigned i = 0; i < type.getNumParams(); ++i) {
    const std::string parameter = TextOf(*type.getParamType(i));
    absl::StrAppend(&parameters, i == 0 ? "" : ", ", parameter);
    absl::StrAppend(&arguments, i == 0 ? "" : ", ", parameter, " %a", i);
    if (parameter == "i32") {
      absl::StrAppend(&made, "  %a", i, " = trunc i64 %j to i32\n");
      continue;
    }
    const char* lanes[] = {"%i", "%j"};
    absl::StrAppend(&made, "  %x", i, " = insertelement <2 x i64> zeroinitializer, i64 ",
                    lanes[i % 2], ", i32 0\n  %y", i, " = insertelement <2 x i64> %x", i, ", i64 ",
                    i == 0 ? "%j" : "7", ", i32 1\n  %a", i, " = bitcast <2 x i64> %y", i, " to ",
                    parameter, "\n");
  }
  std::string folded;
  if (result == "i64") {
    folded = "  ret i64 %r\n";
  } else if (result == "i32") {
    folded = "  %w = sext i32 %r to i64\n  ret i64 %w\n";
  } else {
    folded = absl::StrCat("  %b = bitcast ", result, R"( %r to <2 x i64>
  %p = extractelement <2 x i64> %b, i32 0
  %q = extractelement <2 x i64> %b, i32 1
  %s = mul i64 %q, 3
  %t = xor i64 %p, %s
  ret i64 %t
)");
  }
  return absl::StrCat("declare ", result, " @", name, "(", parameters,
                      ")\ndefine i64 @f(i64 %i, i64 %j) {\n", made, "  %r = call ", result, " @",
                      name, "(", arguments, ")\n", folded, "}\n");
}

TEST(SseIntrinsicsTest, AreWhatTheProcessorHas) {
#ifndef __x86_64__
  GTEST_SKIP() << "only x86-64 has SSE";
#endif
  for (const char* name : kNames) ExpectSame(ProgramOf(absl::StrCat("llvm.x86.", name)));
}

}  // namespace
}  // namespace firstcall
