#include "tools/dumper.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h"  // jit_code_entry.
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

extern "C" struct jit_descriptor __jit_debug_descriptor;

namespace firstcall {
namespace {

// Uses C's standard output, so that it keeps its order with what the program prints.
void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::string Text(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << module;
  return text;
}

class ModuleDumper final : public Listener {
 public:
  explicit ModuleDumper(std::function<void(const llvm::Module&)> dump) : dump_(std::move(dump)) {}

  bool sees_modules() const override { return true; }
  void OnModuleMade(const llvm::Module& module) override {
    absl::MutexLock lock(&mutex_);
    dump_(module);
  }

 private:
  absl::Mutex mutex_;
  const std::function<void(const llvm::Module&)> dump_;
};

void DumpFunctions(const llvm::Module& module) {
  std::string line = "[ ";
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    line += function.hasName() ? function.getName().str() : "<anon>";
    line += " ";
  }
  Print(line + "]\n");
}

void DumpModule(const llvm::Module& module) {
  Print("----- Module Start -----\n" + Text(module) + "----- Module End -----\n");
}

void WriteModule(const llvm::Module& module) {
  std::string path = module.getModuleIdentifier();
  for (char& character : path) {
    if (character == '/') character = '_';
  }
  path += ".ll";
  std::error_code error;
  llvm::raw_fd_ostream file(path, error, llvm::sys::fs::OF_Text);
  if (error) {
    std::fprintf(stderr, "firstcall: cannot write '%s': %s\n", path.c_str(),
                 error.message().c_str());
    return;
  }
  file << Text(module);
}

// Walks the debugger's list, in which new entries come first.
class DebugEntryDumper final : public Listener {
 public:
  using Dump = void (*)(const jit_code_entry* entry);

  explicit DebugEntryDumper(Dump dump) : dump_(dump) {}

  void OnPublished(const PublishedObject&) override {
    absl::MutexLock lock(&mutex_);
    const jit_code_entry* newest = __jit_debug_descriptor.first_entry;
    for (const jit_code_entry* entry = newest; entry != seen_; entry = entry->next_entry) {
      dump_(entry);
    }
    seen_ = newest;
  }

 private:
  const Dump dump_;
  absl::Mutex mutex_;
  const jit_code_entry* seen_ = nullptr;
};

void DumpDebugEntry(const jit_code_entry* entry) {
  std::fprintf(stderr, "jit_debug_descriptor 0x%016" PRIxPTR "\n",
               reinterpret_cast<uintptr_t>(entry));
}

void DumpDebugObject(const jit_code_entry* entry) {
  Print(std::string(entry->symfile_addr, entry->symfile_size));
}

}  // namespace

std::unique_ptr<Listener> MakeDumper(Dump dump) {
  switch (dump) {
    case Dump::kNothing:
      break;
    case Dump::kFunctions:
      return std::make_unique<ModuleDumper>(DumpFunctions);
    case Dump::kModules:
      return std::make_unique<ModuleDumper>(DumpModule);
    case Dump::kModuleFiles:
      return std::make_unique<ModuleDumper>(WriteModule);
    case Dump::kDebugDescriptor:
      DumpDebugEntry(__jit_debug_descriptor.first_entry);
      return std::make_unique<DebugEntryDumper>(DumpDebugEntry);
    case Dump::kDebugObjects:
      return std::make_unique<DebugEntryDumper>(DumpDebugObject);
  }
  return std::make_unique<Listener>();
}

}  // namespace firstcall
