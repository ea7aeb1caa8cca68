#include "tests/bitcode/samples.h"

#include "absl/strings/str_cat.h"

namespace firstcall::testing {

std::vector<Sample> AllSamples() {
  std::vector<Sample> all;
  for (absl::Span<const Sample> some : {InstructionSamples(), CallSamples(), ConstantSamples(),
                                        GlobalSamples(), MetadataSamples()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

absl::string_view TripleOf(SampleTarget target) {
  return target == SampleTarget::kX86_64 ? "x86_64-pc-linux-gnu" : "aarch64-unknown-linux-gnu";
}

absl::string_view LayoutOf(SampleTarget target) {
  return target == SampleTarget::kX86_64
             ? "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
             : "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32";
}

std::string TextFor(const Sample& sample, SampleTarget target) {
  return absl::StrCat("target triple = \"", TripleOf(target), "\"\ntarget datalayout = \"",
                      LayoutOf(target), "\"\n", sample.text);
}

}  // namespace firstcall::testing
