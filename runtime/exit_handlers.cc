#include "runtime/exit_handlers.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "base/any_stack.h"
#include "base/status.h"
#include "runtime/work_scope.h"

// Defined by the C library; no header declares it.
extern "C" int __cxa_atexit(void (*handler)(void*), void* argument, void* dso_handle);

namespace firstcall {
namespace {

constexpr absl::string_view kDsoHandleSection = ".data";

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

FIRSTCALL_ON_ANY_STACK int ExitHandlers::Register(void (*handler)(void*), void* argument,
                                                  void* dso_handle) {
  auto* handle = static_cast<DsoHandle*>(dso_handle);
  if (handle == nullptr || handle->mark != DsoHandle::kMark) {
    return __cxa_atexit(handler, argument, dso_handle);
  }
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  handle->handlers->entries_.push_back({handler, argument, handle});
  return 0;
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

void ExitHandlers::Run() {
  while (std::optional<Entry> entry = Take(nullptr)) entry->handler(entry->argument);
}

void ExitHandlers::Run(const DsoHandle& handle) {
  while (std::optional<Entry> entry = Take(&handle)) entry->handler(entry->argument);
}

void ExitHandlers::Move(DsoHandle& handle, ExitHandlers& to) {
  absl::MutexLock lock(&mutex_);
  const auto is_moved = [&](const Entry& entry) { return entry.handle == &handle; };
  std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(to.entries_), is_moved);
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), is_moved), entries_.end());
  handle.handlers = &to;
}

}  // namespace firstcall
