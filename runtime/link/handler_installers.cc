#include "runtime/link/handler_installers.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/any_stack.h"
#include "base/forks.h"
#include "base/program_thread_state.h"
#include "base/signal_hold.h"
#include "base/signal_state.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

using Functions = HandlerInstallers::Functions;

ABSL_CONST_INIT absl::Mutex mutex(absl::kConstInit);
// Never destroyed: the program may install handlers while static objects go.
std::vector<Functions*>& AllFunctions() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
  static auto* const all = new std::vector<Functions*>;
  return *all;
}

template <typename Function>
const void* AddressOf(Function* function) {
  return reinterpret_cast<const void*>(function);
}

// A child of vfork has its parent's memory, but not its parent's threads.
bool MayCompileHere() {
  return !WorkScope::IsInterrupted() && !SignalState::MayBeInHandler() && !BorrowsMemory();
}

void Prepare(const void* handler) {
  if (handler == nullptr || !MayCompileHere()) return;
  const ExecutorAddress address = ExecutorAddress::Of(handler);
  const bool may_delegate = !WorkScope::IsAtWork();
  const WorkScope scope(WorkScope::WhenOver::kForget);
  if (!scope.is_at_work()) return;
  std::pair<Functions*, std::optional<FunctionKey>> found;
  {
    absl::MutexLock lock(&mutex);
    for (Functions* functions : AllFunctions()) {
      found = {functions, functions->FunctionAt(address)};
      if (found.second) break;
    }
  }
  if (found.second) found.first->PrepareHandler(*found.second, may_delegate);
}

// Threads that are at work now may not hold the signal back. They may wait for what a signal
// handler has interrupted here, so a handler does not wait for them.
void HoldBack(int signal) {
  if (!HeldSignals::Add(signal)) return;
  if (WorkScope::IsAtWork() || !MayCompileHere()) return;
  const ExclusiveWorkScope wait;
}

void NoteHandler(int signal, const void* handler) {
  const LibraryState state;
  HoldBack(signal);
  Prepare(handler);
}

bool IsFunction(void (*handler)(int)) {
  return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR;
}

// What the engine's functions call. Set before compiled code can call them.
using Sigaction = int (*)(int, const struct sigaction*, struct sigaction*);
using Signal = void (*(*)(int, void (*)(int)))(int);
using TimerCreate = int (*)(clockid_t, sigevent*, timer_t*);
using PthreadAtfork = int (*)(void (*)(), void (*)(), void (*)());
using RegisterAtfork = int (*)(void (*)(), void (*)(), void (*)(), void*);

template <typename Function>
Function Read(const std::atomic<const void*>& function) {
  return reinterpret_cast<Function>(const_cast<void*>(function.load(std::memory_order_acquire)));
}

template <size_t kIndex>
std::atomic<const void*> original{nullptr};

template <size_t kIndex>
FIRSTCALL_ON_ANY_STACK int InstallBySigaction(int signal, const struct sigaction* action,
                                              struct sigaction* before) {
  // On Linux sa_handler and sa_sigaction are the same memory.
  if (action != nullptr && IsFunction(action->sa_handler)) {
    NoteHandler(signal, AddressOf(action->sa_handler));
  }
  return Read<Sigaction>(original<kIndex>)(signal, action, before);
}

template <size_t kIndex>
FIRSTCALL_ON_ANY_STACK auto InstallBySignal(int signal, void (*handler)(int)) -> void (*)(int) {
  // sigset has one more value that is no function.
  constexpr size_t kHold = 2;
  if (IsFunction(handler) && reinterpret_cast<size_t>(handler) != kHold) {
    NoteHandler(signal, AddressOf(handler));
  }
  return Read<Signal>(original<kIndex>)(signal, handler);
}

template <size_t kIndex>
FIRSTCALL_ON_ANY_STACK int CreateTimer(clockid_t clock, sigevent* event, timer_t* timer) {
  if (event != nullptr && event->sigev_notify == SIGEV_THREAD) {
    const LibraryState state;
    Prepare(AddressOf(event->sigev_notify_function));
  }
  return Read<TimerCreate>(original<kIndex>)(clock, event, timer);
}

void PrepareAll(void (*prepare)(), void (*parent)(), void (*child)()) {
  const LibraryState state;
  for (void (*handler)() : {prepare, parent, child}) Prepare(AddressOf(handler));
}

template <size_t kIndex>
FIRSTCALL_ON_ANY_STACK int InstallByAtfork(void (*prepare)(), void (*parent)(), void (*child)()) {
  PrepareAll(prepare, parent, child);
  return Read<PthreadAtfork>(original<kIndex>)(prepare, parent, child);
}

template <size_t kIndex>
FIRSTCALL_ON_ANY_STACK int InstallByRegister(void (*prepare)(), void (*parent)(), void (*child)(),
                                             void* dso_handle) {
  PrepareAll(prepare, parent, child);
  return Read<RegisterAtfork>(original<kIndex>)(prepare, parent, child, dso_handle);
}

struct Installer {
  absl::string_view name;
  std::atomic<const void*>* original;
  const void* instead;
};

const Installer kInstallers[] = {
    {"sigaction", &original<0>, AddressOf(&InstallBySigaction<0>)},
    {"__sigaction", &original<1>, AddressOf(&InstallBySigaction<1>)},
    {"signal", &original<2>, AddressOf(&InstallBySignal<2>)},
    {"bsd_signal", &original<3>, AddressOf(&InstallBySignal<3>)},
    {"ssignal", &original<4>, AddressOf(&InstallBySignal<4>)},
    {"sysv_signal", &original<5>, AddressOf(&InstallBySignal<5>)},
    {"__sysv_signal", &original<6>, AddressOf(&InstallBySignal<6>)},
    {"sigset", &original<7>, AddressOf(&InstallBySignal<7>)},
    {"timer_create", &original<8>, AddressOf(&CreateTimer<8>)},
    {"pthread_atfork", &original<9>, AddressOf(&InstallByAtfork<9>)},
    {"__register_atfork", &original<10>, AddressOf(&InstallByRegister<10>)},
};

// Many names are looked up, and few found.
bool MayBegin(absl::string_view name) {
  return !name.empty() && absl::string_view("s_btp").find(name[0]) != absl::string_view::npos;
}

const Installer* Find(absl::string_view name) {
  if (!MayBegin(name)) return nullptr;
  const auto* const found = std::find_if(std::begin(kInstallers), std::end(kInstallers),
                                         [&](const Installer& it) { return it.name == name; });
  return found == std::end(kInstallers) ? nullptr : found;
}

}  // namespace

bool HandlerInstallers::Include(absl::string_view name) { return Find(name) != nullptr; }

ExecutorAddress HandlerInstallers::Instead(absl::string_view name, ExecutorAddress found) {
  const Installer* const installer = Find(name);
  if (installer == nullptr) return ExecutorAddress();
  installer->original->store(found.InThisProcess<const void*>(), std::memory_order_release);
  return ExecutorAddress::Of(installer->instead);
}

void HandlerInstallers::Add(Functions& functions) {
  absl::MutexLock lock(&mutex);
  std::vector<Functions*>& all = AllFunctions();
  if (std::find(all.begin(), all.end(), &functions) == all.end()) all.push_back(&functions);
}

void HandlerInstallers::Remove(Functions& functions) {
  const ForkScope scope;
  absl::MutexLock lock(&mutex);
  std::vector<Functions*>& all = AllFunctions();
  all.erase(std::remove(all.begin(), all.end(), &functions), all.end());
}

}  // namespace firstcall
