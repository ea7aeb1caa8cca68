#include "ir/from_llvm/attribute_reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/string_ref.h"
#include "llvm/ADT/StringRef.h"
#include "third_party/llvm/version/attributes.h"
#include "third_party/llvm/version/captures.h"

namespace firstcall::ir {
namespace {

constexpr uint64_t BitOf(Attribute attribute) { return uint64_t{1} << static_cast<int>(attribute); }

struct Pair {
  llvm::Attribute::AttrKind source;
  Attribute attribute;
};

constexpr Pair kKept[] = {
    {llvm::Attribute::ByVal, Attribute::kByVal},
    {llvm::Attribute::ByRef, Attribute::kByRef},
    {llvm::Attribute::StructRet, Attribute::kStructRet},
    {llvm::Attribute::InAlloca, Attribute::kInAlloca},
    {llvm::Attribute::Preallocated, Attribute::kPreallocated},
    {llvm::Attribute::ElementType, Attribute::kElementType},
    {llvm::Attribute::Nest, Attribute::kNest},
    {llvm::Attribute::InReg, Attribute::kInReg},
    {llvm::Attribute::SExt, Attribute::kSExt},
    {llvm::Attribute::ZExt, Attribute::kZExt},
    {llvm::Attribute::SwiftSelf, Attribute::kSwiftSelf},
    {llvm::Attribute::SwiftError, Attribute::kSwiftError},
    {llvm::Attribute::SwiftAsync, Attribute::kSwiftAsync},
    {llvm::Attribute::Returned, Attribute::kReturned},
    {llvm::Attribute::ImmArg, Attribute::kImmArg},
    {llvm::Attribute::Alignment, Attribute::kAlign},
    {llvm::Attribute::StackAlignment, Attribute::kStackAlignment},
    {llvm::Attribute::Naked, Attribute::kNaked},
    {llvm::Attribute::NoInline, Attribute::kNoInline},
    {llvm::Attribute::AlwaysInline, Attribute::kAlwaysInline},
    {llvm::Attribute::OptimizeNone, Attribute::kOptimizeNone},
    {llvm::Attribute::Cold, Attribute::kCold},
    {llvm::Attribute::NoReturn, Attribute::kNoReturn},
    {llvm::Attribute::NoUnwind, Attribute::kNoUnwind},
    {llvm::Attribute::NoRedZone, Attribute::kNoRedZone},
    {llvm::Attribute::ReturnsTwice, Attribute::kReturnsTwice},
    {llvm::Attribute::UWTable, Attribute::kUWTable},
    {llvm::Attribute::StackProtect, Attribute::kStackProtect},
    {llvm::Attribute::StackProtectReq, Attribute::kStackProtectReq},
    {llvm::Attribute::StackProtectStrong, Attribute::kStackProtectStrong},
    {llvm::Attribute::SafeStack, Attribute::kSafeStack},
    {llvm::Attribute::ShadowCallStack, Attribute::kShadowCallStack},
    {llvm::Attribute::StrictFP, Attribute::kStrictFP},
    {llvm::Attribute::SanitizeAddress, Attribute::kSanitizeAddress},
    {llvm::Attribute::SanitizeHWAddress, Attribute::kSanitizeHWAddress},
    {llvm::Attribute::SanitizeThread, Attribute::kSanitizeThread},
    {llvm::Attribute::SanitizeMemory, Attribute::kSanitizeMemory},
    {llvm::Attribute::SanitizeMemTag, Attribute::kSanitizeMemTag},
    {llvm::Attribute::PresplitCoroutine, Attribute::kPresplitCoroutine},
    {llvm::Attribute::SpeculativeLoadHardening, Attribute::kSpeculativeLoadHardening},
    {llvm::Attribute::FnRetThunkExtern, Attribute::kFnRetThunkExtern},
    {llvm::Attribute::NoBuiltin, Attribute::kNoBuiltin},
    {llvm::Attribute::NoCfCheck, Attribute::kNoCfCheck},
    {llvm::Attribute::NonLazyBind, Attribute::kNonLazyBind},
    {llvm::Attribute::JumpTable, Attribute::kJumpTable},
    {llvm::Attribute::NoMerge, Attribute::kNoMerge},
    {llvm::Attribute::NoDuplicate, Attribute::kNoDuplicate},
    {llvm::Attribute::Convergent, Attribute::kConvergent},
    {llvm::Attribute::NullPointerIsValid, Attribute::kNullPointerIsValid},
    {llvm::Attribute::Memory, Attribute::kMemory},
};

// The code of a function does not depend on these.
constexpr llvm::Attribute::AttrKind kDropped[] = {
    llvm::Attribute::AllocAlign,
    llvm::Attribute::AllocatedPointer,
    llvm::Attribute::Builtin,
    llvm::Attribute::CoroDestroyOnlyWhenComplete,
    llvm::Attribute::DeadOnUnwind,
    llvm::Attribute::DisableSanitizerInstrumentation,
    llvm::Attribute::Hot,
    llvm::Attribute::HybridPatchable,
    llvm::Attribute::InlineHint,
    llvm::Attribute::MinSize,
    llvm::Attribute::MustProgress,
    llvm::Attribute::NoAlias,
    llvm::Attribute::NoCallback,
    llvm::Attribute::NoFree,
    llvm::Attribute::NoImplicitFloat,
    llvm::Attribute::NoProfile,
    llvm::Attribute::NoRecurse,
    llvm::Attribute::NoSanitizeBounds,
    llvm::Attribute::NoSanitizeCoverage,
    llvm::Attribute::NoSync,
    llvm::Attribute::NoUndef,
    llvm::Attribute::NonNull,
    llvm::Attribute::OptForFuzzing,
    llvm::Attribute::OptimizeForDebugging,
    llvm::Attribute::OptimizeForSize,
    llvm::Attribute::ReadNone,
    llvm::Attribute::ReadOnly,
    llvm::Attribute::SanitizeNumericalStability,
    llvm::Attribute::SkipProfile,
    llvm::Attribute::Speculatable,
    llvm::Attribute::WillReturn,
    llvm::Attribute::Writable,
    llvm::Attribute::WriteOnly,
    llvm::Attribute::AllocKind,
    llvm::Attribute::AllocSize,
    llvm::Attribute::Dereferenceable,
    llvm::Attribute::DereferenceableOrNull,
    llvm::Attribute::NoFPClass,
    llvm::Attribute::VScaleRange,
    llvm::Attribute::Range,
    llvm::Attribute::Initializes,
    llvm_version::kCaptureAttribute,
};

// The bits of AttributeSet::kinds that an attribute of LLVM sets, by its kind.
using BitTable = std::array<uint64_t, llvm::Attribute::EndAttrKinds>;
constexpr BitTable MakeBitTable() {
  BitTable table{};
  for (uint64_t& bits : table) bits = BitOf(Attribute::kUnknown);
  for (const Pair& pair : kKept) table[pair.source] = BitOf(pair.attribute);
  for (llvm::Attribute::AttrKind kind : kDropped) table[kind] = 0;
  for (llvm::Attribute::AttrKind kind : llvm_version::kLaterAttributesWithoutCode) table[kind] = 0;
  return table;
}
constexpr BitTable kBits = MakeBitTable();

bool IsEmpty(const AttributeSet& set) { return set.kinds == 0 && set.strings.empty(); }

}  // namespace

void AttributeReader::AddTo(const llvm::Attribute& source, AttributeSet& set) {
  const llvm::Attribute::AttrKind kind = source.getKindAsEnum();
  set.kinds |= kBits[kind];
  if (llvm_version::SaysNotCaptured(source)) set.kinds |= BitOf(Attribute::kNoCapture);
  if (kind == llvm::Attribute::Alignment) {
    set.alignment = static_cast<uint32_t>(source.getAlignment().valueOrOne().value());
  } else if (kind == llvm::Attribute::StackAlignment) {
    set.stack_alignment = static_cast<uint32_t>(source.getStackAlignment().valueOrOne().value());
  } else if (source.isTypeAttribute()) {
    const llvm::Type* const type = source.getValueAsType();
    if (type != nullptr) set.type = types_.TypeOf(type);
  }
}

AttributeSet AttributeReader::SetOf(const llvm::AttributeSet& source) {
  AttributeSet set;
  std::vector<StringAttribute> strings;
  for (const llvm::Attribute& attribute : source) {
    if (attribute.isStringAttribute()) {
      strings.push_back(
          {ToStringView(attribute.getKindAsString()), ToStringView(attribute.getValueAsString())});
    } else {
      AddTo(attribute, set);
    }
  }
  if (!strings.empty()) set.strings = module_->storage().Keep(std::move(strings));
  return set;
}

const AttributeList* AttributeReader::Add(const llvm::AttributeList& source) {
  AttributeList* const list = module_->storage().AddAttributes();
  list->function = SetOf(source.getFnAttrs());
  list->result = SetOf(source.getRetAttrs());
  list->anywhere = list->function.kinds | list->result.kinds;
  // The sets of the function and of the result are counted, too.
  const unsigned count = source.getNumAttrSets() < 2 ? 0 : source.getNumAttrSets() - 2;
  list->parameters.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    list->parameters.push_back(SetOf(source.getParamAttrs(i)));
    list->anywhere |= list->parameters.back().kinds;
  }
  while (!list->parameters.empty() && IsEmpty(list->parameters.back())) {
    list->parameters.pop_back();
  }
  lists_.Insert(source.getRawPointer(), list);
  return list;
}

}  // namespace firstcall::ir
