#include "clients/mcjit/call_address.h"

#include <cstdint>

#include "llvm/ADT/APInt.h"
#include "llvm/ExecutionEngine/GenericValue.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/Support/ErrorHandling.h"

namespace firstcall {
namespace {

template <typename Result, typename... Arguments>
Result Call(void* address, Arguments... arguments) {
  return reinterpret_cast<Result (*)(Arguments...)>(address)(arguments...);
}

[[noreturn]] void FailUnsupported() {
  llvm::report_fatal_error(
      "MCJIT::runFunction does not support full-featured argument passing. Please use "
      "ExecutionEngine::getFunctionAddress and cast the result to the desired function pointer "
      "type.",
      /*gen_crash_diag=*/false);
}

llvm::GenericValue OfInteger(unsigned bits, uint64_t value) {
  llvm::GenericValue result;
  result.IntVal = llvm::APInt(64, value).zextOrTrunc(bits);
  return result;
}

llvm::GenericValue CallWithoutArguments(void* address, const llvm::Type& returned) {
  llvm::GenericValue result;
  switch (returned.getTypeID()) {
    case llvm::Type::IntegerTyID:
      switch (const unsigned bits = returned.getIntegerBitWidth()) {
        case 1:
          return OfInteger(bits, Call<bool>(address));
        case 8:
          return OfInteger(bits, Call<uint8_t>(address));
        case 16:
          return OfInteger(bits, Call<uint16_t>(address));
        case 32:
          return OfInteger(bits, Call<uint32_t>(address));
        case 64:
          return OfInteger(bits, Call<uint64_t>(address));
        default:
          FailUnsupported();
      }
    case llvm::Type::VoidTyID:
      // As MCJIT: the value of a function that returns nothing is what it leaves in a register.
      return OfInteger(32, static_cast<uint32_t>(Call<int>(address)));
    case llvm::Type::FloatTyID:
      result.FloatVal = Call<float>(address);
      return result;
    case llvm::Type::DoubleTyID:
      result.DoubleVal = Call<double>(address);
      return result;
    case llvm::Type::PointerTyID:
      return llvm::PTOGV(Call<void*>(address));
    default:
      FailUnsupported();
  }
}

}  // namespace

llvm::GenericValue CallAddress(void* address, const llvm::FunctionType& type,
                               llvm::ArrayRef<llvm::GenericValue> arguments) {
  const llvm::Type& returned = *type.getReturnType();
  if (arguments.empty()) return CallWithoutArguments(address, returned);
  const auto is = [&](unsigned i, bool pointer) {
    return pointer ? type.getParamType(i)->isPointerTy() : type.getParamType(i)->isIntegerTy(32);
  };
  const auto number = [&] { return static_cast<int>(arguments[0].IntVal.getZExtValue()); };
  const auto pointer = [&](unsigned i) { return llvm::GVTOP(arguments[i]); };
  if (!(returned.isIntegerTy(32) || returned.isVoidTy()) ||
      arguments.size() != type.getNumParams() || !is(0, false)) {
    FailUnsupported();
  }
  uint32_t result = 0;
  if (arguments.size() == 1) {
    result = Call<int>(address, number());
  } else if (arguments.size() == 2 && is(1, true)) {
    result = Call<int>(address, number(), pointer(1));
  } else if (arguments.size() == 3 && is(1, true) && is(2, true)) {
    result = Call<int>(address, number(), pointer(1), pointer(2));
  } else {
    FailUnsupported();
  }
  return OfInteger(32, result);
}

}  // namespace firstcall
