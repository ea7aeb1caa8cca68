// What the compiling process asks of the executing process beside pages: addresses of symbols,
// calls, and memory.
//
// Belongs to the process that created it: in a forked child everything fails with
// FailedPrecondition, because there is no second executing process.
//
// Thread-safe. A call blocks until the executing process has answered, which it does after the code
// that it runs has returned. Errors: Unavailable if the executing process is gone, and the
// connection's own; Internal if the answer is damaged.

#ifndef FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_CLIENT_H_
#define FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_CLIENT_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/coding.h"
#include "foreign/foreign_value.h"
#include "memory/executor_address.h"
#include "memory/unwinder.h"
#include "seam/entry_point.h"
#include "services/executor/executor_connection.h"

namespace firstcall {

class ExecutorClient {
 public:
  // FailedPrecondition if the executing process uses another version of the protocol.
  static absl::StatusOr<std::shared_ptr<ExecutorClient>> Create(
      std::shared_ptr<ExecutorConnection> connection);
  ExecutorClient(const ExecutorClient&) = delete;
  ExecutorClient& operator=(const ExecutorClient&) = delete;

  // The size of a page of the executing process, in bytes.
  size_t page_size() const { return page_size_; }

  // Sends a request (executor_messages.h), and returns the answer.
  absl::StatusOr<std::string> Ask(const Encoder& request) const;
  absl::StatusOr<uint64_t> AskForNumber(const Encoder& request) const;

  // FailedPrecondition in a child that was forked from the process that created this.
  absl::Status CheckOwner() const;

  // The addresses of symbols of the executing process, in the order of `names`; null for those that
  // it does not have.
  absl::StatusOr<std::vector<ExecutorAddress>> LookUp(absl::Span<const std::string> names) const;

  // Calls a function of the executing process with values, as Engine::Call does. Errors as
  // CallForeign; Unknown if the function throws an exception. Pointers among the values are those
  // of the executing process.
  absl::Status Call(ExecutorAddress function, const ForeignValue& result,
                    absl::Span<const ForeignValue> arguments) const;
  // Runs a module's initializer (kInitializer), a constructor, or main. Unknown if one throws an
  // exception.
  absl::Status Initialize(ExecutorAddress initializer) const;
  absl::Status Construct(ExecutorAddress constructor,
                         absl::Span<const std::string> arguments) const;
  absl::StatusOr<int> RunMain(ExecutorAddress function, const EntryPoint& entry,
                              absl::Span<const std::string> arguments) const;

  // Memory of the executing process, for the arguments of calls: malloc and free, and reading and
  // writing any bytes, of which InvalidArgument if there are more than kLongestExecutorPiece. The
  // executing process crashes if `address` is not its memory.
  absl::StatusOr<ExecutorAddress> Allocate(size_t size) const;
  absl::Status Free(ExecutorAddress address) const;
  absl::StatusOr<std::string> Read(ExecutorAddress address, size_t size) const;
  absl::Status Write(ExecutorAddress address, absl::string_view bytes) const;

 private:
  explicit ExecutorClient(std::shared_ptr<ExecutorConnection> connection);

  const std::shared_ptr<ExecutorConnection> connection_;
  const pid_t owner_;
  size_t page_size_ = 0;
};

// Tells the unwinders of the executing process of unwind tables. An error of the connection is
// ignored: then no code runs there.
class RemoteUnwinder final : public Unwinder {
 public:
  explicit RemoteUnwinder(std::shared_ptr<const ExecutorClient> client)
      : client_(std::move(client)) {}
  // The slabs that the tables are in withdraw them.
  ~RemoteUnwinder() override = default;

  void Register(const UnwindTable& table) override;
  void Withdraw(absl::Span<const UnwindTable> tables) override;
  size_t registration_count() const override { return count_; }

 private:
  const std::shared_ptr<const ExecutorClient> client_;
  size_t count_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_CLIENT_H_
