// Conversion between the two libraries' views of text.

#ifndef FIRSTCALL_BASE_STRING_REF_H_
#define FIRSTCALL_BASE_STRING_REF_H_

#include "absl/strings/string_view.h"
#include "llvm/ADT/StringRef.h"

namespace firstcall {

inline llvm::StringRef ToStringRef(absl::string_view text) { return {text.data(), text.size()}; }
inline absl::string_view ToStringView(llvm::StringRef text) { return {text.data(), text.size()}; }

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_STRING_REF_H_
