#include "runtime/process/host_thread_locals.h"

#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"

extern "C" {
// Defined by the dynamic linker: returns the address of a module's variable in the calling thread
// (ELF Handling for Thread-Local Storage, section 3.4).
void* __tls_get_addr(size_t* module_and_offset);
// Defined by libgcc (emutls.c). A control record starts with the variable's size and alignment.
void* __emutls_get_address(void* control);
}

namespace firstcall {
namespace {

// Stands in place of a size, because no variable is that large.
constexpr size_t kHostVariable = SIZE_MAX;

struct Search {
  uintptr_t address = 0;
  size_t module = 0;
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
      search->offset = search->address - block;
      return 1;
    }
  }
  return 0;
}

}  // namespace

// Begins like the control record of an emulated variable.
struct HostThreadLocals::Control {
  // Atomic, because the thread that makes the record shares only its address with compiled code.
  std::atomic<size_t> size{0};
  size_t alignment = 1;
  size_t module_and_offset[2] = {};

  static void* AddressOf(void* control) {
    if (control == nullptr) return nullptr;  // Of a weak variable that nobody defines.
    auto* host = static_cast<Control*>(control);
    if (host->size.load(std::memory_order_acquire) != kHostVariable) {
      return __emutls_get_address(control);
    }
    return __tls_get_addr(host->module_and_offset);
  }
};

HostThreadLocals::HostThreadLocals() = default;
HostThreadLocals::~HostThreadLocals() = default;

ExecutorAddress HostThreadLocals::Accessor() {
  return ExecutorAddress::Of(reinterpret_cast<const void*>(&Control::AddressOf));
}

absl::StatusOr<ExecutorAddress> HostThreadLocals::ControlOf(absl::string_view name,
                                                            ExecutorAddress address) {
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<Control>& control = controls_[name];
  if (control == nullptr) {
    Search search;
    search.address = address.value();
    if (dl_iterate_phdr(Visit, &search) == 0) {
      controls_.erase(name);
      return absl::NotFoundError(
          absl::StrCat("symbol '", name, "' is not a thread-local variable of the process"));
    }
    control = std::make_unique<Control>();
    control->module_and_offset[0] = search.module;
    control->module_and_offset[1] = search.offset;
    control->size.store(kHostVariable, std::memory_order_release);
  }
  return ExecutorAddress::Of(control.get());
}

}  // namespace firstcall
