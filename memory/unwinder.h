// A library of this process that walks stacks for exceptions and backtraces, for example libgcc,
// and that has to be told of the unwind tables (.eh_frame) of code which no loaded file contains.

#ifndef FIRSTCALL_MEMORY_UNWINDER_H_
#define FIRSTCALL_MEMORY_UNWINDER_H_

#include <cstddef>

#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace firstcall {

// `table` is a sequence of entries that ends with four zero bytes. It lies in this process, and
// must exist unchanged as long as it is registered. `code` is the beginning of the code that the
// table describes. No other code lies within it.
struct UnwindTable {
  ExecutorAddress table;
  ExecutorAddress code;
};

// Implementations are thread-compatible: the registry calls them one at a time. Meanwhile other
// threads may be in the unwinder, and must find the entries of all code that they run.
class Unwinder {
 public:
  Unwinder() = default;
  // Withdraws every table. No code that the tables describe may be on any stack.
  virtual ~Unwinder() = default;
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  virtual void Register(const UnwindTable& table) = 0;
  // Withdraws registered tables. No code that they describe may be on any stack.
  virtual void Withdraw(absl::Span<const UnwindTable> tables) = 0;
  // The present number of registrations with the unwinder.
  virtual size_t registration_count() const = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_UNWINDER_H_
