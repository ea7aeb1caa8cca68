// The finished code of a module that was detached from its engine. It goes on working when
// the engine and the IR are gone.
//
// Thread-safe, and so is its code. Nothing else may use the object while its destructor runs.
// Tested in tests/api/removal_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_DETACHED_CODE_H_
#define FIRSTCALL_RUNTIME_PROGRAM_DETACHED_CODE_H_

#include <memory>
#include <string>
#include <type_traits>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

class DetachedCode {
 public:
  // If the end of the process has not done so, runs the exit handlers that the code has registered
  // and its destructors. Then frees the code and its data. No thread may be running the code. A
  // later call of one of its stubs goes to the failure handler of the original engine.
  ~DetachedCode();
  DetachedCode(const DetachedCode&) = delete;
  DetachedCode& operator=(const DetachedCode&) = delete;

  // The module's name, for messages.
  const std::string& name() const;

  // Returns the address of a function or a variable that the module defines. NotFound if it defines
  // no such name, or a thread-local variable. The address is valid as long as this object.
  absl::StatusOr<void*> LookupAddress(absl::string_view name) const;

  // The same, as a pointer to a function of the given type. The type is not checked.
  template <typename Signature>
  absl::StatusOr<Signature*> Lookup(absl::string_view name) const {
    static_assert(std::is_function_v<Signature>, "Lookup wants a function type, as int(int)");
    absl::StatusOr<void*> address = LookupAddress(name);
    if (!address.ok()) return address.status();
    return reinterpret_cast<Signature*>(*address);
  }

  // Bytes of its code sections.
  size_t code_bytes() const;

  struct Parts;
  explicit DetachedCode(std::unique_ptr<Parts> parts);

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_DETACHED_CODE_H_
