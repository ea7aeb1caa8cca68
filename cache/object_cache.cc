#include "cache/object_cache.h"

#include "absl/strings/str_cat.h"

namespace firstcall {

std::string ModulePart::ToString() const {
  switch (kind) {
    case Kind::kModule:
      return "module";
    case Kind::kIndex:
      return "index";
    case Kind::kData:
      return "data";
    case Kind::kFunction:
      return absl::StrCat("function ", ordinal.value);
    case Kind::kOptimizedBody:
      return absl::StrCat("optimized body ", ordinal.value);
    case Kind::kContinuation:
      return absl::StrCat("continuation ", ordinal.value, " at loop ", loop);
    case Kind::kStart:
      return "start";
    case Kind::kBodies:
      return "bodies";
    case Kind::kLastVersion:
      return "last version";
    case Kind::kDebuggerFunction:
      return absl::StrCat("function ", ordinal.value, " for a debugger");
    case Kind::kDebuggerStart:
      return "start for a debugger";
    case Kind::kLabels:
      return "labels";
    case Kind::kEntryPoint:
      break;
  }
  return absl::StrCat("entry point ", ordinal.value);
}

}  // namespace firstcall
