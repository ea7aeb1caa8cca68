#include "runtime/process/exit_handlers.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/any_stack.h"
#include "base/status.h"
#include "runtime/process/work_scope.h"
#include "stubs/stub_architecture.h"

// Defined by the C library; no header declares it.
extern "C" int __cxa_atexit(void (*handler)(void*), void* argument, void* dso_handle);
extern "C" int __cxa_thread_atexit_impl(void (*handler)(void*), void* argument, void* dso_handle);
extern "C" void* __dso_handle;  // Of the file that this is linked into.

namespace firstcall {
namespace {

constexpr absl::string_view kDsoHandleSection = ".data";
constexpr absl::string_view kForwarderSection = ".text";
constexpr size_t kForwarderAlignment = 16;

// Unlike the system's, it is never given to another thread. A forked child's first thread keeps it.
uint64_t NumberOfThisThread() {
  static std::atomic<uint64_t> last{0};
  static thread_local const uint64_t number = ++last;
  return number;
}

}  // namespace

absl::Mutex ExitHandlers::mutex_(absl::kConstInit);

absl::StatusOr<DsoHandle*> ExitHandlers::MakeHandle(OwnedCode& code, ExecutorAddress near) {
  MemoryRequest request;
  request.segment = Segment::kData;
  request.size = request.object.data = sizeof(DsoHandle);
  request.alignment = alignof(DsoHandle);
  request.section = kDsoHandleSection;
  request.near = near;
  FIRSTCALL_ASSIGN_OR_RETURN(MemoryBlock block, code.memory().Allocate(request));
  code.Add({block}, {});
  return new (block.write) DsoHandle(*this);
}

absl::StatusOr<ExecutorAddress> ExitHandlers::MakeAtexit(DsoHandle& handle, OwnedCode& code) {
  return MakeForwarder(ExecutorAddress::Of(reinterpret_cast<const void*>(&RegisterAtexit)), handle,
                       code);
}

absl::StatusOr<ExecutorAddress> ExitHandlers::MakeForwarder(ExecutorAddress function,
                                                            DsoHandle& handle, OwnedCode& code) {
  const std::vector<uint8_t> bytes =
      HostStubArchitecture().encode_forwarder(function, ExecutorAddress::Of(&handle));
  MemoryRequest request;
  request.segment = Segment::kCode;
  request.size = request.object.code = bytes.size();
  request.alignment = kForwarderAlignment;
  request.section = kForwarderSection;
  request.near = ExecutorAddress::Of(&handle);
  FIRSTCALL_ASSIGN_OR_RETURN(const MemoryBlock block, code.memory().Allocate(request));
  std::copy(bytes.begin(), bytes.end(), block.write);
  if (absl::Status status = code.memory().Finalize({block}); !status.ok()) {
    code.Free({block});
    return status;
  }
  code.Add({block}, {});
  return block.run;
}

FIRSTCALL_ON_ANY_STACK int ExitHandlers::RegisterAtexit(void (*handler)(void*), void*,
                                                        void* dso_handle) {
  return Register(handler, /*argument=*/nullptr, dso_handle);
}

FIRSTCALL_ON_ANY_STACK int ExitHandlers::Register(void (*handler)(void*), void* argument,
                                                  void* dso_handle) {
  auto* handle = static_cast<DsoHandle*>(dso_handle);
  if (handle == nullptr || handle->mark != DsoHandle::kMark) {
    return __cxa_atexit(handler, argument, dso_handle);
  }
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  if (handle->handlers->is_closed_) return 0;
  handle->handlers->entries_.push_back({handler, argument, handle});
  return 0;
}

FIRSTCALL_ON_ANY_STACK int ExitHandlers::RegisterForThread(void (*handler)(void*), void* argument,
                                                           void* dso_handle) {
  auto* handle = static_cast<DsoHandle*>(dso_handle);
  if (handle == nullptr || handle->mark != DsoHandle::kMark) {
    return __cxa_thread_atexit_impl(handler, argument, dso_handle);
  }
  std::unique_ptr<ThreadEntry> entry;
  {
    const ForkScope scope;  // Also for the allocation, which a signal handler must not interrupt.
    entry =
        std::make_unique<ThreadEntry>(ThreadEntry{handler, argument, handle, NumberOfThisThread()});
    absl::MutexLock lock(&mutex_);
    if (handle->handlers->is_closed_) return 0;
    handle->handlers->thread_entries_.push_back(entry.get());
  }
  return __cxa_thread_atexit_impl(&RunAtThreadEnd, entry.release(), &__dso_handle);
}

void ExitHandlers::RunAtThreadEnd(void* entry) {
  const std::unique_ptr<ThreadEntry> ended(static_cast<ThreadEntry*>(entry));
  void (*handler)(void*) = nullptr;
  {
    const ForkScope scope;
    absl::MutexLock lock(&mutex_);
    handler = ended->handler;
    if (handler != nullptr) {
      std::vector<ThreadEntry*>& entries = ended->handle->handlers->thread_entries_;
      entries.erase(std::find(entries.begin(), entries.end(), ended.get()));
    }
  }
  if (handler != nullptr) handler(ended->argument);
}

void ExitHandlers::Close() {
  DropThreads();
  absl::MutexLock lock(&mutex_);
  entries_.clear();
  is_closed_ = true;
}

void ExitHandlers::DropThreads() {
  absl::MutexLock lock(&mutex_);
  for (ThreadEntry* entry : thread_entries_) entry->handler = nullptr;
  thread_entries_.clear();
}

std::optional<ExitHandlers::Entry> ExitHandlers::TakeOfThread(const DsoHandle* handle) {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  auto last = std::find_if(thread_entries_.rbegin(), thread_entries_.rend(), [&](auto* entry) {
    return entry->thread == NumberOfThisThread() && (handle == nullptr || entry->handle == handle);
  });
  if (last == thread_entries_.rend()) return std::nullopt;
  ThreadEntry& entry = **last;
  thread_entries_.erase(std::next(last).base());
  return Entry{std::exchange(entry.handler, nullptr), entry.argument, entry.handle};
}

std::optional<ExitHandlers::Entry> ExitHandlers::Take(const DsoHandle* handle) {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  auto last = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return handle == nullptr || entry.handle == handle;
  });
  if (last == entries_.rend()) return std::nullopt;
  const Entry entry = *last;
  entries_.erase(std::next(last).base());
  return entry;
}

void ExitHandlers::Run() { Run(nullptr); }

void ExitHandlers::Run(const DsoHandle& handle) { Run(&handle); }

// A thread's own objects are destroyed before static ones (C++17, [basic.start.term]).
void ExitHandlers::Run(const DsoHandle* handle) {
  while (std::optional<Entry> entry = TakeOfThread(handle)) entry->handler(entry->argument);
  while (std::optional<Entry> entry = Take(handle)) entry->handler(entry->argument);
}

void ExitHandlers::Move(DsoHandle& handle, ExitHandlers& to) {
  absl::MutexLock lock(&mutex_);
  const auto is_moved = [&](const Entry& entry) { return entry.handle == &handle; };
  std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(to.entries_), is_moved);
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), is_moved), entries_.end());
  const auto is_moved_too = [&](const ThreadEntry* entry) { return entry->handle == &handle; };
  std::copy_if(thread_entries_.begin(), thread_entries_.end(),
               std::back_inserter(to.thread_entries_), is_moved_too);
  thread_entries_.erase(
      std::remove_if(thread_entries_.begin(), thread_entries_.end(), is_moved_too),
      thread_entries_.end());
  handle.handlers = &to;
}

}  // namespace firstcall
