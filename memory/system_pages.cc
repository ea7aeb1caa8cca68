#include "memory/system_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace firstcall {
namespace {

void RunAction(const ExecutorAction& action) {
  action.function.InThisProcess<void (*)(void*)>()(action.argument.InThisProcess<void*>());
}

absl::StatusOr<uint8_t*> ReserveAt(void* hint, size_t size) {
  void* address = mmap(hint, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return SystemError("reserving address space");
  return static_cast<uint8_t*>(address);
}

}  // namespace

absl::Status SystemError(absl::string_view operation) {
  // In the errors of mmap, EAGAIN has this one cause (mmap(2)).
  const char* const cause =
      errno == EAGAIN ? " (the process locks more memory than RLIMIT_MEMLOCK allows)" : "";
  return absl::ResourceExhaustedError(
      absl::StrCat("code memory: ", operation, ": ", std::strerror(errno), cause));
}

size_t SystemPageSize() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

absl::StatusOr<uint8_t*> ReserveAddresses(size_t size) { return ReserveAt(nullptr, size); }

// The system follows a hint only if the addresses are free. So hints are tried below and above
// `near`, at growing distances. If no addresses near it are free, any other addresses are returned.
absl::StatusOr<uint8_t*> ReserveAddressesNear(size_t size, ExecutorAddress near) {
  constexpr uint64_t kStep = uint64_t{32} << 20;
  constexpr uint64_t kFarthest = kReach - kStep;
  if (near.is_null()) return ReserveAddresses(size);
  for (uint64_t distance = size + kStep; distance < kFarthest; distance += kStep) {
    for (const uint64_t hint : {near.value() - distance, near.value() + distance - size}) {
      // Skips hints beyond either end of the address space.
      if (hint > near.value() + kFarthest || hint < kStep) continue;
      const uint64_t aligned = hint & ~(kStep - 1);
      FIRSTCALL_ASSIGN_OR_RETURN(uint8_t * given,
                                 ReserveAt(reinterpret_cast<void*>(aligned), size));
      if (reinterpret_cast<uint64_t>(given) == aligned) return given;
      munmap(given, size);
    }
  }
  return ReserveAddresses(size);
}

absl::Status MapSharedPages(uint8_t* at, size_t size, int protection, int file, size_t offset) {
  if (mmap(at, size, protection, MAP_SHARED | MAP_FIXED, file, static_cast<off_t>(offset)) ==
      MAP_FAILED) {
    return SystemError("mapping pages");
  }
  return absl::OkStatus();
}

// The system refuses a debugger's writes to shared pages without write permission; a private page
// is copied instead (ptrace(2), FOLL_FORCE).
absl::Status MapCodePages(uint8_t* at, size_t size, int file, size_t offset) {
  if (mmap(at, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file,
           static_cast<off_t>(offset)) == MAP_FAILED) {
    return SystemError("mapping pages of code");
  }
  return absl::OkStatus();
}

// To move none of a shared mapping's bytes makes a second mapping of its pages (mremap(2)).
absl::Status MapAnonymousPagesTwice(uint8_t* alias, uint8_t* run, size_t size, bool is_code) {
  const int protection = is_code ? PROT_READ | PROT_EXEC : PROT_READ;
  if (mmap(alias, size, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED ||
      mremap(alias, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, run) == MAP_FAILED ||
      mprotect(run, size, protection) != 0) {
    return SystemError("mapping anonymous pages");
  }
  return absl::OkStatus();
}

void RunActions(absl::Span<const ExecutorAction> actions) {
  for (const ExecutorAction& action : actions) RunAction(action);
}

void RunActionsInReverse(absl::Span<const ExecutorAction> actions) {
  for (size_t i = actions.size(); i-- > 0;) RunAction(actions[i]);
}

}  // namespace firstcall
