#include "engine/linked_compiler.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "backend/llvm/llvm_arguments.h"
#include "backend/llvm/plain_target.h"
#include "backend/llvm/target.h"
#include "compiler/in_process_compiler.h"
#include "direct/direct_compiler.h"
#include "direct/host_target.h"
#include "engine/build_id.h"
#include "llvm-c/Core.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Target/TargetOptions.h"
#include "runtime/process/process_symbols.h"

namespace firstcall {
namespace {

// The version of the library that is running, not of its headers.
std::string LlvmVersion() {
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  const void* address = reinterpret_cast<const void*>(&LLVMGetVersion);
  return absl::StrCat(major, ".", minor, ".", patch, "-", BuildIdOf(address));
}

class Linked final : public CompilerProvider {
 public:
  std::string Identity(const CompilerSettings& settings) override {
    std::string identity =
        absl::StrCat("build=", BuildIdOf(reinterpret_cast<const void*>(&LinkedCompiler)),
                     " llvm=", LlvmVersion());
    if (const auto& options = settings.target.target_options; options != nullptr) {
      absl::StrAppend(&identity, " ", DescribeTargetOptions(*options));
    }
    return identity;
  }

  bool is_deferred() const override { return false; }

  bool AsksForEmulatedTls(const TargetSettings& settings) override {
    TargetSettings with_arguments = settings;
    return ApplyLlvmArguments(with_arguments).ok() && with_arguments.target_options != nullptr &&
           with_arguments.target_options->EmulatedTLS;
  }

  // LLVM also knows the symbols that clients have told it.
  std::function<ExecutorAddress(const std::string& name)> ProcessSymbols() override {
    llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
    return [](const std::string& name) {
      const ExecutorAddress known(llvm::RTDyldMemoryManager::getSymbolAddressInProcess(name));
      if (!known.is_null()) {
        return IsBoundOfThisProcess(name, known) ? ExecutorAddress() : known;
      }
      return FindNotExported(name);  // LLVM has asked the dynamic linker.
    };
  }

  absl::StatusOr<std::unique_ptr<Compiler>> Create(const CompilerSettings& settings,
                                                   Listener& listener, absl::string_view) override {
    return InProcessCompiler::Create(settings, listener);
  }

  std::unique_ptr<Compiler> CreateSmall(const CompilerSettings& settings) override {
    if (settings.optimizes_ir) return nullptr;
    if (direct::IsHostTarget(settings.target)) return direct::DirectCompiler::Create(settings);
    const std::optional<Target> target = FindPlainTarget(settings.target);
    if (!target) return nullptr;
    CompilerSettings with_target = settings;
    with_target.emulates_thread_locals |= target->emulates_thread_locals();
    return direct::DirectCompiler::CreateFor(target->FeaturesAmong(direct::FeatureNames()),
                                             with_target);
  }
};

}  // namespace

CompilerProvider& LinkedCompiler() {
  static auto* const compiler = new Linked;
  return *compiler;
}

}  // namespace firstcall
