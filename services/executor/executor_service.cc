#include "services/executor/executor_service.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "base/status.h"
#include "foreign/foreign_call.h"
#include "foreign/value_coding.h"
#include "memory/instruction_cache.h"
#include "memory/system_pages.h"
#include "object/symbol_name.h"
#include "runtime/link/compiler_runtime.h"
#include "runtime/link/ifunc_argument.h"
#include "runtime/process/process_symbols.h"
#include "seam/entry_point.h"
#include "services/executor/executor_messages.h"

// Of libgcc or compiler-rt, and of the C++ runtime library; no header declares the first.
extern "C" void* __emutls_get_address(void* control);
extern "C" int __cxa_atexit(void (*handler)(void*), void* argument, void* handle);

namespace firstcall {
namespace {

absl::Status NotARequest() {
  return absl::InvalidArgumentError("code memory: the executing process was sent no request");
}

absl::StatusOr<std::string> Done(const absl::Status& status) {
  if (!status.ok()) return status;
  return NumberAnswer(0);
}

absl::StatusOr<uint64_t> Greet(uint64_t protocol) {
  if (protocol != kExecutorProtocol) {
    return absl::FailedPreconditionError(
        "code memory: the executing process is of another version");
  }
  return SystemPageSize();
}

// By this the C library knows the exit handlers of compiled code.
char handle_of_compiled_code;

// Compiled code's atexit: its handlers run when the engine runs them, not only when this process
// exits, because their code may be gone by then.
int RegisterExitHandler(void (*handler)()) {
  return __cxa_atexit([](void* called) { reinterpret_cast<void (*)()>(called)(); },
                      reinterpret_cast<void*>(handler), &handle_of_compiled_code);
}

// Also what the C library and the compiler's library define in each program.
ExecutorAddress FindHere(const std::string& name) {
  if (name == kDsoHandle) return ExecutorAddress::Of(&handle_of_compiled_code);
  if (name == kAtexit) {
    return ExecutorAddress::Of(reinterpret_cast<const void*>(&RegisterExitHandler));
  }
  const ExecutorAddress found = FindInProcess(name);
  if (!found.is_null()) return found;
  if (name == "__emutls_get_address") {
    return ExecutorAddress::Of(reinterpret_cast<const void*>(&__emutls_get_address));
  }
  return FindInCompilerRuntime(name);
}

absl::StatusOr<std::string> LookUp(Decoder& request) {
  Encoder answer;
  for (const std::string& name : DecodeTexts(request)) EncodeAddress(FindHere(name), answer);
  if (!request.IsComplete()) return NotARequest();
  return std::move(answer).Take();
}

absl::StatusOr<std::string> Call(Decoder& request) {
  const ExecutorAddress function = DecodeAddress(request);
  FIRSTCALL_ASSIGN_OR_RETURN(const DecodedCall call, DecodeCall(request));
  if (!request.IsComplete()) return NotARequest();
  FIRSTCALL_RETURN_IF_ERROR(
      CallForeign(function, call.result.values()[0], call.arguments.values()));
  std::fflush(stdout);
  Encoder answer;
  EncodeBytes(call.result.values(), answer);
  return std::move(answer).Take();
}

// The program may keep its arguments for as long as the process exists.
const ProgramArguments& Keep(const std::vector<std::string>& arguments) {
  return *new ProgramArguments(arguments);
}

absl::StatusOr<std::string> Construct(Decoder& request) {
  const ExecutorAddress function = DecodeAddress(request);
  const std::vector<std::string> arguments = DecodeTexts(request);
  if (!request.IsComplete()) return NotARequest();
  CallConstructor(function, Keep(arguments));
  return NumberAnswer(0);
}

absl::StatusOr<std::string> RunMain(Decoder& request) {
  const ExecutorAddress function = DecodeAddress(request);
  const std::optional<EntryPoint> entry = EntryPoint::Decode(request.String());
  const std::vector<std::string> arguments = DecodeTexts(request);
  if (!request.IsComplete() || !entry) return NotARequest();
  const int result = entry->Call(function, Keep(arguments));
  std::fflush(stdout);
  return NumberAnswer(static_cast<uint64_t>(static_cast<int64_t>(result)));
}

absl::StatusOr<std::string> Read(Decoder& request) {
  const ExecutorAddress address = DecodeAddress(request);
  const uint64_t size = request.U64();
  if (!request.IsComplete() || size > kLongestExecutorPiece) return NotARequest();
  std::string bytes(size, '\0');
  std::memcpy(bytes.data(), address.InThisProcess<const void*>(), size);
  return bytes;
}

absl::StatusOr<std::string> Write(Decoder& request) {
  const ExecutorAddress address = DecodeAddress(request);
  const absl::string_view bytes = request.rest();
  if (!request.ok()) return NotARequest();
  if (!bytes.empty()) {
    std::memcpy(address.InThisProcess<void*>(), bytes.data(), bytes.size());
  }
  return NumberAnswer(0);
}

absl::StatusOr<std::string> ManagePages(ExecutorOperation operation, SharedMemoryExecutor& executor,
                                        Decoder& request) {
  switch (operation) {
    case ExecutorOperation::kReserve: {
      const uint64_t size = request.U64();
      const ExecutorAddress near = DecodeAddress(request);
      if (!request.IsComplete()) return NotARequest();
      FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress slab, executor.Reserve(size, near));
      return NumberAnswer(slab.value());
    }
    case ExecutorOperation::kMap: {
      const ExecutorAddress slab = DecodeAddress(request);
      const absl::string_view object = request.String();
      const std::vector<SlabRange> pages = DecodeRanges(request);
      if (!request.IsComplete()) return NotARequest();
      return Done(executor.Map(slab, object, pages));
    }
    case ExecutorOperation::kFinalize: {
      const ExecutorAddress slab = DecodeAddress(request);
      Allocation allocation;
      allocation.segments = DecodeSegments(request);
      allocation.when_finalized = DecodeActions(request);
      allocation.when_deallocated = DecodeActions(request);
      if (!request.IsComplete()) return NotARequest();
      return NumberAnswer(executor.Finalize(slab, allocation));
    }
    case ExecutorOperation::kDeallocate: {
      const std::vector<PageMapper::AllocationId> allocations = DecodeAllocations(request);
      if (!request.IsComplete()) return NotARequest();
      executor.Deallocate(allocations);
      return NumberAnswer(0);
    }
    case ExecutorOperation::kRelease: {
      const ExecutorAddress slab = DecodeAddress(request);
      if (!request.IsComplete()) return NotARequest();
      return Done(executor.Release(slab));
    }
    case ExecutorOperation::kRegisterUnwindTables: {
      const std::vector<UnwindTable> tables = DecodeTables(request);
      if (!request.IsComplete()) return NotARequest();
      for (const UnwindTable& table : tables) {
        FIRSTCALL_RETURN_IF_ERROR(executor.RegisterUnwindTable(table));
      }
      return NumberAnswer(0);
    }
    case ExecutorOperation::kWithdrawUnwindTables: {
      const std::vector<UnwindTable> tables = DecodeTables(request);
      if (!request.IsComplete()) return NotARequest();
      executor.WithdrawUnwindTables(tables);
      return NumberAnswer(0);
    }
    default:
      return NotARequest();
  }
}

// Carries out nothing until the whole request was read.
absl::StatusOr<std::string> CarryOut(SharedMemoryExecutor& executor, absl::string_view bytes) {
  Decoder request(bytes);
  const ExecutorOperation operation = DecodeOperation(request);
  switch (operation) {
    case ExecutorOperation::kGreet: {
      const uint64_t protocol = request.U64();
      return request.IsComplete() ? NumberAnswer(Greet(protocol)) : NotARequest();
    }
    case ExecutorOperation::kSynchronizeInstructions:
      if (!request.IsComplete()) return NotARequest();
      RunFetchBarrier(AvailableFetchBarrier());
      return NumberAnswer(0);
    case ExecutorOperation::kLookUp:
      return LookUp(request);
    case ExecutorOperation::kInitialize: {
      const ExecutorAddress function = DecodeAddress(request);
      if (!request.IsComplete()) return NotARequest();
      CallWithIFuncArguments(function.InThisProcess<void (*)(uint64_t, const IFuncArgument*)>());
      return NumberAnswer(0);
    }
    case ExecutorOperation::kConstruct:
      return Construct(request);
    case ExecutorOperation::kCall:
      return Call(request);
    case ExecutorOperation::kRunMain:
      return RunMain(request);
    case ExecutorOperation::kAllocate: {
      const uint64_t size = request.U64();
      if (!request.IsComplete()) return NotARequest();
      return NumberAnswer(reinterpret_cast<uintptr_t>(std::malloc(size)));
    }
    case ExecutorOperation::kFree: {
      const ExecutorAddress address = DecodeAddress(request);
      if (!request.IsComplete()) return NotARequest();
      std::free(address.InThisProcess<void*>());
      return NumberAnswer(0);
    }
    case ExecutorOperation::kRead:
      return Read(request);
    case ExecutorOperation::kWrite:
      return Write(request);
    default:
      return ManagePages(operation, executor, request);
  }
}

}  // namespace

// An exception that compiled code throws must not end the thread that answers.
std::string AnswerExecutorRequest(SharedMemoryExecutor& executor, absl::string_view request) {
  try {
    return EncodeAnswer(CarryOut(executor, request));
  } catch (const std::exception& exception) {
    return EncodeAnswer(
        absl::UnknownError(absl::StrCat("a C++ exception was thrown: ", exception.what())));
  } catch (...) {
    return EncodeAnswer(absl::UnknownError("a C++ exception was thrown"));
  }
}

bool MayRunActions(absl::string_view request) {
  Decoder reader(request);
  switch (DecodeOperation(reader)) {
    case ExecutorOperation::kFinalize: {
      (void)DecodeAddress(reader);
      (void)DecodeSegments(reader);
      return !DecodeActions(reader).empty();
    }
    case ExecutorOperation::kDeallocate:
    case ExecutorOperation::kRelease:
    case ExecutorOperation::kInitialize:
    case ExecutorOperation::kConstruct:
    case ExecutorOperation::kCall:
    case ExecutorOperation::kRunMain:
      return true;
    default:
      return false;
  }
}

}  // namespace firstcall
