#include "ir/names.h"

#include <cstddef>

namespace firstcall::ir {
namespace {

constexpr absl::string_view kOpcodes[] = {
    "ret",
    "br",
    "switch",
    "indirectbr",
    "invoke",
    "callbr",
    "resume",
    "unreachable",
    "cleanupret",
    "catchret",
    "catchswitch",
    "fneg",
    "add",
    "fadd",
    "sub",
    "fsub",
    "mul",
    "fmul",
    "udiv",
    "sdiv",
    "fdiv",
    "urem",
    "srem",
    "frem",
    "shl",
    "lshr",
    "ashr",
    "and",
    "or",
    "xor",
    "alloca",
    "load",
    "store",
    "getelementptr",
    "fence",
    "cmpxchg",
    "atomicrmw",
    "trunc",
    "zext",
    "sext",
    "fptoui",
    "fptosi",
    "uitofp",
    "sitofp",
    "fptrunc",
    "fpext",
    "ptrtoint",
    "inttoptr",
    "bitcast",
    "addrspacecast",
    "cleanuppad",
    "catchpad",
    "icmp",
    "fcmp",
    "phi",
    "call",
    "select",
    "va_arg",
    "extractelement",
    "insertelement",
    "shufflevector",
    "extractvalue",
    "insertvalue",
    "landingpad",
    "freeze",
};

constexpr absl::string_view kFloatPredicates[] = {
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "uno",   "ueq", "ugt", "uge", "ult", "ule", "une", "true",
};
constexpr absl::string_view kIntegerPredicates[] = {
    "eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle",
};

constexpr absl::string_view kAtomicOperations[] = {
    "xchg", "add",       "sub",       "and",       "nand",     "or",       "xor",
    "max",  "min",       "umax",      "umin",      "fadd",     "fsub",     "fmax",
    "fmin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fmaximum", "fminimum",
};

constexpr absl::string_view kOrderings[] = {
    "not_atomic", "unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst",
};

constexpr absl::string_view kAttributes[] = {
    "byval",
    "byref",
    "sret",
    "inalloca",
    "preallocated",
    "elementtype",
    "nest",
    "inreg",
    "signext",
    "zeroext",
    "swiftself",
    "swifterror",
    "swiftasync",
    "returned",
    "immarg",
    "nocapture",
    "align",
    "alignstack",
    "naked",
    "noinline",
    "alwaysinline",
    "optnone",
    "cold",
    "noreturn",
    "nounwind",
    "noredzone",
    "returns_twice",
    "uwtable",
    "ssp",
    "sspreq",
    "sspstrong",
    "safestack",
    "shadowcallstack",
    "strictfp",
    "sanitize_address",
    "sanitize_hwaddress",
    "sanitize_thread",
    "sanitize_memory",
    "sanitize_memtag",
    "presplitcoroutine",
    "speculative_load_hardening",
    "fn_ret_thunk_extern",
    "nobuiltin",
    "nocf_check",
    "nonlazybind",
    "jumptable",
    "nomerge",
    "noduplicate",
    "convergent",
    "null_pointer_is_valid",
    "unknown",
    "memory",
};

constexpr absl::string_view kGlobalKinds[] = {"function", "variable", "alias", "ifunc"};

constexpr absl::string_view kLinkages[] = {
    "external",  "available_externally",
    "linkonce",  "linkonce_odr",
    "weak",      "weak_odr",
    "appending", "internal",
    "private",   "extern_weak",
    "common",
};

constexpr absl::string_view kVisibilities[] = {"default", "hidden", "protected"};

constexpr absl::string_view kThreadLocalModes[] = {
    "not_thread_local", "general_dynamic", "localdynamic", "initialexec", "localexec",
};

constexpr absl::string_view kUnnamedAddresses[] = {
    "no_unnamed_addr",
    "local_unnamed_addr",
    "unnamed_addr",
};

// A table has a name for each number from 0 to that of the last enumerator.
template <size_t kSize, typename Enumerator>
constexpr bool IsComplete(const absl::string_view (&)[kSize], Enumerator last) {
  return kSize == static_cast<size_t>(last) + 1;
}
static_assert(IsComplete(kOpcodes, Opcode::kFreeze));
static_assert(IsComplete(kFloatPredicates, Predicate::kTrue));
static_assert(IsComplete(kAtomicOperations, AtomicOperation::kFMinimum));
static_assert(IsComplete(kOrderings, Ordering::kSequentiallyConsistent));
static_assert(IsComplete(kAttributes, Attribute::kMemory));
static_assert(IsComplete(kGlobalKinds, GlobalKind::kIfunc));
static_assert(IsComplete(kLinkages, Linkage::kCommon));
static_assert(IsComplete(kVisibilities, Visibility::kProtected));
static_assert(IsComplete(kThreadLocalModes, ThreadLocalMode::kLocalExec));
static_assert(IsComplete(kUnnamedAddresses, UnnamedAddress::kGlobal));

template <size_t kSize, typename Number>
absl::string_view Find(const absl::string_view (&names)[kSize], Number number) {
  const auto index = static_cast<size_t>(number);
  return index < kSize ? names[index] : "unknown";
}

}  // namespace

absl::string_view NameOf(Opcode opcode) { return Find(kOpcodes, opcode); }

absl::string_view NameOf(Predicate predicate) {
  if (predicate < Predicate::kIcmpEq) return Find(kFloatPredicates, predicate);
  return Find(kIntegerPredicates,
              static_cast<size_t>(predicate) - static_cast<size_t>(Predicate::kIcmpEq));
}

absl::string_view NameOf(AtomicOperation operation) { return Find(kAtomicOperations, operation); }
absl::string_view NameOf(Ordering ordering) { return Find(kOrderings, ordering); }
absl::string_view NameOf(Attribute attribute) { return Find(kAttributes, attribute); }
absl::string_view NameOf(GlobalKind kind) { return Find(kGlobalKinds, kind); }
absl::string_view NameOf(Linkage linkage) { return Find(kLinkages, linkage); }
absl::string_view NameOf(Visibility visibility) { return Find(kVisibilities, visibility); }
absl::string_view NameOf(ThreadLocalMode mode) { return Find(kThreadLocalModes, mode); }
absl::string_view NameOf(UnnamedAddress unnamed_address) {
  return Find(kUnnamedAddresses, unnamed_address);
}

}  // namespace firstcall::ir
