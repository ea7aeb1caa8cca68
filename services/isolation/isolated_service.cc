#include "services/isolation/isolated_service.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "base/ids.h"
#include "base/status.h"
#include "base/status_coding.h"
#include "engine/engine.h"
#include "foreign/foreign_closure.h"
#include "foreign/foreign_layout.h"
#include "foreign/value_coding.h"
#include "services/isolation/conversation.h"
#include "services/isolation/isolation_messages.h"

namespace firstcall {
namespace {

absl::Status Damaged() { return absl::InvalidArgumentError("a damaged request"); }

absl::StatusOr<std::string> Number(const absl::StatusOr<ModuleId>& module) {
  if (!module.ok()) return module.status();
  Encoder answer;
  answer.U32(module->value);
  return std::move(answer).Take();
}

class IsolatedService {
 public:
  IsolatedService(int socket, const EngineOptions& options,
                  const std::vector<CallbackSignature>& callbacks)
      : options_(options),
        callbacks_(callbacks),
        conversation_(socket, [this](IsolationMessage kind, absl::string_view request) {
          return AnswerTo(kind, request);
        }) {}

  void Run() { conversation_.Serve(); }

 private:
  std::string AnswerTo(IsolationMessage kind, absl::string_view request) {
    absl::StatusOr<std::string> result = Damaged();
    try {
      Decoder decoder(request);
      result = CarryOut(kind, decoder);
    } catch (const std::exception& exception) {
      result = absl::UnknownError(absl::StrCat("a C++ exception was thrown: ", exception.what()));
    } catch (...) {
      result = absl::UnknownError("a C++ exception was thrown");
    }
    Encoder answer;
    EncodeStatus(result.status(), answer);
    if (result.ok()) answer.Raw(*result);
    return std::move(answer).Take();
  }

  absl::StatusOr<std::string> CarryOut(IsolationMessage kind, Decoder& request) {
    if ((kind == IsolationMessage::kCreate) != (engine_ == nullptr)) {
      return absl::FailedPreconditionError(engine_ == nullptr ? "there is no engine"
                                                              : "there is an engine");
    }
    switch (kind) {
      case IsolationMessage::kCreate:
        return Create();
      case IsolationMessage::kPiece:
        pieces_.append(request.rest().data(), request.rest().size());
        return "";
      case IsolationMessage::kAddBitcode:
      case IsolationMessage::kAddAssembly:
      case IsolationMessage::kAddFile:
        return Add(kind, request);
      case IsolationMessage::kRemove:
        return Remove(request);
      case IsolationMessage::kRunConstructors:
        return Done(engine_->RunConstructors());
      case IsolationMessage::kRunMain:
        return RunMain(request);
      case IsolationMessage::kCall:
        return Call(request);
      case IsolationMessage::kAllocate:
      case IsolationMessage::kFree:
      case IsolationMessage::kRead:
      case IsolationMessage::kWrite:
        return Access(kind, request);
      default:
        return Damaged();
    }
  }

  static absl::StatusOr<std::string> Done(const absl::Status& status) {
    if (!status.ok()) return status;
    return "";
  }

  absl::StatusOr<std::string> Create() {
    EngineOptions options = options_;
    for (uint32_t i = 0; i < callbacks_.size(); ++i) {
      absl::StatusOr<std::unique_ptr<ForeignClosure>> closure = ForeignClosure::Create(
          callbacks_[i].result, callbacks_[i].parameters,
          [this, i](absl::Span<const ForeignValue> arguments, const ForeignValue& result) {
            CallBack(i, arguments, result);
          });
      if (!closure.ok()) {
        return Annotate(closure.status(), absl::StrCat("the callback '", callbacks_[i].name, "'"));
      }
      closures_.push_back(*std::move(closure));
    }
    options.library_symbol_finder = [this](absl::string_view name, absl::string_view library) {
      for (size_t i = 0; i < closures_.size(); ++i) {
        if (callbacks_[i].name == name) return closures_[i]->address().InThisProcess<void*>();
      }
      if (options_.library_symbol_finder) return options_.library_symbol_finder(name, library);
      return options_.symbol_finder ? options_.symbol_finder(name) : nullptr;
    };
    FIRSTCALL_ASSIGN_OR_RETURN(engine_, Engine::Create(std::move(options)));
    return "";
  }

  absl::StatusOr<std::string> Add(IsolationMessage kind, Decoder& request) {
    const std::string contents = std::exchange(pieces_, "");
    const absl::string_view name = request.String();
    const absl::string_view library = request.String();
    if (!request.ok()) return Damaged();
    if (kind == IsolationMessage::kAddBitcode) {
      return Number(engine_->AddBitcode(contents, name, library));
    }
    if (kind == IsolationMessage::kAddAssembly) return Number(engine_->AddAssembly(contents, name));
    const LibraryFile file = {std::string(name), std::string(library)};
    FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<ModuleId> modules,
                               engine_->AddFiles(absl::MakeConstSpan(&file, 1)));
    return Number(modules.front());
  }

  absl::StatusOr<std::string> Remove(Decoder& request) {
    const ModuleId module{request.U32()};
    return request.ok() ? Done(engine_->Remove(module)) : Damaged();
  }

  absl::StatusOr<std::string> RunMain(Decoder& request) {
    const absl::string_view entry = request.String();
    std::vector<std::string> arguments;
    for (uint32_t left = request.Count(sizeof(uint32_t)); left > 0; --left) {
      arguments.emplace_back(request.String());
    }
    if (!request.ok()) return Damaged();
    FIRSTCALL_ASSIGN_OR_RETURN(const int result, engine_->RunMain(arguments, entry));
    std::fflush(stdout);  // As when a program ends.
    Encoder answer;
    answer.U32(static_cast<uint32_t>(result));
    return std::move(answer).Take();
  }

  absl::StatusOr<std::string> Call(Decoder& request) {
    const absl::string_view name = request.String();
    FIRSTCALL_ASSIGN_OR_RETURN(const DecodedCall call, DecodeCall(request));
    FIRSTCALL_RETURN_IF_ERROR(
        engine_->Call(name, call.result.values()[0], call.arguments.values()));
    std::fflush(stdout);
    Encoder answer;
    EncodeBytes(call.result.values(), answer);
    return std::move(answer).Take();
  }

  static absl::StatusOr<std::string> Access(IsolationMessage kind, Decoder& request) {
    const uint64_t first = request.U64();
    const uint64_t size = kind == IsolationMessage::kRead ? request.U64() : 0;
    if (!request.ok() || size > kLargestPiece) return Damaged();
    if (kind == IsolationMessage::kAllocate) {
      Encoder answer;
      answer.U64(reinterpret_cast<uintptr_t>(std::malloc(first)));
      return std::move(answer).Take();
    }
    char* const address = reinterpret_cast<char*>(first);
    if (kind == IsolationMessage::kFree) {
      std::free(address);
      return "";
    }
    if (kind == IsolationMessage::kWrite) {
      const absl::string_view bytes = request.rest();
      if (!bytes.empty()) std::memcpy(address, bytes.data(), bytes.size());
      return "";
    }
    // Not by a constructor, which throws if the address is null: the access ends the process.
    std::string bytes(size, '\0');
    std::memcpy(bytes.data(), address, size);
    return bytes;
  }

  // Called by compiled code, which need not have unwind tables.
  void CallBack(uint32_t number, absl::Span<const ForeignValue> arguments,
                const ForeignValue& result) noexcept {
    Encoder request;
    request.U32(number);
    EncodeBytes(arguments, request);
    const std::string bytes = conversation_.CallBack(request.bytes());
    // The client sends as many bytes as the result has.
    if (result.bytes != nullptr && !bytes.empty()) {
      std::memcpy(result.bytes, bytes.data(), std::min(bytes.size(), LayoutOf(result.type).size));
    }
  }

  const EngineOptions& options_;
  const std::vector<CallbackSignature>& callbacks_;
  Conversation conversation_;
  std::vector<std::unique_ptr<ForeignClosure>> closures_;  // The engine's code calls them.
  std::unique_ptr<Engine> engine_;
  std::string pieces_;
};

}  // namespace

void ServeIsolated(int socket, const EngineOptions& options,
                   const std::vector<CallbackSignature>& callbacks) {
  IsolatedService(socket, options, callbacks).Run();
}

}  // namespace firstcall
