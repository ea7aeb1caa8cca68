// Whether a function keeps or passes on a pointer: LLVM 19 tells that it is captured, LLVM 22 which
// parts of it are.
//
// Not thread-safe: a module is for one thread at a time.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_CAPTURES_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_CAPTURES_H_

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Use.h"
#include "llvm/IR/Value.h"

namespace firstcall::llvm_version {

// Whether LLVM takes comparisons with null of some addresses for captures. LLVM 22 tells apart what
// only finds out whether a pointer is null.
constexpr bool kNullComparisonsMayCapture = LLVM_VERSION_MAJOR < 21;

// Whether the function may store any part of `pointer`, pass it on, or return it. That the function
// finds out whether the pointer is null does not count, but where kNullComparisonsMayCapture.
inline bool MayBeCaptured(const llvm::Value& pointer) {
#if LLVM_VERSION_MAJOR >= 21
  const auto captures_more = [](llvm::CaptureComponents captured) {
    return (captured & ~llvm::CaptureComponents::AddressIsNull) != llvm::CaptureComponents::None;
  };
  return captures_more(llvm::PointerMayBeCaptured(&pointer, /*ReturnCaptures=*/true,
                                                  llvm::CaptureComponents::All, captures_more));
#else
  return llvm::PointerMayBeCaptured(&pointer, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
#endif
}

// Is told by llvm::PointerMayBeCaptured of each use that captures.
class CaptureTracker : public llvm::CaptureTracker {
 public:
  // Called for a use that captures. Returns whether tracking may end. If not, tracking goes on with
  // the other uses, but not with those of the result of the instruction that `use` belongs to.
  virtual bool IsLastCapture(const llvm::Use& use) = 0;

#if LLVM_VERSION_MAJOR >= 21
  Action captured(const llvm::Use* use, llvm::UseCaptureInfo) final {
    return IsLastCapture(*use) ? Stop : ContinueIgnoringReturn;
  }
#else
  bool captured(const llvm::Use* use) final { return IsLastCapture(*use); }
#endif
};

// The attribute of a parameter that says what the function captures of it.
constexpr llvm::Attribute::AttrKind kCaptureAttribute =
#if LLVM_VERSION_MAJOR >= 21
    llvm::Attribute::Captures;
#else
    llvm::Attribute::NoCapture;
#endif

// Whether `attribute` says that the function captures nothing.
inline bool SaysNotCaptured(const llvm::Attribute& attribute) {
  if (attribute.isStringAttribute() || attribute.getKindAsEnum() != kCaptureAttribute) return false;
#if LLVM_VERSION_MAJOR >= 21
  return llvm::capturesNothing(attribute.getCaptureInfo());
#else
  return true;
#endif
}

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_CAPTURES_H_
