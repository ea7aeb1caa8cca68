#include "tests/bitcode/samples.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "third_party/llvm/version/data_layout.h"
#include "third_party/llvm/version/version.h"

namespace firstcall::testing {

namespace {

// `text` with what LLVM 22 has in the place of what it no longer has. Kept for ever.
absl::string_view OfThisVersion(absl::string_view text) {
  if (llvm_version::kMajor < 22) return text;
  return *new std::string(
      absl::StrReplaceAll(text, {{"i1 @llvm.coro.end(", "void @llvm.coro.end("},
                                 {"%ended = call", "call"},
                                 {"@llvm.assume(i1 %6) [", "@llvm.assume(i1 true) ["},
                                 {"i64 mul (i64", "i64 add (i64"}}));
}

}  // namespace

std::vector<Sample> AllSamples() {
  std::vector<Sample> all;
  for (absl::Span<const Sample> some : {InstructionSamples(), CallSamples(), ConstantSamples(),
                                        GlobalSamples(), MetadataSamples()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  for (Sample& sample : all) sample.text = OfThisVersion(sample.text);
  return all;
}

absl::string_view TripleOf(SampleTarget target) {
  return target == SampleTarget::kX86_64 ? "x86_64-pc-linux-gnu" : "aarch64-unknown-linux-gnu";
}

absl::string_view LayoutOf(SampleTarget target) {
  return target == SampleTarget::kX86_64 ? llvm_version::kX8664Layout
                                         : llvm_version::kAArch64Layout;
}

std::string TextFor(const Sample& sample, SampleTarget target) {
  return absl::StrCat("target triple = \"", TripleOf(target), "\"\ntarget datalayout = \"",
                      LayoutOf(target), "\"\n", sample.text);
}

}  // namespace firstcall::testing
