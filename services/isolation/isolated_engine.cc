// The end of the process may show in three ways: the socket is closed, the keeper tells of it, or
// the time is over. In each case End() makes sure that the process has ended, and asks the keeper
// how.

#include "services/isolation/isolated_engine.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/absolute_path.h"
#include "base/coding.h"
#include "base/status.h"
#include "base/status_coding.h"
#include "base/steady_clock.h"
#include "foreign/foreign_call.h"
#include "foreign/foreign_layout.h"
#include "foreign/value_coding.h"
#include "services/isolation/isolated_service.h"
#include "services/isolation/isolation_messages.h"
#include "services/isolation/keeper.h"
#include "services/isolation/message_channel.h"

namespace firstcall {
namespace {

// A process that was killed is gone as soon as the system gets to it.
constexpr absl::Duration kTimeToDie = absl::Seconds(30);
constexpr absl::Duration kTimeForDestructors = absl::Seconds(1);

std::vector<CallbackSignature> SignaturesOf(const IsolationOptions& isolation) {
  std::vector<CallbackSignature> signatures;
  for (const IsolatedCallback& callback : isolation.callbacks) {
    signatures.push_back({callback.name, callback.result, callback.parameters});
  }
  return signatures;
}

absl::Status DamagedAnswer() {
  return absl::InternalError("the isolated process sent a damaged answer");
}

}  // namespace

struct IsolatedEngine::Module {
  IsolationMessage kind;
  std::string contents;
  std::string request;  // The message's bytes.
  bool is_removed = false;
  uint32_t number = 0;  // In the isolated process.
};

class IsolatedEngine::Operation {
 public:
  Operation(IsolatedEngine& engine, std::string what)
      : engine_(engine),
        lock_(engine.mutex_),
        outer_(engine.operation_),
        what_(std::move(what)),
        deadline_(outer_ == nullptr ? SteadyNow() + engine.isolation_.call_time
                                    : outer_->deadline_) {
    engine.operation_ = this;
  }
  ~Operation() { engine_.operation_ = outer_; }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  const std::string& what() const { return what_; }
  absl::Duration deadline() const { return deadline_; }
  bool is_in_callback() const { return outer_ != nullptr; }

 private:
  IsolatedEngine& engine_;
  const std::lock_guard<std::recursive_mutex> lock_;
  Operation* const outer_;
  const std::string what_;
  const absl::Duration deadline_;
};

IsolatedEngine::IsolatedEngine(IsolationOptions isolation)
    : isolation_(std::move(isolation)), owner_(getpid()) {}

absl::StatusOr<std::unique_ptr<IsolatedEngine>> IsolatedEngine::Create(EngineOptions options,
                                                                       IsolationOptions isolation) {
  std::unique_ptr<IsolatedEngine> engine(new IsolatedEngine(std::move(isolation)));
  FIRSTCALL_ASSIGN_OR_RETURN(
      engine->keeper_,
      Keeper::Create(engine->isolation_.memory,
                     [options = std::move(options), callbacks = SignaturesOf(engine->isolation_)](
                         int socket) { ServeIsolated(socket, options, callbacks); }));
  Operation operation(*engine, "making an isolated engine");
  FIRSTCALL_RETURN_IF_ERROR(engine->Start(/*interrupts=*/0));
  return engine;
}

IsolatedEngine::~IsolatedEngine() {
  if (channel_ == nullptr || getpid() != owner_) return;
  WaitForEnd(/*kills=*/false);
}

// `interrupts` is what the member was when this began.
absl::Status IsolatedEngine::Start(uint32_t interrupts) {
  FIRSTCALL_ASSIGN_OR_RETURN(const Keeper::Child child, keeper_->Start());
  channel_ = std::make_unique<MessageChannel>(child.socket, keeper_->end_notice());
  end_.reset();
  process_ = child.process;
  child_ = child.number;
  // Either this sees an Interrupt, or that has seen the child's number.
  if (interrupts_ != interrupts) {
    WaitForEnd(/*kills=*/true);
    end_ = ChildEnd{ChildEnd::How::kSignaled, SIGKILL};  // It may have ended by itself before that.
    return Ended();
  }
  const absl::Status made = Request(IsolationMessage::kCreate, "").status();
  if (!made.ok() && channel_ != nullptr) End(made).IgnoreError();
  return made;
}

absl::StatusOr<ModuleId> IsolatedEngine::AddBitcode(absl::string_view bitcode,
                                                    absl::string_view name,
                                                    absl::string_view library) {
  Encoder request;
  request.String(name);
  request.String(library);
  return Add(IsolationMessage::kAddBitcode, bitcode, std::move(request).Take(),
             absl::StrCat("adding '", name, "'"));
}

absl::StatusOr<ModuleId> IsolatedEngine::AddAssembly(absl::string_view text,
                                                     absl::string_view name) {
  Encoder request;
  request.String(name);
  request.String("");
  return Add(IsolationMessage::kAddAssembly, text, std::move(request).Take(),
             absl::StrCat("adding '", name, "'"));
}

absl::StatusOr<ModuleId> IsolatedEngine::AddFile(const std::string& path,
                                                 const std::string& library) {
  // The isolated process's directory is another one if either process has changed its own.
  Encoder request;
  request.String(AbsolutePath(path));
  request.String(library);
  return Add(IsolationMessage::kAddFile, "", std::move(request).Take(),
             absl::StrCat("adding '", path, "'"));
}

absl::StatusOr<ModuleId> IsolatedEngine::Add(IsolationMessage kind, absl::string_view contents,
                                             std::string request, std::string what) {
  Operation operation(*this, std::move(what));
  Module module{kind, std::string(contents), std::move(request)};
  FIRSTCALL_RETURN_IF_ERROR(Send(module));
  modules_.push_back(std::move(module));
  return ModuleId{static_cast<uint32_t>(modules_.size() - 1)};
}

absl::Status IsolatedEngine::Send(Module& module) {
  for (absl::string_view rest = module.contents; !rest.empty();) {
    const absl::string_view piece = rest.substr(0, kLargestPiece);
    rest.remove_prefix(piece.size());
    FIRSTCALL_RETURN_IF_ERROR(Request(IsolationMessage::kPiece, piece).status());
  }
  FIRSTCALL_ASSIGN_OR_RETURN(const std::string answer, Request(module.kind, module.request));
  Decoder decoder(answer);
  module.number = decoder.U32();
  return decoder.ok() ? absl::OkStatus() : End(DamagedAnswer());
}

absl::Status IsolatedEngine::Remove(ModuleId module) {
  Operation operation(*this, "removing a module");
  if (module.value >= modules_.size() || modules_[module.value].is_removed) {
    return absl::NotFoundError(
        absl::StrCat("removing a module: there is no module ", module.value));
  }
  Encoder request;
  request.U32(modules_[module.value].number);
  FIRSTCALL_RETURN_IF_ERROR(Request(IsolationMessage::kRemove, request.bytes()).status());
  modules_[module.value] = {};
  modules_[module.value].is_removed = true;
  return absl::OkStatus();
}

absl::Status IsolatedEngine::RunConstructors() {
  Operation operation(*this, "running constructors");
  return Request(IsolationMessage::kRunConstructors, "").status();
}

absl::StatusOr<int> IsolatedEngine::RunMain(absl::Span<const std::string> arguments,
                                            absl::string_view entry) {
  Operation operation(*this, absl::StrCat("running '", entry, "'"));
  Encoder request;
  request.String(entry);
  request.U32(static_cast<uint32_t>(arguments.size()));
  for (const std::string& argument : arguments) request.String(argument);
  FIRSTCALL_ASSIGN_OR_RETURN(const std::string answer,
                             Request(IsolationMessage::kRunMain, request.bytes()));
  Decoder decoder(answer);
  const int result = static_cast<int>(decoder.U32());
  if (!decoder.ok()) return End(DamagedAnswer());
  return result;
}

absl::Status IsolatedEngine::Call(absl::string_view name, const ForeignValue& result,
                                  absl::Span<const ForeignValue> arguments) {
  FIRSTCALL_RETURN_IF_ERROR(
      Annotate(CheckValues(result, arguments), absl::StrCat("calling '", name, "'")));
  Operation operation(*this, absl::StrCat("calling '", name, "'"));
  Encoder request;
  request.String(name);
  EncodeCall(result, arguments, request);
  FIRSTCALL_ASSIGN_OR_RETURN(const std::string answer,
                             Request(IsolationMessage::kCall, request.bytes()));
  if (answer.size() != LayoutOf(result.type).size) return End(DamagedAnswer());
  if (!answer.empty()) std::memcpy(result.bytes, answer.data(), answer.size());
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> IsolatedEngine::Allocate(size_t size) {
  Operation operation(*this, absl::StrCat("allocating ", size, " bytes in the isolated process"));
  Encoder request;
  request.U64(size);
  FIRSTCALL_ASSIGN_OR_RETURN(const std::string answer,
                             Request(IsolationMessage::kAllocate, request.bytes()));
  Decoder decoder(answer);
  const uint64_t address = decoder.U64();
  if (!decoder.ok()) return End(DamagedAnswer());
  if (address == 0) {
    return absl::ResourceExhaustedError(absl::StrCat(operation.what(), ": no memory"));
  }
  return address;
}

absl::Status IsolatedEngine::Free(uint64_t address) {
  Operation operation(*this, "freeing memory of the isolated process");
  Encoder request;
  request.U64(address);
  return Request(IsolationMessage::kFree, request.bytes()).status();
}

absl::StatusOr<std::string> IsolatedEngine::Read(uint64_t address, size_t size) {
  Operation operation(*this, "reading memory of the isolated process");
  std::string bytes;
  while (bytes.size() < size) {
    const size_t piece = std::min(size - bytes.size(), kLargestPiece);
    Encoder request;
    request.U64(address + bytes.size());
    request.U64(piece);
    FIRSTCALL_ASSIGN_OR_RETURN(const std::string answer,
                               Request(IsolationMessage::kRead, request.bytes()));
    if (answer.size() != piece) return End(DamagedAnswer());
    bytes += answer;
  }
  return bytes;
}

absl::Status IsolatedEngine::Write(uint64_t address, absl::string_view bytes) {
  Operation operation(*this, "writing memory of the isolated process");
  while (!bytes.empty()) {
    const absl::string_view piece = bytes.substr(0, kLargestPiece);
    Encoder request;
    request.U64(address);
    request.Raw(piece);
    FIRSTCALL_RETURN_IF_ERROR(Request(IsolationMessage::kWrite, request.bytes()).status());
    bytes.remove_prefix(piece.size());
    address += piece.size();
  }
  return absl::OkStatus();
}

void IsolatedEngine::Interrupt() const {
  const int error = errno;  // What a signal handler has interrupted may be about to look at it.
  ++interrupts_;
  keeper_->Kill(child_);
  errno = error;
}

absl::Status IsolatedEngine::Restart() {
  Operation operation(*this, "restarting an isolated engine");
  if (operation.is_in_callback()) {
    return absl::FailedPreconditionError(absl::StrCat(operation.what(), ": a call is in progress"));
  }
  const uint32_t interrupts = interrupts_;
  if (channel_ != nullptr) End(absl::CancelledError("it is restarted")).IgnoreError();
  FIRSTCALL_RETURN_IF_ERROR(Start(interrupts));
  for (Module& module : modules_) {
    if (module.is_removed) continue;
    const absl::Status added = Send(module);
    if (added.ok()) continue;
    if (channel_ != nullptr) End(added).IgnoreError();
    return added;
  }
  return absl::OkStatus();
}

std::optional<ChildEnd> IsolatedEngine::end() const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  return end_;
}

absl::Status IsolatedEngine::Ended() const {
  const std::string how = end_ ? absl::StrCat(" by ", Describe(*end_)) : "";
  return absl::UnavailableError(
      absl::StrCat(operation_->what(), ": the isolated process has ended", how));
}

void IsolatedEngine::WaitForEnd(bool kills) {
  channel_.reset();
  process_ = 0;
  absl::StatusOr<ChildEnd> end = absl::DeadlineExceededError("");
  if (!kills) end = keeper_->WaitForEnd(SteadyNow() + kTimeForDestructors);
  if (absl::IsDeadlineExceeded(end.status())) {
    keeper_->Kill(child_);
    end = keeper_->WaitForEnd(SteadyNow() + kTimeToDie);
  }
  if (absl::IsDeadlineExceeded(end.status())) keeper_->Abandon();
  // Who has killed the keeper has killed the process.
  end_ = end.ok() ? *end : ChildEnd{ChildEnd::How::kSignaled, SIGKILL};
}

absl::Status IsolatedEngine::End(const absl::Status& reason) {
  WaitForEnd(/*kills=*/true);
  return Annotate(reason, operation_->what());
}

absl::Status IsolatedEngine::Lose(const absl::Status& error) {
  if (absl::IsUnavailable(error)) {
    WaitForEnd(/*kills=*/false);  // How it ended by itself is what its user wants to know.
    return Ended();
  }
  if (!absl::IsDeadlineExceeded(error)) return End(error);
  WaitForEnd(/*kills=*/true);
  end_ = ChildEnd{ChildEnd::How::kTimedOut};
  return absl::DeadlineExceededError(absl::StrCat(operation_->what(),
                                                  ": the isolated process was ended after ",
                                                  absl::FormatDuration(isolation_.call_time)));
}

// An exception, a callback's or for want of memory, leaves half a conversation, which cannot go on.
absl::StatusOr<std::string> IsolatedEngine::Request(IsolationMessage kind,
                                                    absl::string_view bytes) {
  if (channel_ == nullptr) return Ended();
  try {
    return Converse(kind, bytes);
  } catch (...) {
    if (channel_ != nullptr) WaitForEnd(/*kills=*/true);
    throw;
  }
}

absl::StatusOr<std::string> IsolatedEngine::Converse(IsolationMessage kind,
                                                     absl::string_view bytes) {
  const absl::Duration deadline = operation_->deadline();
  const size_t level = callbacks_in_progress_;
  const absl::Status sent = channel_->Send(MessageKind(kind, level), bytes, deadline);
  if (absl::IsInvalidArgument(sent)) return Annotate(sent, operation_->what());
  if (!sent.ok()) return Lose(sent);
  while (true) {
    const absl::StatusOr<Message> message = channel_->Receive(deadline);
    if (absl::IsInvalidArgument(message.status())) return End(DamagedAnswer());
    if (!message.ok()) return Lose(message.status());
    if (message->kind == MessageKind(IsolationMessage::kAnswer, level)) return ReadAnswer(*message);
    if (message->kind != MessageKind(IsolationMessage::kCallback, level + 1)) {
      return End(DamagedAnswer());
    }
    const absl::StatusOr<std::string> result = RunCallback(message->bytes);
    if (channel_ == nullptr) return result.ok() ? Ended() : result.status();
    if (!result.ok()) return End(result.status());
    const absl::Status returned = channel_->Send(
        MessageKind(IsolationMessage::kCallbackResult, level + 1), *result, deadline);
    if (!returned.ok()) return Lose(returned);
  }
}

absl::StatusOr<std::string> IsolatedEngine::ReadAnswer(const Message& message) {
  Decoder decoder(message.bytes);
  const absl::Status status = DecodeStatus(decoder);
  if (!decoder.ok()) return End(DamagedAnswer());
  if (!status.ok()) return status;
  return std::string(decoder.rest());
}

absl::StatusOr<std::string> IsolatedEngine::RunCallback(absl::string_view request) {
  Decoder decoder(request);
  const uint32_t number = decoder.U32();
  if (!decoder.ok() || number >= isolation_.callbacks.size()) return DamagedAnswer();
  const IsolatedCallback& callback = isolation_.callbacks[number];
  DecodedValues arguments;
  for (const ForeignType& type : callback.parameters) {
    if (!arguments.Add(type, decoder)) return DamagedAnswer();
  }
  DecodedValues result;
  result.AddZero(callback.result);
  ++callbacks_in_progress_;
  const absl::Cleanup ends = [this] { --callbacks_in_progress_; };
  FIRSTCALL_RETURN_IF_ERROR(
      Annotate(callback.function(*this, arguments.values(), result.values()[0]),
               absl::StrCat("the callback '", callback.name, "'")));
  Encoder bytes;
  EncodeBytes(result.values(), bytes);
  return std::move(bytes).Take();
}

}  // namespace firstcall
