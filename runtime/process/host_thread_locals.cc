#include "runtime/process/host_thread_locals.h"

#include <link.h>

#include <atomic>

#include "absl/strings/str_cat.h"

extern "C" {
// Defined by libgcc (emutls.c). A control record starts with the variable's size and alignment.
void* __emutls_get_address(void* control);
}

namespace firstcall {
namespace {

// Stands in place of a size, because no variable is that large.
constexpr size_t kHasDescriptor = SIZE_MAX;

struct Search {
  uintptr_t address = 0;
  size_t module = 0;
  uint64_t unloaded = 0;
  size_t offset = 0;
};

int Visit(dl_phdr_info* info, size_t, void* argument) {
  auto* search = static_cast<Search*>(argument);
  const auto block = reinterpret_cast<uintptr_t>(info->dlpi_tls_data);
  if (info->dlpi_tls_modid == 0 || block == 0) return 0;
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_TLS && search->address >= block &&
        search->address - block < header.p_memsz) {
      search->module = info->dlpi_tls_modid;
      search->unloaded = info->dlpi_subs;
      search->offset = search->address - block;
      return 1;
    }
  }
  return 0;
}

void* AddressOfDescribed(void* descriptor) {
  return AddressOfThreadLocal(*static_cast<const ThreadLocalDescriptor*>(descriptor));
}

}  // namespace

// Begins like the control record of an emulated variable.
struct HostThreadLocals::Control {
  // Atomic, because the thread that makes the record shares only its address with compiled code.
  std::atomic<size_t> size{0};
  size_t alignment = 1;
  void* descriptor = nullptr;

  static void* AddressOf(void* control) {
    if (control == nullptr) return nullptr;  // Of a weak variable that nobody defines.
    auto* record = static_cast<Control*>(control);
    if (record->size.load(std::memory_order_acquire) != kHasDescriptor) {
      return __emutls_get_address(control);
    }
    return AddressOfDescribed(record->descriptor);
  }
};

HostThreadLocals::HostThreadLocals() = default;
HostThreadLocals::~HostThreadLocals() = default;

ExecutorAddress HostThreadLocals::Accessor() {
  return ExecutorAddress::Of(reinterpret_cast<const void*>(&Control::AddressOf));
}

ExecutorAddress HostThreadLocals::AccessorOfDescriptors() {
  return ExecutorAddress::Of(reinterpret_cast<const void*>(&AddressOfDescribed));
}

absl::StatusOr<ExecutorAddress> HostThreadLocals::DescriptorOf(absl::string_view name,
                                                               ExecutorAddress address) {
  Search search;
  search.address = address.value();
  if (dl_iterate_phdr(Visit, &search) == 0) {
    return absl::NotFoundError(
        absl::StrCat("symbol '", name, "' is not a thread-local variable of the process"));
  }
  const absl::StatusOr<ThreadLocalDescriptor> found =
      ThreadLocalOfProcess(search.module, search.unloaded, search.offset);
  if (!found.ok()) return found.status();
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<ThreadLocalDescriptor>& descriptor =
      of_process_[{search.module, search.unloaded, search.offset}];
  if (descriptor == nullptr) descriptor = std::make_unique<ThreadLocalDescriptor>(*found);
  return ExecutorAddress::Of(descriptor.get());
}

ExecutorAddress HostThreadLocals::DescriptorOfControl(ExecutorAddress control) {
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<ThreadLocalDescriptor>& descriptor = of_controls_[control.value()];
  if (descriptor == nullptr) {
    descriptor = std::make_unique<ThreadLocalDescriptor>(
        ComputedThreadLocal(&Control::AddressOf, control.InThisProcess<void*>()));
  }
  return ExecutorAddress::Of(descriptor.get());
}

ExecutorAddress HostThreadLocals::ControlOfDescriptor(ExecutorAddress address) {
  absl::MutexLock lock(&mutex_);
  auto* const descriptor = address.InThisProcess<ThreadLocalDescriptor*>();
  const auto made = of_controls_.find(descriptor->place);
  if (made != of_controls_.end() && made->second.get() == descriptor) {
    return ExecutorAddress(descriptor->place);
  }
  std::unique_ptr<Control>& control = controls_[address.value()];
  if (control == nullptr) {
    control = std::make_unique<Control>();
    control->descriptor = descriptor;
    control->size.store(kHasDescriptor, std::memory_order_release);
  }
  return ExecutorAddress::Of(control.get());
}

}  // namespace firstcall
