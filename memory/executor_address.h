// An address in the process where compiled code runs. That may be another process; and even in this
// process, the bytes may be written through another mapping, at another address. So an address is a
// type of its own, and only code that knows that both processes are the same converts it to a
// pointer.
//
// Immutable value type. Tested in tests/memory/arena_test.cc.

#ifndef FIRSTCALL_MEMORY_EXECUTOR_ADDRESS_H_
#define FIRSTCALL_MEMORY_EXECUTOR_ADDRESS_H_

#include <cstdint>

namespace firstcall {

// How far apart, in bytes, the parts of an object may lie and still refer to each other: the reach
// of PC-relative distances (x86-64 2 GiB, AArch64 4 GiB) less a margin, because an object may
// extend beyond the given address. The shorter reach of branches on AArch64 does not matter,
// because the object's code is in one piece.
inline constexpr int64_t kReach = int64_t{2000} << 20;

class ExecutorAddress {
 public:
  constexpr ExecutorAddress() = default;
  constexpr explicit ExecutorAddress(uint64_t value) : value_(value) {}

  // The address of an object in this process.
  static ExecutorAddress Of(const void* pointer) {
    return ExecutorAddress(reinterpret_cast<uint64_t>(pointer));
  }

  constexpr uint64_t value() const { return value_; }
  constexpr bool is_null() const { return value_ == 0; }

  // Valid only if compiled code runs in this process.
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
