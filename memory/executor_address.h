// An address in the process where compiled code runs. In one process it may name bytes that are
// written through another mapping; later it may lie in another process altogether. Therefore it is
// a type of its own, and only code that knows both sides are the same process turns it into a
// pointer.
//
// Immutable value type.

#ifndef FIRSTCALL_MEMORY_EXECUTOR_ADDRESS_H_
#define FIRSTCALL_MEMORY_EXECUTOR_ADDRESS_H_

#include <cstdint>

namespace firstcall {

// How far apart the parts of an object may be, in bytes, for one to refer to another: less than
// distances reach (x86-64 2 GiB, AArch64 4 GiB), by what an object may extend beyond an address.
// Its code is in one piece, so that branches, which reach less on AArch64, do not matter.
inline constexpr int64_t kReach = int64_t{2000} << 20;

class ExecutorAddress {
 public:
  constexpr ExecutorAddress() = default;
  constexpr explicit ExecutorAddress(uint64_t value) : value_(value) {}

  // The address of something in this process.
  static ExecutorAddress Of(const void* pointer) {
    return ExecutorAddress(reinterpret_cast<uint64_t>(pointer));
  }

  constexpr uint64_t value() const { return value_; }
  constexpr bool is_null() const { return value_ == 0; }

  // Valid only where the executing process is this one.
  template <typename T>
  T InThisProcess() const {
    return reinterpret_cast<T>(value_);
  }

  friend constexpr bool operator==(ExecutorAddress a, ExecutorAddress b) {
    return a.value_ == b.value_;
  }
  friend constexpr bool operator!=(ExecutorAddress a, ExecutorAddress b) {
    return a.value_ != b.value_;
  }
  friend constexpr ExecutorAddress operator+(ExecutorAddress a, uint64_t offset) {
    return ExecutorAddress(a.value_ + offset);
  }
  // The distance in bytes from `b` to `a`.
  friend constexpr int64_t operator-(ExecutorAddress a, ExecutorAddress b) {
    return static_cast<int64_t>(a.value_ - b.value_);
  }

 private:
  uint64_t value_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_EXECUTOR_ADDRESS_H_
