#include "backend/llvm/compared_constructs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "third_party/llvm/version/captures.h"

namespace firstcall {
namespace {

using llvm::Attribute;

constexpr Attribute::AttrKind kFunctionAttributes[] = {
    Attribute::AllocKind,
    Attribute::AllocSize,
    Attribute::AlwaysInline,
    Attribute::Builtin,
    Attribute::Cold,
    Attribute::Hot,
    Attribute::InlineHint,
    Attribute::Memory,
    Attribute::MinSize,
    Attribute::MustProgress,
    Attribute::NoBuiltin,
    Attribute::NoCallback,
    Attribute::NoFree,
    Attribute::NoInline,
    Attribute::NoMerge,
    Attribute::NoRecurse,
    Attribute::NoRedZone,
    Attribute::NoReturn,
    Attribute::NoSync,
    Attribute::NoUnwind,
    Attribute::NonLazyBind,
    Attribute::NullPointerIsValid,
    Attribute::OptimizeForSize,
    Attribute::Speculatable,
    Attribute::StackProtect,
    Attribute::StackProtectReq,
    Attribute::StackProtectStrong,
    Attribute::UWTable,
    Attribute::WillReturn,
};

constexpr Attribute::AttrKind kValueAttributes[] = {
    Attribute::Alignment,
    Attribute::AllocatedPointer,
    Attribute::AllocAlign,
    Attribute::ByVal,
    Attribute::DeadOnUnwind,
    Attribute::Dereferenceable,
    Attribute::DereferenceableOrNull,
    Attribute::ImmArg,
    Attribute::NoAlias,
    llvm_version::kCaptureAttribute,
    Attribute::NoFPClass,
    Attribute::NoFree,
    Attribute::NoUndef,
    Attribute::NonNull,
    Attribute::Range,
    Attribute::ReadNone,
    Attribute::ReadOnly,
    Attribute::Returned,
    Attribute::SExt,
    Attribute::StructRet,
    Attribute::SwiftError,
    Attribute::SwiftSelf,
    Attribute::Writable,
    Attribute::WriteOnly,
    Attribute::ZExt,
};

// Those whose names begin with "no-builtin-" and "firstcall-" are as harmless.
constexpr llvm::StringLiteral kNames[] = {
    "alloc-family",
    "approx-func-fp-math",
    "disable-tail-calls",
    "frame-pointer",
    "less-precise-fpmad",
    "min-legal-vector-width",
    "no-builtins",
    "no-infs-fp-math",
    "no-inline-line-tables",
    "no-jump-tables",
    "no-nans-fp-math",
    "no-signed-zeros-fp-math",
    "no-trapping-math",
    "prefer-vector-width",
    "probe-stack",
    "stack-probe-size",
    "stack-protector-buffer-size",
    "target-cpu",
    "target-features",
    "tune-cpu",
    "unsafe-fp-math",
};
constexpr llvm::StringLiteral kPrefixes[] = {"firstcall-", "no-builtin-"};

constexpr llvm::Intrinsic::ID kIntrinsics[] = {
    // Integers.
    llvm::Intrinsic::abs,
    llvm::Intrinsic::bitreverse,
    llvm::Intrinsic::bswap,
    llvm::Intrinsic::ctlz,
    llvm::Intrinsic::ctpop,
    llvm::Intrinsic::cttz,
    llvm::Intrinsic::fshl,
    llvm::Intrinsic::fshr,
    llvm::Intrinsic::sadd_sat,
    llvm::Intrinsic::sadd_with_overflow,
    llvm::Intrinsic::smax,
    llvm::Intrinsic::smin,
    llvm::Intrinsic::smul_with_overflow,
    llvm::Intrinsic::ssub_sat,
    llvm::Intrinsic::ssub_with_overflow,
    llvm::Intrinsic::uadd_sat,
    llvm::Intrinsic::uadd_with_overflow,
    llvm::Intrinsic::umax,
    llvm::Intrinsic::umin,
    llvm::Intrinsic::umul_with_overflow,
    llvm::Intrinsic::usub_sat,
    llvm::Intrinsic::usub_with_overflow,
    // Floating-point numbers.
    llvm::Intrinsic::ceil,
    llvm::Intrinsic::copysign,
    llvm::Intrinsic::cos,
    llvm::Intrinsic::exp,
    llvm::Intrinsic::exp2,
    llvm::Intrinsic::fabs,
    llvm::Intrinsic::floor,
    llvm::Intrinsic::fma,
    llvm::Intrinsic::fmuladd,
    llvm::Intrinsic::is_fpclass,
    llvm::Intrinsic::llrint,
    llvm::Intrinsic::llround,
    llvm::Intrinsic::log,
    llvm::Intrinsic::log10,
    llvm::Intrinsic::log2,
    llvm::Intrinsic::lrint,
    llvm::Intrinsic::lround,
    llvm::Intrinsic::maximum,
    llvm::Intrinsic::maxnum,
    llvm::Intrinsic::minimum,
    llvm::Intrinsic::minnum,
    llvm::Intrinsic::nearbyint,
    llvm::Intrinsic::pow,
    llvm::Intrinsic::rint,
    llvm::Intrinsic::round,
    llvm::Intrinsic::sin,
    llvm::Intrinsic::sqrt,
    llvm::Intrinsic::trunc,
    // Vectors.
    llvm::Intrinsic::vector_reduce_add,
    llvm::Intrinsic::vector_reduce_and,
    llvm::Intrinsic::vector_reduce_fadd,
    llvm::Intrinsic::vector_reduce_fmul,
    llvm::Intrinsic::vector_reduce_mul,
    llvm::Intrinsic::vector_reduce_or,
    llvm::Intrinsic::vector_reduce_smax,
    llvm::Intrinsic::vector_reduce_smin,
    llvm::Intrinsic::vector_reduce_umax,
    llvm::Intrinsic::vector_reduce_umin,
    llvm::Intrinsic::vector_reduce_xor,
    // Memory.
    llvm::Intrinsic::memcpy,
    llvm::Intrinsic::memcpy_inline,
    llvm::Intrinsic::memmove,
    llvm::Intrinsic::memset,
    llvm::Intrinsic::prefetch,
    llvm::Intrinsic::stackrestore,
    llvm::Intrinsic::stacksave,
    llvm::Intrinsic::threadlocal_address,
    // No code is generated for most of these.
    llvm::Intrinsic::annotation,
    llvm::Intrinsic::assume,
    llvm::Intrinsic::dbg_assign,
    llvm::Intrinsic::dbg_declare,
    llvm::Intrinsic::dbg_label,
    llvm::Intrinsic::dbg_value,
    llvm::Intrinsic::donothing,
    llvm::Intrinsic::expect,
    llvm::Intrinsic::expect_with_probability,
    llvm::Intrinsic::experimental_noalias_scope_decl,
    llvm::Intrinsic::invariant_end,
    llvm::Intrinsic::invariant_start,
    llvm::Intrinsic::is_constant,
    llvm::Intrinsic::launder_invariant_group,
    llvm::Intrinsic::lifetime_end,
    llvm::Intrinsic::lifetime_start,
    llvm::Intrinsic::objectsize,
    llvm::Intrinsic::ptr_annotation,
    llvm::Intrinsic::sideeffect,
    llvm::Intrinsic::strip_invariant_group,
    llvm::Intrinsic::var_annotation,
    // Calls and frames.
    llvm::Intrinsic::debugtrap,
    llvm::Intrinsic::eh_typeid_for,
    llvm::Intrinsic::frameaddress,
    llvm::Intrinsic::returnaddress,
    llvm::Intrinsic::trap,
    llvm::Intrinsic::ubsantrap,
    llvm::Intrinsic::vacopy,
    llvm::Intrinsic::vaend,
    llvm::Intrinsic::vastart,
};

constexpr unsigned kMostIntegerBits = 128;
constexpr uint64_t kMostVectorBits = 2048;

bool IsComparedElement(const llvm::Type* type) {
  return type->isIntegerTy(1) || type->isIntegerTy(8) || type->isIntegerTy(16) ||
         type->isIntegerTy(32) || type->isIntegerTy(64) || type->isFloatTy() ||
         type->isDoubleTy() || (type->isPointerTy() && type->getPointerAddressSpace() == 0);
}

// Remembers what it has seen, because most instructions share few types and attributes.
class Comparison {
 public:
  explicit Comparison(const llvm::DataLayout& layout) : layout_(layout) {}

  bool Has(const llvm::Function& function) {
    return !function.hasGC() && !function.hasPrologueData() && Has(function.getAttributes()) &&
           llvm::all_of(function.args(),
                        [&](const llvm::Argument& argument) { return Has(argument.getType()); }) &&
           llvm::all_of(llvm::instructions(function),
                        [&](const llvm::Instruction& instruction) { return Has(instruction); });
  }

 private:
  bool Has(llvm::Type* type) {
    if (types_.contains(type)) return true;
    if (!HasNew(type)) return false;
    types_.insert(type);
    return true;
  }

  bool HasNew(llvm::Type* type) {
    switch (type->getTypeID()) {
      case llvm::Type::VoidTyID:
      case llvm::Type::LabelTyID:
      case llvm::Type::MetadataTyID:
      case llvm::Type::FloatTyID:
      case llvm::Type::DoubleTyID:
      case llvm::Type::X86_FP80TyID:
        return true;
      case llvm::Type::IntegerTyID:
        return type->getIntegerBitWidth() <= kMostIntegerBits;
      case llvm::Type::PointerTyID:  // Pointers of other address spaces may have other sizes.
        return type->getPointerAddressSpace() == 0;
      case llvm::Type::FixedVectorTyID:
        return IsComparedElement(type->getScalarType()) &&
               layout_.getTypeSizeInBits(type).getFixedValue() <= kMostVectorBits;
      case llvm::Type::FunctionTyID:
      case llvm::Type::StructTyID:
      case llvm::Type::ArrayTyID:
        return llvm::all_of(type->subtypes(), [&](llvm::Type* part) { return Has(part); });
      default:
        return false;
    }
  }

  bool Has(const llvm::AttributeList& attributes) {
    if (attributes.isEmpty() || attributes_.contains(attributes.getRawPointer())) return true;
    for (const unsigned index : attributes.indexes()) {
      const bool is_function = index == llvm::AttributeList::FunctionIndex;
      for (const Attribute attribute : attributes.getAttributes(index)) {
        if (!Has(attribute, is_function)) return false;
      }
    }
    attributes_.insert(attributes.getRawPointer());
    return true;
  }

  static bool Has(const Attribute& attribute, bool is_function) {
    if (attribute.isStringAttribute()) {
      static const auto* const names = [] {
        auto* set = new llvm::StringSet<>();
        for (const llvm::StringRef name : kNames) set->insert(name);
        return set;
      }();
      const llvm::StringRef name = attribute.getKindAsString();
      return is_function &&
             (names->contains(name) || llvm::any_of(kPrefixes, [&](llvm::StringRef prefix) {
                return name.starts_with(prefix);
              }));
    }
    const Attribute::AttrKind kind = attribute.getKindAsEnum();
    return is_function ? llvm::is_contained(kFunctionAttributes, kind)
                       : llvm::is_contained(kValueAttributes, kind);
  }

  bool Has(const llvm::Instruction& instruction) {
    return HasOpcode(instruction) && Has(instruction.getType()) &&
           llvm::all_of(instruction.operands(),
                        [&](const llvm::Use& operand) { return HasOperand(*operand); });
  }

  bool HasOpcode(const llvm::Instruction& instruction) {
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Call:
      case llvm::Instruction::Invoke:
        return HasCall(llvm::cast<llvm::CallBase>(instruction));
      case llvm::Instruction::AtomicRMW: {
        const auto operation = llvm::cast<llvm::AtomicRMWInst>(instruction).getOperation();
        return operation <= llvm::AtomicRMWInst::UMin;  // No floating-point numbers.
      }
      case llvm::Instruction::CallBr:
      case llvm::Instruction::CatchPad:
      case llvm::Instruction::CatchRet:
      case llvm::Instruction::CatchSwitch:
      case llvm::Instruction::CleanupPad:
      case llvm::Instruction::CleanupRet:
      case llvm::Instruction::VAArg:
        return false;
      default:
        return true;
    }
  }

  bool HasCall(const llvm::CallBase& call) {
    const llvm::Intrinsic::ID intrinsic = call.getIntrinsicID();
    if (intrinsic == llvm::Intrinsic::assume) return true;  // It may have any operand bundles.
    if (call.hasOperandBundles()) return false;
    if (intrinsic != llvm::Intrinsic::not_intrinsic) {
      return llvm::is_contained(kIntrinsics, intrinsic);
    }
    const llvm::Function* callee = call.getCalledFunction();
    return Has(call.getAttributes()) && (callee == nullptr || Has(callee->getAttributes()));
  }

  // A constant expression may convert from what has another type.
  bool HasOperand(const llvm::Value& operand) {
    if (!Has(operand.getType())) return false;
    const auto* constant = llvm::dyn_cast<llvm::Constant>(&operand);
    if (constant == nullptr || llvm::isa<llvm::GlobalValue>(constant) ||
        constant->getNumOperands() == 0 || !constants_.insert(constant).second) {
      return true;
    }
    return llvm::all_of(constant->operands(),
                        [&](const llvm::Use& part) { return HasOperand(*part); });
  }

  const llvm::DataLayout& layout_;
  llvm::SmallPtrSet<llvm::Type*, 16> types_;
  llvm::SmallPtrSet<const llvm::Constant*, 16> constants_;
  llvm::SmallPtrSet<void*, 16> attributes_;
};

}  // namespace

bool HasOnlyCompared(const llvm::Function& function) {
  return Comparison(function.getParent()->getDataLayout()).Has(function);
}

absl::Span<const Attribute::AttrKind> ComparedFunctionAttributes() { return kFunctionAttributes; }

absl::Span<const Attribute::AttrKind> ComparedValueAttributes() { return kValueAttributes; }

absl::Span<const llvm::StringLiteral> ComparedAttributeNames() { return kNames; }

absl::Span<const llvm::Intrinsic::ID> ComparedIntrinsics() { return kIntrinsics; }

}  // namespace firstcall
