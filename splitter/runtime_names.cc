#include "splitter/runtime_names.h"

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "base/string_ref.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "object/symbol_name.h"
#include "third_party/llvm/version/runtime_functions.h"

namespace firstcall {
namespace {

// Names that are in neither of LLVM's lists. Personality functions are named in the IR, and most
// functions that are called because of function attributes.
constexpr absl::string_view kOthers[] = {
    // Position-independent code, thread-local variables.
    "_GLOBAL_OFFSET_TABLE_", "__emutls_get_address", "__tls_get_addr",
    // Stack protection, stack growth.
    "__stack_chk_fail", "__stack_chk_guard", "__safestack_pointer_address",
    "__emutls_v.__safestack_unsafe_stack_ptr", "__safestack_unsafe_stack_ptr", "__morestack",
    "__probestack",
    // Profiling.
    "__fentry__", "mcount", "_mcount", "__cyg_profile_func_enter", "__cyg_profile_func_exit",
    "__cyg_profile_func_enter_bare",
    // Used by the definition of atexit that a module gets.
    "__cxa_atexit", "__dso_handle",
    // Conversions of 16-bit floating point; x86-64 has names of its own for them.
    "__extendhfsf2", "__extendhfxf2", "__extendhftf2", "__extendbfsf2", "__truncsfhf2",
    "__truncdfhf2", "__truncxfhf2", "__trunctfhf2", "__truncsfbf2", "__truncdfbf2", "__truncxfbf2",
    "__trunctfbf2",
    // Garbage collection, whose frames are also left by unwinding.
    kShadowStackRoots, "__gcc_personality_v0"};

// Thunks for indirect branches, and atomic operations that check the CPU's features.
constexpr absl::string_view kPrefixes[] = {"__x86_indirect_thunk_", "__x86_return_thunk",
                                           "__aarch64_"};

// Never destroyed, because threads may compile while the process exits.
const absl::flat_hash_set<std::string>& CodeGeneratorsNames() {
  static const auto* const names = [] {
    auto* all = new absl::flat_hash_set<std::string>(std::begin(kOthers), std::end(kOthers));
    const llvm::Triple triple(llvm::sys::getProcessTriple());
    llvm_version::ForEachRuntimeFunction(triple,
                                         [all](llvm::StringRef name) { all->insert(name.str()); });
    return all;
  }();
  return *names;
}

}  // namespace

bool IsLibraryFunctionName(absl::string_view name) {
  static const auto* const library =
      new llvm::TargetLibraryInfoImpl(llvm::Triple(llvm::sys::getProcessTriple()));
  llvm::LibFunc function;
  return library->getLibFunc(ToStringRef(name), function);
}

bool IsRuntimeName(absl::string_view name) {
  if (IsLibraryFunctionName(name) || CodeGeneratorsNames().contains(name)) return true;
  for (absl::string_view prefix : kPrefixes) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  return false;
}

}  // namespace firstcall
