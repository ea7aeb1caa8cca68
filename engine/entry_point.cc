#include "engine/entry_point.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "llvm/IR/Function.h"

namespace firstcall {

absl::StatusOr<EntryPoint> EntryPoint::Create(const llvm::Function& function) {
  const llvm::FunctionType& type = *function.getFunctionType();
  const auto wrong = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("entry function '", function.getName().str(),
                                                   "' cannot be called as main: ", what));
  };
  if (type.isVarArg()) return wrong("it takes variable arguments");
  if (type.getNumParams() > 3) return wrong("it takes more than three arguments");
  if (type.getNumParams() > 0 && !type.getParamType(0)->isIntegerTy(32)) {
    return wrong("its first argument is not an i32");
  }
  for (unsigned i = 1; i < type.getNumParams(); ++i) {
    if (!type.getParamType(i)->isPointerTy()) {
      return wrong(absl::StrCat("its argument ", i + 1, " is not a pointer"));
    }
  }
  const llvm::Type& result = *type.getReturnType();
  if (!result.isVoidTy() && !(result.isIntegerTy() && result.getIntegerBitWidth() <= 32)) {
    return wrong("it returns neither an integer of at most 32 bits nor nothing");
  }
  return EntryPoint(!result.isVoidTy());
}

std::string EntryPoint::Encode() const { return returns_value_ ? "i" : "v"; }

std::optional<EntryPoint> EntryPoint::Decode(absl::string_view bytes) {
  if (bytes != "i" && bytes != "v") return std::nullopt;
  return EntryPoint(bytes == "i");
}

int EntryPoint::Call(ExecutorAddress address, absl::Span<const std::string> arguments,
                     char** environment) const {
  std::vector<std::string> strings(arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  // A function that takes fewer arguments ignores the others.
  const auto argument_count = static_cast<int>(strings.size());
  if (returns_value_) {
    using Main = int (*)(int, char**, char**);
    return address.InThisProcess<Main>()(argument_count, pointers.data(), environment);
  }
  using VoidMain = void (*)(int, char**, char**);
  address.InThisProcess<VoidMain>()(argument_count, pointers.data(), environment);
  return 0;
}

}  // namespace firstcall
