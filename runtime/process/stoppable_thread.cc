#include "runtime/process/stoppable_thread.h"

#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/base/config.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "runtime/process/loaded_file.h"

namespace firstcall {
namespace {

// Between two tries to stop a thread.
constexpr absl::Duration kPause = absl::Microseconds(50);

// The only signal that the library's threads and almost all programs leave unblocked, and that no
// program sends. The kernel sends it to a thread that makes a forbidden system call.
constexpr int kSignal = SIGSYS;

thread_local StoppableThread* current = nullptr;

using AddressRange = std::pair<uintptr_t, uintptr_t>;

// Returns the code ranges of the loaded file that `address` lies in.
std::vector<AddressRange> CodeAround(uintptr_t address) {
  std::vector<AddressRange> code;
  VisitFileAround(address, [&](const dl_phdr_info& file) {
    for (int i = 0; i < file.dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = file.dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
      const uintptr_t begin = file.dlpi_addr + segment.p_vaddr;
      code.push_back({begin, begin + segment.p_memsz});
    }
  });
  return code;
}

bool Contains(const std::vector<AddressRange>& ranges, uintptr_t address) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const AddressRange& range) {
    return range.first <= address && address < range.second;
  });
}

std::atomic<uintptr_t> somewhere_in_llvm{0};

// Asks the dynamic linker, because `&malloc` may be an entry of the program's own procedure linkage
// table.
uintptr_t SomewhereInMalloc() { return reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "malloc")); }

// Empty if LLVM cannot be told from malloc.
const std::vector<AddressRange>& CodeOfLlvm() {
  static const auto* const code = [] {
    auto* found = new std::vector<AddressRange>(CodeAround(somewhere_in_llvm));
    if (Contains(CodeAround(SomewhereInMalloc()), somewhere_in_llvm)) found->clear();
#ifdef ABSL_HAVE_THREAD_SANITIZER
    // The sanitizer takes locks before it calls the handler of such a signal, also when the signal
    // interrupts the sanitizer's own code, which may hold them.
    found->clear();
#endif
    return found;
  }();
  return *code;
}

// Constant once the handler is installed.
const std::vector<AddressRange>* code_of_llvm = nullptr;
struct sigaction last_handler = {};

uintptr_t ProgramCounter(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
#error "which register is the program counter?"
#endif
}

void HandleSignal(int signal, siginfo_t* info, void* context) {
  if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == &last_handler) {
    StoppableThread* thread = StoppableThread::Current();
    if (thread == nullptr) return;  // The thread is about to stop by itself.
    if (Contains(*code_of_llvm, ProgramCounter(*static_cast<ucontext_t*>(context)))) {
      thread->StopHere();
    }
    return;
  }
  if ((last_handler.sa_flags & SA_SIGINFO) != 0) {
    last_handler.sa_sigaction(signal, info, context);
  } else if (last_handler.sa_handler == SIG_DFL) {
    std::signal(signal, SIG_DFL);
    raise(signal);
  } else if (last_handler.sa_handler != SIG_IGN) {
    last_handler.sa_handler(signal);
  }
}

void InstallHandler() {
  static const bool is_installed = [] {
    code_of_llvm = &CodeOfLlvm();
    struct sigaction handler = {};
    handler.sa_sigaction = HandleSignal;
    handler.sa_flags = SA_SIGINFO | SA_RESTART;
    return sigaction(kSignal, &handler, &last_handler) == 0;
  }();
  (void)is_installed;
}

}  // namespace

void StoppableThread::SetStoppableCode(const void* address) {
  if (address == nullptr) return;
  somewhere_in_llvm = reinterpret_cast<uintptr_t>(address);
}

void StoppableThread::AllowStopping() {
  current = this;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

void StoppableThread::ForbidStopping() {
  current = nullptr;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

StoppableThread* StoppableThread::Current() { return current; }

void StoppableThread::StopHere() {
  is_stopped_ = true;
  while (true) pause();
}

void StoppableThread::StopAll(absl::Span<StoppableThread* const> threads) {
  const auto has_stopped = [](const StoppableThread* thread) { return thread->is_stopped(); };
  if (std::all_of(threads.begin(), threads.end(), has_stopped)) return;
  InstallHandler();
  while (!std::all_of(threads.begin(), threads.end(), has_stopped)) {
    for (StoppableThread* thread : threads) {
      if (code_of_llvm->empty() || has_stopped(thread)) continue;
      sigval value = {};
      value.sival_ptr = &last_handler;
      pthread_sigqueue(thread->id_, kSignal, value);
    }
    absl::SleepFor(kPause);
  }
}

}  // namespace firstcall
