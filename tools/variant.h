// The command consists of two programs. `firstcall` is linked without LLVM, so that it starts soon;
// it runs what is in a cache or can be compiled without LLVM. For everything else it becomes
// `firstcall-llvm`, which is linked with LLVM and lies in the same directory. The two differ in
// what is declared here: variant_without_llvm.cc and variant_with_llvm.cc define it for one each.
// Tested in tests/command/variants_test.cc.

#ifndef FIRSTCALL_TOOLS_VARIANT_H_
#define FIRSTCALL_TOOLS_VARIANT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "engine/compiler_provider.h"

namespace llvm::cl {
class OptionCategory;
}  // namespace llvm::cl

namespace firstcall {

// To be called first, with main's arguments, which must exist as long as the process.
void SetUpVariant(char** argv);

// To be called before anything that only the program with LLVM can do; `reason` says what. Returns
// in that program. The other one becomes it, with the same arguments, or ends with an error if it
// cannot.
void RunWithLlvm(absl::string_view reason);

// Whether this is the program that RunWithLlvm leaves.
bool MayBecomeTheOther();

// What RunWithLlvm was called for, before this process became the program with LLVM; empty if it
// did not become that.
const std::string& ReasonForLlvm();

// For a process that becomes the program with LLVM, from either of the two: its path, and what it
// is told in the environment. The program that has become another one keeps its reason.
std::string PathOfProgramWithLlvm();
void MarkForLlvm(absl::string_view reason);
void RemoveMarks();

CompilerProvider& CommandsCompiler();

// The arguments before the program `input` that are not options of the command itself. To be called
// after the command line was parsed. If an option and its value are separate arguments, the value
// is included, too, if this program knows the option.
std::vector<std::string> LlvmArguments(int argc, char** argv, absl::string_view input,
                                       const llvm::cl::OptionCategory& own);

// That of base/out_of_memory.h, for LLVM as it is in this process.
void LeaveLlvmOutOfMemory();
// Has `end` end the process when LLVM runs out of memory (CompilerLibrary).
void SetLlvmOutOfMemoryHandler(void (*end)(), bool (*is_own_work)());

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_VARIANT_H_
