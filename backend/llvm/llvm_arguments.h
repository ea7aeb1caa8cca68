// Options of LLVM's own command-line tools, given by an engine's user.
//
// Thread-safe: the options are parsed under a mutex. Tested in tests/command/command_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_LLVM_ARGUMENTS_H_
#define FIRSTCALL_BACKEND_LLVM_LLVM_ARGUMENTS_H_

#include "absl/status/status.h"
#include "seam/target_settings.h"

namespace firstcall {

// Gives `settings.llvm_arguments` to LLVM's parser, and sets from them the unset fields that choose
// the target: CPU, features, architecture, relocation and code model, and the options of the code
// generator. Does nothing if there are no arguments. InvalidArgument, with LLVM's message.
absl::Status ApplyLlvmArguments(TargetSettings& settings);

// Registers the options that choose the target with LLVM's parser, so that a program's own call of
// the parser knows them.
void RegisterTargetOptions();

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_LLVM_ARGUMENTS_H_
