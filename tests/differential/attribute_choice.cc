#include "tests/differential/attribute_choice.h"

#include "absl/strings/str_cat.h"

namespace firstcall::testing {
namespace {

void MayAppend(std::string* text, Random& random, unsigned once_in,
               const std::vector<const char*>& choices) {
  if (OnceIn(random, once_in)) absl::StrAppend(text, " ", OneOf(random, choices));
}

// Attributes on which optimized code is not for another CPU.
const std::vector<const char*>& OtherAttributes() {
  static const auto* const attributes = new std::vector<const char*>{
      "\"zero-call-used-regs\"=\"all\"",
      "\"zero-call-used-regs\"=\"used\"",
      "\"zero-call-used-regs\"=\"all-gpr\"",
      "\"zero-call-used-regs\"=\"used-arg\"",
      "\"patchable-function-entry\"=\"2\"",
      "\"stackrealign\"",
      "\"unknown-attribute\"=\"1\"",
      "alignstack(64)",
      "nocf_check",
      "noprofile",
  };
  return *attributes;
}

}  // namespace

const char* OneOf(Random& random, const std::vector<const char*>& choices) {
  return choices[random() % choices.size()];
}

bool OnceIn(Random& random, unsigned n) { return random() % n == 0; }

std::string FunctionAttributes(const FunctionTraits& traits, Random& random) {
  std::string text = " nounwind";
  if (traits.may_not_inline) {
    MayAppend(&text, random, 2, {"noinline", "noinline", "alwaysinline", "inlinehint"});
  }
  MayAppend(&text, random, 6, {"cold", "hot"});
  MayAppend(&text, random, 5, {"ssp", "sspstrong", "sspreq"});
  MayAppend(&text, random, 6, {"optsize", "minsize optsize"});
  MayAppend(&text, random, 3, {"uwtable", "uwtable(sync)"});
  MayAppend(&text, random, 4, {"mustprogress"});
  MayAppend(&text, random, 4, {"norecurse"});
  MayAppend(&text, random, 6, {"noredzone"});
  MayAppend(&text, random, 6, {"null_pointer_is_valid"});
  if (traits.is_pure) {
    MayAppend(&text, random, 2, {"memory(none)", "memory(read)"});
    MayAppend(&text, random, 3,
              {"willreturn", "willreturn nosync nofree nocallback",
               "willreturn speculatable memory(none)"});
  }
  MayAppend(&text, random, 3,
            {"\"frame-pointer\"=\"all\"", "\"frame-pointer\"=\"non-leaf\"",
             "\"frame-pointer\"=\"none\""});
  MayAppend(&text, random, 5, {"\"no-jump-tables\"=\"true\""});
  MayAppend(&text, random, 5, {"\"disable-tail-calls\"=\"true\""});
  MayAppend(&text, random, 4,
            {"\"probe-stack\"=\"inline-asm\"",
             "\"probe-stack\"=\"inline-asm\" \"stack-probe-size\"=\"4096\""});
  MayAppend(&text, random, 3, {"\"stack-protector-buffer-size\"=\"8\""});
  MayAppend(&text, random, 3,
            {"\"min-legal-vector-width\"=\"0\"", "\"min-legal-vector-width\"=\"128\""});
  MayAppend(&text, random, 5,
            {"\"prefer-vector-width\"=\"128\"", "\"prefer-vector-width\"=\"256\"",
             "\"prefer-vector-width\"=\"512\""});
  MayAppend(&text, random, 8, {"\"no-builtins\"", "\"no-builtin-memcpy\""});
  MayAppend(&text, random, 8, {"\"no-inline-line-tables\""});
  if (traits.has_numbers) {
    MayAppend(&text, random, 2, {"\"no-trapping-math\"=\"true\""});
    MayAppend(&text, random, 6,
              {"\"less-precise-fpmad\"=\"false\"", "\"less-precise-fpmad\"=\"true\""});
  }
  if (traits.is_exact) {
    MayAppend(&text, random, 3,
              {"\"unsafe-fp-math\"=\"true\"", "\"no-nans-fp-math\"=\"true\"",
               "\"no-infs-fp-math\"=\"true\" \"no-nans-fp-math\"=\"true\"",
               "\"no-signed-zeros-fp-math\"=\"true\" \"approx-func-fp-math\"=\"true\""});
  }
  MayAppend(&text, random, 5, OtherAttributes());
  return text + kCpuAttributes;
}

ParameterAttributes AttributesOfParameter(absl::string_view type, bool is_read, Random& random) {
  ParameterAttributes attributes;
  attributes.passed = std::string(type);
  std::string& declared = attributes.declared;
  std::string& in_call = attributes.in_call;
  MayAppend(&declared, random, 2, {"noundef"});
  MayAppend(&in_call, random, 2, {"noundef"});
  if (type == "ptr") {
    MayAppend(&declared, random, 2, {"noalias"});
    MayAppend(&declared, random, 3, {"nocapture"});
    MayAppend(&declared, random, 3, {"nonnull"});
    MayAppend(&declared, random, 3,
              {"dereferenceable(1024)", "dereferenceable(64)", "dereferenceable_or_null(1024)"});
    MayAppend(&declared, random, 3, {"align 64", "align 16", "align 8"});
    MayAppend(&declared, random, 4, {"nofree"});
    if (is_read) {
      MayAppend(&declared, random, 2, {"readonly"});
    } else {
      MayAppend(&declared, random, 5, {"writable dereferenceable(1024)"});
    }
    MayAppend(&in_call, random, 3, {"nonnull", "dereferenceable(1024)", "align 64"});
  } else if (type == "float" || type == "double") {
    MayAppend(&declared, random, 3, {"nofpclass(nan)", "nofpclass(nan inf)"});
  } else {
    if (type == "i8" || type == "i16" || type == "i32") {
      MayAppend(&attributes.passed, random, 2, {"zeroext", "signext"});
    }
    if (OnceIn(random, 4)) absl::StrAppend(&declared, " range(", type, " 0, 100)");
    MayAppend(&attributes.passed, random, 20, {"inreg"});
  }
  return attributes;
}

std::string CallAttributes(Random& random) {
  std::string text;
  MayAppend(&text, random, 3, {"nounwind"});
  MayAppend(&text, random, 8, {"cold", "hot", "nomerge", "noinline", "nobuiltin", "nosync"});
  return text;
}

std::string CallingConvention(absl::string_view result, Random& random) {
  if ((result == "i64" || result == "i32") && OnceIn(random, 6)) {
    return OneOf(random, {"coldcc", "preserve_allcc"});
  }
  return OneOf(random, {"ccc", "ccc", "ccc", "ccc", "fastcc", "fastcc", "preserve_mostcc", "tailcc",
                        "swiftcc", "swifttailcc"});
}

}  // namespace firstcall::testing
