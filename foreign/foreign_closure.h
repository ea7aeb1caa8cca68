// A function that compiled code can call by C's calling convention, whose signature is known only
// at run time: calls of it go to a C++ function, with values.
//
// Immutable, and thread-safe if its C++ function is. Tested in
// tests/foreign/foreign_closure_test.cc.

#ifndef FIRSTCALL_FOREIGN_FOREIGN_CLOSURE_H_
#define FIRSTCALL_FOREIGN_FOREIGN_CLOSURE_H_

#include <ffi.h>

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "foreign/ffi_types.h"
#include "foreign/foreign_value.h"
#include "memory/executor_address.h"

namespace firstcall {

class ForeignClosure {
 public:
  // Gets the arguments, and writes the returned value to `result`, which is zero before. Both exist
  // for the duration of the call. An exception that it throws reaches the caller only if libffi was
  // built with unwind tables.
  using Function =
      std::function<void(absl::Span<const ForeignValue> arguments, const ForeignValue& result)>;

  // InvalidArgument, with the parameter, for an invalid type; Unimplemented for 128-bit integers,
  // for structs on architectures where CallForeign has none, and if libffi refuses the signature;
  // ResourceExhausted if the system gives no memory for code.
  static absl::StatusOr<std::unique_ptr<ForeignClosure>> Create(
      const ForeignType& result, const std::vector<ForeignType>& parameters, Function function);
  // No thread may be in the function.
  ~ForeignClosure();
  ForeignClosure(const ForeignClosure&) = delete;
  ForeignClosure& operator=(const ForeignClosure&) = delete;

  // Valid as long as the closure.
  ExecutorAddress address() const { return address_; }

 private:
  ForeignClosure(const ForeignType& result, const std::vector<ForeignType>& parameters,
                 Function function);
  absl::Status Prepare();
  static void Enter(ffi_cif* interface, void* result, void** arguments, void* closure);

  const ForeignType result_;
  const std::vector<ForeignType> parameters_;
  const Function function_;
  FfiTypes types_;
  std::vector<ffi_type*> parameter_types_;
  ffi_cif interface_;
  ffi_closure* closure_ = nullptr;
  ExecutorAddress address_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_FOREIGN_FOREIGN_CLOSURE_H_
