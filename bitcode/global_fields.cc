#include "bitcode/global_fields.h"

namespace firstcall::bitcode {

using ir::Linkage;
using ir::ThreadLocalMode;
using ir::UnnamedAddress;
using ir::Visibility;

bool DecodeLinkage(uint64_t number, Linkage& linkage) {
  switch (number) {
    case 0:
      linkage = Linkage::kExternal;
      return true;
    case 2:
      linkage = Linkage::kAppending;
      return true;
    case 3:
      linkage = Linkage::kInternal;
      return true;
    case 7:
      linkage = Linkage::kExternalWeak;
      return true;
    case 8:
      linkage = Linkage::kCommon;
      return true;
    case 9:
      linkage = Linkage::kPrivate;
      return true;
    case 12:
      linkage = Linkage::kAvailableExternally;
      return true;
    case 16:
      linkage = Linkage::kWeakAny;
      return true;
    case 17:
      linkage = Linkage::kWeakOdr;
      return true;
    case 18:
      linkage = Linkage::kLinkOnceAny;
      return true;
    case 19:
      linkage = Linkage::kLinkOnceOdr;
      return true;
    default:
      return false;
  }
}

Visibility VisibilityOf(uint64_t number) {
  return number == 1   ? Visibility::kHidden
         : number == 2 ? Visibility::kProtected
                       : Visibility::kDefault;
}

UnnamedAddress UnnamedAddressOf(uint64_t number) {
  return number == 1   ? UnnamedAddress::kGlobal
         : number == 2 ? UnnamedAddress::kLocal
                       : UnnamedAddress::kNone;
}

ThreadLocalMode ThreadLocalModeOf(uint64_t number) {
  switch (number) {
    case 0:
      return ThreadLocalMode::kNotThreadLocal;
    case 2:
      return ThreadLocalMode::kLocalDynamic;
    case 3:
      return ThreadLocalMode::kInitialExec;
    case 4:
      return ThreadLocalMode::kLocalExec;
    default:
      return ThreadLocalMode::kGeneralDynamic;
  }
}

uint8_t ComdatSelectionOf(uint64_t number) {
  return number >= 1 && number <= 5 ? static_cast<uint8_t>(number) : 1;
}

bool IsImplicitlyDsoLocal(const ir::GlobalTraits& global) {
  return global.HasLocalLinkage() ||
         (global.visibility != Visibility::kDefault && global.linkage != Linkage::kExternalWeak);
}

}  // namespace firstcall::bitcode
