// Counts the memory that operator new hands out: linking this library replaces operator new and
// operator delete of the program.
//
// Thread-safe, but all threads share one count.

#ifndef FIRSTCALL_TESTS_BITCODE_ALLOCATION_METER_H_
#define FIRSTCALL_TESTS_BITCODE_ALLOCATION_METER_H_

#include <cstddef>

namespace firstcall::testing {

class AllocationMeter {
 public:
  // From now on, no more than `limit` bytes may be in use besides those that are in use already.
  // An allocation beyond that ends the process with a message.
  static void Start(size_t limit);
  // No limit any more.
  static void Stop();
  // The most bytes that were in use at one time since Start, without those of before.
  static size_t Peak();
};

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_BITCODE_ALLOCATION_METER_H_
