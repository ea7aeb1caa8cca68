#include "ir/constrained.h"

#include <cstddef>
#include <iterator>

#include "absl/strings/match.h"

namespace firstcall::ir {
namespace {

constexpr IntrinsicId kFirst = IntrinsicId::kConstrainedAcos;
constexpr IntrinsicId kLast = IntrinsicId::kConstrainedUitofp;

// By number, from kFirst on.
constexpr ConstrainedOperation kOperations[] = {
    {Opcode::kCall, IntrinsicId::kAcos, 1, true, false},
    {Opcode::kCall, IntrinsicId::kAsin, 1, true, false},
    {Opcode::kCall, IntrinsicId::kAtan, 1, true, false},
    {Opcode::kCall, IntrinsicId::kCeil, 1, false, false},
    {Opcode::kCall, IntrinsicId::kCos, 1, true, false},
    {Opcode::kCall, IntrinsicId::kCosh, 1, true, false},
    {Opcode::kCall, IntrinsicId::kExp, 1, true, false},
    {Opcode::kCall, IntrinsicId::kExp2, 1, true, false},
    {Opcode::kFAdd, IntrinsicId::kNone, 2, true, false},   // fadd
    {Opcode::kFCmp, IntrinsicId::kNone, 2, false, false},  // fcmp
    {Opcode::kFCmp, IntrinsicId::kNone, 2, false, true},   // fcmps
    {Opcode::kFDiv, IntrinsicId::kNone, 2, true, false},   // fdiv
    {Opcode::kCall, IntrinsicId::kFloor, 1, false, false},
    {Opcode::kCall, IntrinsicId::kFma, 3, true, false},
    {Opcode::kFMul, IntrinsicId::kNone, 2, true, false},  // fmul
    {Opcode::kCall, IntrinsicId::kFmuladd, 3, true, false},
    {Opcode::kFPExt, IntrinsicId::kNone, 1, false, false},   // fpext
    {Opcode::kFPToSI, IntrinsicId::kNone, 1, false, false},  // fptosi
    {Opcode::kFPToUI, IntrinsicId::kNone, 1, false, false},  // fptoui
    {Opcode::kFPTrunc, IntrinsicId::kNone, 1, true, false},  // fptrunc
    {Opcode::kFRem, IntrinsicId::kNone, 2, true, false},     // frem
    {Opcode::kFSub, IntrinsicId::kNone, 2, true, false},     // fsub
    {Opcode::kCall, IntrinsicId::kLdexp, 2, true, false},
    {Opcode::kCall, IntrinsicId::kLlrint, 1, true, false},
    {Opcode::kCall, IntrinsicId::kLlround, 1, false, false},
    {Opcode::kCall, IntrinsicId::kLog, 1, true, false},
    {Opcode::kCall, IntrinsicId::kLog10, 1, true, false},
    {Opcode::kCall, IntrinsicId::kLog2, 1, true, false},
    {Opcode::kCall, IntrinsicId::kLrint, 1, true, false},
    {Opcode::kCall, IntrinsicId::kLround, 1, false, false},
    {Opcode::kCall, IntrinsicId::kMaxnum, 2, false, false},
    {Opcode::kCall, IntrinsicId::kMinnum, 2, false, false},
    {Opcode::kCall, IntrinsicId::kNearbyint, 1, true, false},
    {Opcode::kCall, IntrinsicId::kPow, 2, true, false},
    {Opcode::kCall, IntrinsicId::kRint, 1, true, false},
    {Opcode::kCall, IntrinsicId::kRound, 1, false, false},
    {Opcode::kCall, IntrinsicId::kRoundeven, 1, false, false},
    {Opcode::kCall, IntrinsicId::kSin, 1, true, false},
    {Opcode::kCall, IntrinsicId::kSinh, 1, true, false},
    {Opcode::kSIToFP, IntrinsicId::kNone, 1, true, false},  // sitofp
    {Opcode::kCall, IntrinsicId::kSqrt, 1, true, false},
    {Opcode::kCall, IntrinsicId::kTan, 1, true, false},
    {Opcode::kCall, IntrinsicId::kTanh, 1, true, false},
    {Opcode::kCall, IntrinsicId::kTrunc, 1, false, false},
    {Opcode::kUIToFP, IntrinsicId::kNone, 1, true, false},  // uitofp
};
static_assert(std::size(kOperations) ==
              static_cast<size_t>(kLast) - static_cast<size_t>(kFirst) + 1);

struct PredicateText {
  absl::string_view text;
  Predicate predicate;
};

constexpr PredicateText kPredicates[] = {
    {"oeq", Predicate::kOeq}, {"ogt", Predicate::kOgt}, {"oge", Predicate::kOge},
    {"olt", Predicate::kOlt}, {"ole", Predicate::kOle}, {"one", Predicate::kOne},
    {"ord", Predicate::kOrd}, {"uno", Predicate::kUno}, {"ueq", Predicate::kUeq},
    {"ugt", Predicate::kUgt}, {"uge", Predicate::kUge}, {"ult", Predicate::kUlt},
    {"ule", Predicate::kUle}, {"une", Predicate::kUne},
};

}  // namespace

bool IsConstrainedName(absl::string_view name) {
  return absl::StartsWith(name, "llvm.experimental.constrained.");
}

const ConstrainedOperation* ConstrainedOperationOf(IntrinsicId intrinsic) {
  if (intrinsic < kFirst || intrinsic > kLast) return nullptr;
  return &kOperations[static_cast<size_t>(intrinsic) - static_cast<size_t>(kFirst)];
}

IntrinsicId PlainIntrinsicOf(IntrinsicId intrinsic) {
  const ConstrainedOperation* const operation = ConstrainedOperationOf(intrinsic);
  return operation == nullptr ? IntrinsicId::kNone : operation->plain;
}

bool FindConstrainedPredicate(absl::string_view text, Predicate& predicate) {
  for (const PredicateText& known : kPredicates) {
    if (known.text != text) continue;
    predicate = known.predicate;
    return true;
  }
  return false;
}

bool IsConstrainedRounding(absl::string_view text) {
  return text == "round.dynamic" || text == "round.tonearest" || text == "round.tonearestaway" ||
         text == "round.downward" || text == "round.upward" || text == "round.towardzero";
}

bool IsConstrainedExceptions(absl::string_view text) {
  return text == "fpexcept.strict" || text == "fpexcept.ignore" || text == "fpexcept.maytrap";
}

}  // namespace firstcall::ir
