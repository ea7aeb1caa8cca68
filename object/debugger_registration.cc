// The names and layouts below are those that debuggers look for. They are hidden: this file's list
// is seen by debuggers, which read the symbols of each file, and not by the dynamic linker, which
// would otherwise give it to LLVM's shared library in place of that library's own. They are weak:
// where LLVM is linked statically, its definitions are the only ones.

#include "object/debugger_registration.h"

#include <elf.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/base/const_init.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "memory/debugger_presence.h"
#include "object/symbol_name.h"

extern "C" {

enum jit_actions_t : uint32_t { JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN };

struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  uint64_t symfile_size;
};

struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};

__attribute__((weak, visibility("hidden")))
jit_descriptor __jit_debug_descriptor = {1, JIT_NOACTION, nullptr, nullptr};

// The debugger has a breakpoint here, so every call must be a call.
__attribute__((weak, visibility("hidden"), noinline)) void __jit_debug_register_code() {
  asm volatile("" ::: "memory");
}

}  // extern "C"

namespace firstcall {
namespace {

absl::Mutex mutex(absl::kConstInit);

std::atomic<size_t> registrations{0};

// GDB takes 1 ms for each of so many registrations, which is less than compiling a function along
// that is not called (docs/adr/0035-what-a-debugger-waits-for.md).
constexpr size_t kFewRegistrations = 512;

DebuggerRegistrar& Registrar() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
  static auto* const registrar = new DebuggerRegistrar();  // Other threads may outlive statics.
  return *registrar;
}

// An object in the list of this file.
struct Registration {
  std::vector<char> image;
  jit_code_entry entry = {};
};

void Tell(jit_actions_t action, jit_code_entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = JIT_NOACTION;
  __jit_debug_descriptor.relevant_entry = nullptr;
}

// A debugger that attaches stops the threads anywhere, and reads the list from its first entry
// along next_entry. So at each instruction that leads to entries that are complete.
void Withdraw(Registration& registration) ABSL_LOCKS_EXCLUDED(mutex) {
  absl::MutexLock lock(&mutex);
  jit_code_entry& entry = registration.entry;
  if (entry.next_entry != nullptr) entry.next_entry->prev_entry = entry.prev_entry;
  (entry.prev_entry != nullptr ? entry.prev_entry->next_entry
                               : __jit_debug_descriptor.first_entry) = entry.next_entry;
  Tell(JIT_UNREGISTER_FN, entry);
}

void Add(jit_code_entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
  entry.next_entry = __jit_debug_descriptor.first_entry;
  if (entry.next_entry != nullptr) entry.next_entry->prev_entry = &entry;
  std::atomic_signal_fence(std::memory_order_release);  // The compiler keeps this order.
  __jit_debug_descriptor.first_entry = &entry;
  Tell(JIT_REGISTER_FN, entry);
}

std::function<void()> AddToList(std::vector<char> image) ABSL_LOCKS_EXCLUDED(mutex) {
  auto registration = std::make_shared<Registration>();
  registration->image = std::move(image);
  jit_code_entry& entry = registration->entry;
  entry.symfile_addr = registration->image.data();
  entry.symfile_size = registration->image.size();
  absl::MutexLock lock(&mutex);
  Add(entry);
  return [registration] { Withdraw(*registration); };
}

// A debugger looks for the names in the source.
void ShortenLocalNames(const ElfObject& object, std::vector<char>& image) {
  for (size_t i = 0; i < object.symbol_count(); ++i) {
    const ElfObject::Symbol symbol = object.symbol(i);
    if (symbol.is_undefined()) continue;
    const absl::string_view name = object.NameOf(symbol);
    const absl::string_view in_source = WithoutOrdinal(name);
    if (in_source.size() == name.size()) continue;
    image[static_cast<size_t>(in_source.data() + in_source.size() - object.bytes().data())] = '\0';
  }
}

DebuggerRegistrar CurrentRegistrar() ABSL_LOCKS_EXCLUDED(mutex) {
  absl::MutexLock lock(&mutex);
  return Registrar() ? Registrar() : AddToList;
}

}  // namespace

void SetDebuggerRegistrar(DebuggerRegistrar registrar, const void* stop) {
  absl::MutexLock lock(&mutex);
  Registrar() = std::move(registrar);
  SetOtherDebuggerStop(stop);
}

bool HasListeningDebugger() {
  SetOwnDebuggerStop(reinterpret_cast<const void*>(&__jit_debug_register_code));
  return IsDebuggerListening();
}

RegisteredTogether FunctionsToRegisterTogether() {
  if (!HasListeningDebugger()) return {};
  const size_t count = registrations.load(std::memory_order_relaxed);
  return {count / 4, count > kFewRegistrations ? (count - kFewRegistrations) / 4 : 0};
}

std::function<void()> RegisterImageWithDebugger(std::vector<char> image) {
  registrations.fetch_add(1, std::memory_order_relaxed);
  return CurrentRegistrar()(std::move(image));
}

bool RegisterLastingImage(const char* image, size_t size) {
  auto* const entry = new jit_code_entry();
  entry->symfile_addr = image;
  entry->symfile_size = size;
  absl::MutexLock lock(&mutex);
  if (Registrar()) {
    delete entry;
    return false;
  }
  Add(*entry);
  return true;
}

std::function<void()> RegisterWithDebugger(
    const ElfObject& object, absl::FunctionRef<ExecutorAddress(uint32_t)> address_of) {
  if (!object.has_debug_information() && !HasListeningDebugger()) return {};
  std::vector<char> image(object.bytes().begin(), object.bytes().end());
  for (size_t i = 0; i < object.sections().size(); ++i) {
    const uint64_t address = address_of(static_cast<uint32_t>(i)).value();
    if (address == 0) continue;
    std::memcpy(image.data() + object.sections()[i].header + offsetof(Elf64_Shdr, sh_addr),
                &address, sizeof(address));
  }
  ShortenLocalNames(object, image);
  return RegisterImageWithDebugger(std::move(image));
}

}  // namespace firstcall
