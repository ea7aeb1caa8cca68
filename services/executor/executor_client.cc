#include "services/executor/executor_client.h"

#include <unistd.h>

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "foreign/foreign_call.h"
#include "foreign/foreign_layout.h"
#include "foreign/value_coding.h"
#include "services/executor/executor_messages.h"

namespace firstcall {
namespace {

absl::Status CheckSize(size_t size) {
  if (size <= kLongestExecutorPiece) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(size, " bytes of the executing process's memory are too many at once"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<ExecutorClient>> ExecutorClient::Create(
    std::shared_ptr<ExecutorConnection> connection) {
  std::shared_ptr<ExecutorClient> client(new ExecutorClient(std::move(connection)));
  Encoder request = RequestOf(ExecutorOperation::kGreet);
  request.U64(kExecutorProtocol);
  FIRSTCALL_ASSIGN_OR_RETURN(client->page_size_, client->AskForNumber(request));
  return client;
}

ExecutorClient::ExecutorClient(std::shared_ptr<ExecutorConnection> connection)
    : connection_(std::move(connection)), owner_(getpid()) {}

absl::Status ExecutorClient::CheckOwner() const {
  if (getpid() == owner_) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "code memory: the executing process is that of the process this one was forked from");
}

absl::StatusOr<std::string> ExecutorClient::Ask(const Encoder& request) const {
  FIRSTCALL_RETURN_IF_ERROR(CheckOwner());
  FIRSTCALL_ASSIGN_OR_RETURN(const std::string answer, connection_->Call(request.bytes()));
  return DecodeAnswer(answer);
}

absl::StatusOr<uint64_t> ExecutorClient::AskForNumber(const Encoder& request) const {
  return DecodeNumber(Ask(request));
}

absl::StatusOr<std::vector<ExecutorAddress>> ExecutorClient::LookUp(
    absl::Span<const std::string> names) const {
  if (names.empty()) return std::vector<ExecutorAddress>();
  Encoder request = RequestOf(ExecutorOperation::kLookUp);
  EncodeTexts(names, request);
  FIRSTCALL_ASSIGN_OR_RETURN(const std::string answer, Ask(request));
  Decoder decoder(answer);
  std::vector<ExecutorAddress> addresses;
  for (size_t i = 0; i < names.size(); ++i) addresses.push_back(DecodeAddress(decoder));
  if (!decoder.IsComplete()) return NoAnswer();
  return addresses;
}

absl::Status ExecutorClient::Call(ExecutorAddress function, const ForeignValue& result,
                                  absl::Span<const ForeignValue> arguments) const {
  FIRSTCALL_RETURN_IF_ERROR(CheckValues(result, arguments));
  Encoder request = RequestOf(ExecutorOperation::kCall);
  EncodeAddress(function, request);
  EncodeCall(result, arguments, request);
  FIRSTCALL_ASSIGN_OR_RETURN(const std::string answer, Ask(request));
  if (answer.size() != LayoutOf(result.type).size) return NoAnswer();
  if (!answer.empty()) std::memcpy(result.bytes, answer.data(), answer.size());
  return absl::OkStatus();
}

absl::Status ExecutorClient::Initialize(ExecutorAddress initializer) const {
  Encoder request = RequestOf(ExecutorOperation::kInitialize);
  EncodeAddress(initializer, request);
  return AskForNumber(request).status();
}

absl::Status ExecutorClient::Construct(ExecutorAddress constructor,
                                       absl::Span<const std::string> arguments) const {
  Encoder request = RequestOf(ExecutorOperation::kConstruct);
  EncodeAddress(constructor, request);
  EncodeTexts(arguments, request);
  return AskForNumber(request).status();
}

absl::StatusOr<int> ExecutorClient::RunMain(ExecutorAddress function, const EntryPoint& entry,
                                            absl::Span<const std::string> arguments) const {
  Encoder request = RequestOf(ExecutorOperation::kRunMain);
  EncodeAddress(function, request);
  request.String(entry.Encode());
  EncodeTexts(arguments, request);
  FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t result, AskForNumber(request));
  return static_cast<int>(result);
}

absl::StatusOr<ExecutorAddress> ExecutorClient::Allocate(size_t size) const {
  Encoder request = RequestOf(ExecutorOperation::kAllocate);
  request.U64(size);
  FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t address, AskForNumber(request));
  if (address == 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the executing process has no ", size, " bytes"));
  }
  return ExecutorAddress(address);
}

absl::Status ExecutorClient::Free(ExecutorAddress address) const {
  Encoder request = RequestOf(ExecutorOperation::kFree);
  EncodeAddress(address, request);
  return AskForNumber(request).status();
}

absl::StatusOr<std::string> ExecutorClient::Read(ExecutorAddress address, size_t size) const {
  FIRSTCALL_RETURN_IF_ERROR(CheckSize(size));
  Encoder request = RequestOf(ExecutorOperation::kRead);
  EncodeAddress(address, request);
  request.U64(size);
  FIRSTCALL_ASSIGN_OR_RETURN(std::string bytes, Ask(request));
  if (bytes.size() != size) return NoAnswer();
  return bytes;
}

absl::Status ExecutorClient::Write(ExecutorAddress address, absl::string_view bytes) const {
  FIRSTCALL_RETURN_IF_ERROR(CheckSize(bytes.size()));
  Encoder request = RequestOf(ExecutorOperation::kWrite);
  EncodeAddress(address, request);
  request.Raw(bytes);
  return AskForNumber(request).status();
}

void RemoteUnwinder::Register(const UnwindTable& table) {
  Encoder request = RequestOf(ExecutorOperation::kRegisterUnwindTables);
  EncodeTables({table}, request);
  if (client_->Ask(request).ok()) ++count_;
}

void RemoteUnwinder::Withdraw(absl::Span<const UnwindTable> tables) {
  Encoder request = RequestOf(ExecutorOperation::kWithdrawUnwindTables);
  EncodeTables(tables, request);
  if (client_->Ask(request).ok()) count_ -= tables.size();
}

}  // namespace firstcall
