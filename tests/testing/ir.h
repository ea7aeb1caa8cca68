// LLVM IR for tests: modules from text and back.

#ifndef FIRSTCALL_TESTS_TESTING_IR_H_
#define FIRSTCALL_TESTS_TESTING_IR_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace firstcall {

// The module `text` describes; `name` becomes its identifier. If the text is wrong, or describes a
// module the verifier refuses, fails the running test with the reason and returns null.
std::unique_ptr<llvm::Module> ParseModule(absl::string_view text, llvm::LLVMContext& context,
                                          absl::string_view name = "test");

// `module` as text.
std::string PrintModule(const llvm::Module& module);

// `module` as bitcode.
std::string ModuleToBitcode(const llvm::Module& module);

// The bitcode of the module `text` describes; empty, with the running test failed, if it is wrong.
std::string ParseToBitcode(absl::string_view text, absl::string_view name = "test");

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_IR_H_
