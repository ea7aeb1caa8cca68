// The finished code of a module that was detached from its engine: it goes on working when engine
// and IR are gone.
//
// Thread-safe, and so is its code; the destructor excludes all other use.

#ifndef FIRSTCALL_ENGINE_DETACHED_CODE_H_
#define FIRSTCALL_ENGINE_DETACHED_CODE_H_

#include <memory>
#include <string>
#include <type_traits>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

class DetachedCode {
 public:
  // Runs the exit handlers that the code has registered and its destructors, unless the process's
  // end has done so before, and frees the code and its data. No thread may be running any of it. A
  // stub of it that is called afterwards goes to the failure handler of the engine it came from.
  ~DetachedCode();
  DetachedCode(const DetachedCode&) = delete;
  DetachedCode& operator=(const DetachedCode&) = delete;

  // What messages name it by.
  const std::string& name() const;

  // The address of a function or a variable that the module defines, other than a thread-local one.
  // NotFound if there is none of that name. Valid as long as this object.
  absl::StatusOr<void*> LookupAddress(absl::string_view name) const;

  // The same, as a pointer to a function of the given type, which is not checked.
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
  const std::unique_ptr<Parts> parts_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_DETACHED_CODE_H_
